import { z } from 'zod'
import type { AppDeps } from '../../platform/deps.ts'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import { isRecorded, recordHeartbeat } from './actions.ts'
import { startOfMinute } from './rules.ts'

/**
 * Records each minute in which somebody looked: that it is up. While the database is away nobody looks, and the missing
 * minutes are the downtime. `last` is the newest minute known here to be recorded, in milliseconds since 1970.
 */
export function heartbeats({ databases, clock }: Pick<AppDeps, 'databases' | 'clock'>): {
  kind: JobKind
  last: () => number | undefined
} {
  let last: number | undefined
  const kind = jobKind({
    name: 'heartbeat',
    payload: z.strictObject({ minute: z.iso.datetime() }),
    limits: { retries: 5, timeLimitSeconds: 60, concurrency: 1 },
    lookEverySeconds: 0,
    async due() {
      const minute = startOfMinute(clock())
      if (minute.getTime() === last) return []
      if (!(await isRecorded(databases, minute))) return [{ minute: minute.toISOString() }]
      last = minute.getTime()
      return []
    },
    async run({ minute }) {
      await recordHeartbeat(databases, new Date(minute))
      last = Math.max(last ?? 0, Date.parse(minute))
    },
  })
  return { kind, last: () => last }
}
