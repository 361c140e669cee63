import { z } from 'zod'
import type { Databases } from '../../platform/database/database.ts'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import { hasOldEvents, pruneEvents } from './publisher.ts'

/** Deletes the events that no process needs any more to catch up. */
export function eventPruning({ databases }: { databases: Databases }): JobKind {
  return jobKind({
    name: 'event-pruning',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 60,
    due: async () => ((await hasOldEvents(databases)) ? [{}] : []),
    run: (_, signal) => pruneEvents(databases, signal),
  })
}
