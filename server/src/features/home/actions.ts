import type { Databases } from '../../platform/database/database.ts'
import { minuteMs, startOfMinute } from './rules.ts'

const keptMs = 90 * 24 * 60 * minuteMs

/** Records that this minute is up, and once an hour forgets what is older than 90 days. May be done again. */
export async function recordHeartbeat({ durablePool }: Databases, now: Date): Promise<void> {
  const minute = startOfMinute(now)
  await durablePool.query('insert into heartbeats (minute) values ($1) on conflict do nothing', [minute])
  if (minute.getUTCMinutes() !== 0) return
  await durablePool.query('delete from heartbeats where minute < $1', [new Date(minute.getTime() - keptMs)])
}

/** Whether some process has recorded this minute already. */
export async function isRecorded({ customPlanPool }: Databases, minute: Date): Promise<boolean> {
  const { rowCount } = await customPlanPool.query('select from heartbeats where minute = $1', [minute])
  return rowCount !== 0
}
