import type pg from 'pg'
import type { Databases } from '../../platform/database/database.ts'
import type { DealChanges } from './actions.ts'

/** The channel on which instances tell each other of a new revision; the payload is its number. */
export const dealsChannel = 'dealdeck_deals'

/** Ids in one event at most: an event stays far below what proxies and browsers buffer. */
const idsPerEvent = 1000

/** How many events are kept for instances that fell behind. */
const keptEvents = 20_000
/** Rows that one statement deletes. */
const prunedAtOnce = 5_000

/**
 * Records the changes under the next revision(s) and notifies every instance when the transaction commits.
 * Must be the last statement of the transaction: the revision's row lock makes revisions commit in order.
 * Returns the last revision, or null when nothing changed.
 */
export async function publishChanges(client: pg.ClientBase, changes: DealChanges): Promise<number | null> {
  const events = splitChanges(changes)
  if (events.length === 0) return null
  const { rows } = await client.query<{ revision: number }>(
    'update feed_state set revision = revision + $1 returning revision',
    [events.length],
  )
  const last = rows[0]?.revision ?? 0
  for (const [index, event] of events.entries()) {
    await client.query(
      'insert into feed_events (revision, added, changed, removed) values ($1, $2, $3, $4)',
      [last - events.length + 1 + index, event.added, event.changed, event.removed],
    )
  }
  await client.query('select pg_notify($1, $2)', [dealsChannel, String(last)])
  return last
}

const oldEvents = `from feed_events where revision <= (select revision from feed_state) - ${keptEvents}`

/** Whether there are events that nobody needs any more. */
export async function hasOldEvents({ customPlanPool }: Databases): Promise<boolean> {
  const { rowCount } = await customPlanPool.query(`select ${oldEvents} limit 1`)
  return rowCount !== 0
}

/** Deletes the events that nobody needs any more, in pieces, until `signal` is aborted. */
export async function pruneEvents({ durablePool }: Databases, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rowCount } = await durablePool.query(
      `delete from feed_events where revision in (select revision ${oldEvents} order by revision limit ${prunedAtOnce})`,
    )
    if (signal.aborted || (rowCount ?? 0) < prunedAtOnce) return
  }
}

/** Cuts changes into events of at most `idsPerEvent` ids each, in order; no event for no change. */
export function splitChanges(changes: DealChanges): DealChanges[] {
  const events: DealChanges[] = []
  let current: DealChanges = { added: [], changed: [], removed: [] }
  let size = 0
  for (const kind of ['added', 'changed', 'removed'] as const) {
    for (const id of changes[kind]) {
      current[kind].push(id)
      size += 1
      if (size === idsPerEvent) {
        events.push(current)
        current = { added: [], changed: [], removed: [] }
        size = 0
      }
    }
  }
  if (size > 0) events.push(current)
  return events
}

/**
 * Begins a new epoch, so that whoever holds a revision of the one before is told to fetch everything. A revision is left
 * out, by which every other instance notices.
 */
export async function beginEpoch(pool: pg.Pool, shown: number): Promise<void> {
  await pool.query(
    `with begun as (update feed_state set epoch = default, revision = greatest(revision, $1) + 1 returning revision)
     select pg_notify($2, revision::text) from begun`,
    [shown, dealsChannel],
  )
}
