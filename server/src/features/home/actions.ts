import { type Databases, unwaitedHere } from '../../platform/database/database.ts'
import { minuteMs, startOfMinute } from './rules.ts'

const retentionMs = 90 * 24 * 60 * minuteMs
/** So far two clocks may part without harm, in seconds. */
const clockToleranceSeconds = 3_600

/**
 * Records that this minute is up, and once an hour forgets what is older than 90 days. May be done again. Throws where this
 * machine's clock is far ahead of the database's: what it deletes would be lost to all others.
 */
export async function recordHeartbeat({ durablePool }: Databases, now: Date): Promise<void> {
  const minute = startOfMinute(now)
  const { rows } = await durablePool.query<{ ahead: number }>(
    'select extract(epoch from $1::timestamptz - now())::float8 as ahead',
    [minute],
  )
  const ahead = rows[0]?.ahead ?? 0
  if (ahead > clockToleranceSeconds)
    throw new Error(`This machine's clock is ${Math.round(ahead)} seconds ahead of the database's`)
  // A minute may be lost: while a standby is away, each would keep a connection from others for as long as one is waited for.
  await durablePool.query(
    `with ${unwaitedHere} insert into heartbeats (minute) select $1::timestamptz from unwaited on conflict do nothing`,
    [minute],
  )
  if (minute.getUTCMinutes() !== 0) return
  await durablePool.query('delete from heartbeats where minute < $1', [
    new Date(minute.getTime() - retentionMs),
  ])
}

/** Whether some process has recorded this minute already. */
export async function isRecorded({ customPlanPool }: Databases, minute: Date): Promise<boolean> {
  const { rowCount } = await customPlanPool.query('select from heartbeats where minute = $1', [minute])
  return rowCount !== 0
}
