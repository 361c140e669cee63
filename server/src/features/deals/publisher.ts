import type pg from 'pg'
import { prepared } from '../../platform/database/prepared.ts'

/** The channel on which instances notify each other of a new revision; the payload is its number. */
export const dealsChannel = 'dealdeck_deals'

/** Ids of the deals of a record whose visibility before and after meets a condition, in SQL. */
const idsWhere = (condition: string) => `array(
  select deal_id from unnest(c.deal_ids, c.old_is_visible, c.new_is_visible) as deal (deal_id, was_visible, is_visible)
  where ${condition})`

/**
 * Publishes records of changes, by their ids, each as the event of the next revision, and notifies every instance when
 * the transaction commits: `added` became visible, `removed` stopped being visible, `changed` was visible before and after;
 * `confirmed`, which streams don't tell, was only seen again.
 * Must be the last statement of the transaction: the revision's row lock makes revisions commit in order.
 * Returns the last revision, or null when nothing changed.
 */
export async function publishChanges(
  client: pg.ClientBase,
  recorded: readonly number[],
): Promise<number | null> {
  if (recorded.length === 0) return null
  const { rows } = await client.query<{ revision: number }>({
    ...publishing,
    values: [recorded, dealsChannel],
  })
  return rows[0]?.revision ?? null
}

const publishing = prepared(
  'publish changes',
  `with state as (
    update feed_state set revision = revision + cardinality($1::bigint[]) returning revision
  ), events as (
    insert into feed_events (revision, changes_id, confirmed, added, changed, removed)
    select state.revision - cardinality($1) + given.n, c.id, c.confirmed_ids,
      ${idsWhere('is_visible and was_visible is not true')},
      ${idsWhere('is_visible and was_visible')},
      ${idsWhere('was_visible and is_visible is not true')}
    from state cross join unnest($1) with ordinality as given (id, n) join deal_changes c on c.id = given.id
  )
  select revision, pg_notify($2, revision::text) from state`,
)

/**
 * Begins a new epoch, so that whoever holds a revision of the one before gets a reset and fetches everything. A revision is left
 * out, by which every other instance notices.
 */
export async function beginEpoch(pool: pg.Pool, shown: number): Promise<void> {
  await pool.query(
    `with begun as (update feed_state set epoch = default, revision = greatest(revision, $1) + 1 returning revision)
     select pg_notify($2, revision::text) from begun`,
    [shown, dealsChannel],
  )
}
