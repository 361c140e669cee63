import { z } from 'zod'
import type { AppDeps } from '../../platform/deps.ts'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import { sweepSessions } from './actions.ts'
import { hasExpiredSessions } from './queries.ts'

/** Deletes the sessions that are over; nobody can use them from the moment on at which they are. */
export function sessionSweeping({ databases, clock }: Pick<AppDeps, 'databases' | 'clock'>): JobKind {
  return jobKind({
    name: 'session-sweep',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 600,
    due: async () => ((await hasExpiredSessions(databases, clock())) ? [{}] : []),
    run: (_, signal) => sweepSessions(databases, clock(), signal),
  })
}
