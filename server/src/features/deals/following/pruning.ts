import type { Databases } from '../../../platform/database/database.ts'

/** So many events are never pruned, for instances that fell behind. */
const keptEvents = 20_000

/** Rows deleted in one statement: records hold up to a thousand deals each. */
const [changesAtOnce, eventsAtOnce] = [200, 5_000]

/** Which events followers still want: those behind the slowest of them, of so many days at most (`$2`). */
const wanted = `slowest as (
    select state.revision as current, coalesce((select min(position) from followers where position >= 0), state.revision) as position
    from feed_state state
  ), wanted as (
    select e.revision, e.changes_id from feed_events e, slowest
    where e.revision > slowest.position and e.created_at >= now() - $2 * interval '1 day'
  )`
const oldChanges = 'deal_changes c where not exists (select from wanted w where w.changes_id = c.id)'
const isOldEvent = `e.revision <= slowest.current - $1::int
  and not exists (select from wanted w where w.revision = e.revision)`

/** The setting by which the record of changes is pruned. */
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
 * is slower is told that it missed some. Of events the last 20,000 stay. Works in pieces until `signal` is aborted, and
 * throws its reason then. May be called by several processes at once; writers don't wait for it. Returns how many rows it
 * removed.
 */
export async function pruneEvents(
  { durablePool }: Databases,
  { CHANGES_KEPT_DAYS: days }: KeptDays,
  signal?: AbortSignal,
): Promise<{ events: number; changes: number }> {
  const removed = { events: 0, changes: 0 }
  for (;;) {
    signal?.throwIfAborted()
    const { rows } = await durablePool.query<{ events: number; changes: number }>(
      `with ${wanted}, changes as (
         delete from deal_changes where id in (
           select c.id from ${oldChanges} order by c.id limit ${changesAtOnce} for update of c skip locked
         ) returning 1
       ), events as (
         delete from feed_events where revision in (
           select e.revision from feed_events e, slowest where ${isOldEvent}
           order by e.revision limit ${eventsAtOnce} for update of e skip locked
         ) returning 1
       )
       select (select count(*) from events) as events, (select count(*) from changes) as changes`,
      [keptEvents, days],
    )
    const { events, changes } = rows[0] ?? { events: 0, changes: 0 }
    removed.events += events
    removed.changes += changes
    if (events < eventsAtOnce && changes < changesAtOnce) return removed
  }
}
