import type { Clock } from '../../platform/clock.ts'
import type { Databases } from '../../platform/database/database.ts'
import { minuteMs, startOfMinute } from './rules.ts'

const keptMs = 90 * 24 * 60 * minuteMs
/** Several looks at the clock a minute, so that a late timer skips none. */
const lookMs = 15_000

/** Records that this minute is up, and once an hour forgets what is older than 90 days. */
export async function recordHeartbeat({ durablePool }: Databases, now: Date): Promise<void> {
  const minute = startOfMinute(now)
  await durablePool.query('insert into heartbeats (minute) values ($1) on conflict do nothing', [minute])
  if (minute.getUTCMinutes() !== 0) return
  await durablePool.query('delete from heartbeats where minute < $1', [new Date(minute.getTime() - keptMs)])
}

/**
 * Records a heartbeat now and with every new minute. While the database is away nothing is recorded and nothing fails:
 * the missing minutes are what the uptime tells of. `look` is one look at the clock, as taken every few seconds;
 * `last` the newest minute recorded from here, in milliseconds since 1970.
 */
export function startHeartbeats(
  databases: Databases,
  clock: Clock,
): { look: () => Promise<void>; last: () => number | undefined; end: () => void } {
  let recorded: number | undefined
  let underWay = false
  const look = async () => {
    const now = clock()
    const minute = startOfMinute(now).getTime()
    if (underWay || minute === recorded) return
    underWay = true
    try {
      await recordHeartbeat(databases, now)
      recorded = minute
    } catch {
      // The next look tries again.
    } finally {
      underWay = false
    }
  }
  void look()
  const timer = setInterval(look, lookMs)
  return { look, last: () => recorded, end: () => clearInterval(timer) }
}
