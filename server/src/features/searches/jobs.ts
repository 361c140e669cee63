import { z } from 'zod'
import type { AppDeps } from '../../platform/deps.ts'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import { purgeSearches } from './actions.ts'
import { hasUnrestorable } from './queries.ts'

/** Deletes the removed searches that nobody can bring back any more. */
export function searchPurging({ databases }: Pick<AppDeps, 'databases'>): JobKind {
  return jobKind({
    name: 'search-purge',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 3_600,
    due: async () => ((await hasUnrestorable(databases)) ? [{}] : []),
    run: () => purgeSearches(databases),
  })
}
