import { z } from 'zod'
import type { Databases } from '../../platform/database/database.ts'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import { hasOldEvents, type KeptDays, pruneEvents } from './following/pruning.ts'

/** Deletes the events and records of changes that no process and no follower needs any more. */
export function eventPruning({ databases, settings }: { databases: Databases; settings: KeptDays }): JobKind {
  return jobKind({
    name: 'event-pruning',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 60,
    due: async () => ((await hasOldEvents(databases, settings)) ? [{}] : []),
    run: async () => {
      await pruneEvents(databases, settings)
    },
  })
}
