import type { Uptime } from '@dealdeck/contract/home'
import type { Databases } from '../../platform/database/database.ts'
import { measuredSince, startOfMinute, uptimeOf } from './rules.ts'

/** The uptime as recorded by all processes; null before the first heartbeat. Heartbeats of the future don't count. */
export async function readUptime({ customPlanPool }: Databases, now: Date): Promise<Uptime | null> {
  const current = startOfMinute(now)
  const found = await customPlanPool.query<{ first: Date | null }>(
    'select min(minute) as first from heartbeats where minute <= $1',
    [current],
  )
  const first = found.rows[0]?.first
  if (!first) return null
  const since = measuredSince(first, now)
  const { rows } = await customPlanPool.query<{ beats: number }>(
    'select count(*) as beats from heartbeats where minute >= $1 and minute < $2',
    [since, current],
  )
  return uptimeOf(rows[0]?.beats ?? 0, since, now)
}
