import type { Databases } from '../../../platform/database/database.ts'

/** So many events are kept in any case, for instances that fell behind. */
const keptEvents = 20_000

/** Which events followers still want: those behind the slowest of them, of so many days at most (`$2`). */
const wanted = `slowest as (
    select state.revision as current, coalesce((select min(position) from followers), state.revision) as position
    from feed_state state
  ), wanted as (
    select e.revision, e.changes_id from feed_events e, slowest
    where e.revision > slowest.position and e.created_at >= now() - $2 * interval '1 day'
  )`
const oldChanges = 'deal_changes c where not exists (select from wanted w where w.changes_id = c.id)'
const isOldEvent = `e.revision <= slowest.current - $1::int
  and not exists (select from wanted w where w.revision = e.revision)`

/** The setting by which the record of changes is kept no longer. */
export type KeptDays = { CHANGES_KEPT_DAYS: number }

/** Whether there is anything for `pruneEvents` to remove. */
export async function hasOldEvents(
  { customPlanPool }: Databases,
  { CHANGES_KEPT_DAYS: days }: KeptDays,
): Promise<boolean> {
  const { rows } = await customPlanPool.query<{ due: boolean }>(
    `with ${wanted} select exists (select from ${oldChanges})
       or exists (select from feed_events e, slowest where ${isOldEvent}) as due`,
    [keptEvents, days],
  )
  return rows[0]?.due ?? false
}

/**
 * Removes what was recorded of changes that all followers have dealt with, and of any older than so many days: a follower that
 * is slower is told that it missed some. Of events the last 20,000 stay. May be called by several processes at
 * once; writers don't wait for it. Returns how many rows it removed.
 */
export async function pruneEvents(
  { durablePool }: Databases,
  { CHANGES_KEPT_DAYS: days }: KeptDays,
): Promise<{ events: number; changes: number }> {
  const { rows } = await durablePool.query<{ events: number; changes: number }>(
    `with ${wanted}, changes as (
       delete from ${oldChanges} returning 1
     ), events as (
       delete from feed_events e using slowest where ${isOldEvent} returning 1
     )
     select (select count(*) from events) as events, (select count(*) from changes) as changes`,
    [keptEvents, days],
  )
  return rows[0] ?? { events: 0, changes: 0 }
}
