import { deliveriesKeptDays } from '@dealdeck/contract/deliveries'
import type { Databases } from '../../../platform/database/database.ts'

/** Rows deleted in one statement. */
const atOnce = 1_000

// What still has to say what becomes of its deal is kept, though the log shows it no more.
const isOld = `created_at < now() - interval '${deliveriesKeptDays} days' and next_at is null and (message_id is null or not exists (
  select from delivery_deals l join alert_episodes e on e.id = l.episode_id where l.delivery_id = deliveries.id and e.closed_at is null))`
const isUnused = "as_of < now() - interval '1 day' and (blocked_until is null or blocked_until < now())"

/** Whether there is anything for `pruneDeliveries` to remove. */
export async function hasOldDeliveries({ customPlanPool }: Databases): Promise<boolean> {
  const { rowCount } = await customPlanPool.query(
    `(select from deliveries where ${isOld} limit 1) union all (select from delivery_limits where ${isUnused} limit 1)`,
  )
  return rowCount !== 0
}

/** Forgets what was sent so long ago, and limits that nobody has asked for lately, piece by piece, until the signal is aborted. */
export async function pruneDeliveries({ durablePool }: Databases, signal: AbortSignal): Promise<void> {
  await durablePool.query(`delete from delivery_limits where ${isUnused}`)
  for (let count: number | null = atOnce; count === atOnce && !signal.aborted; ) {
    ;({ rowCount: count } = await durablePool.query(
      `delete from deliveries where id in (select id from deliveries where ${isOld} order by created_at limit ${atOnce})`,
    ))
  }
}
