import type pg from 'pg'
import type { CollectedFor } from '../../platform/database/alert-tables.ts'
import { publishDeliveries } from './live.ts'
import { type Hold, holdDeals } from './sending/holding.ts'
import { notifyOutbox } from './sending/waking.ts'

/** A deal that a destination is to be told of; `post` counts the messages of its episode, from 1. */
export type NewMatch = {
  destinationId: number
  dealId: number
  episodeId: number
  post: number
  /** What it was found by. */
  alertIds: number[]
  isUrgent: boolean
  /** What the deal costs as it is told of; null: an earlier version didn't write that down. */
  price: number | null
  /** When it is sent later, as one of a list; null: at once, alone. */
  hold: null | Hold
}

/** A message is changed no sooner than this after it was sent or changed last. */
const editPause = "interval '30 seconds'"

const cannotEdit = 'The deal has changed since; what was sent there can’t be changed.'

/**
 * Writes down what is to be sent, in the caller's transaction; processes that send hear of it at its commit. A message of an
 * episode that was written down before isn't again.
 */
export async function queueDeals(client: pg.ClientBase, matches: readonly NewMatch[]): Promise<void> {
  if (matches.length === 0) return
  const single = matches.filter(({ hold }) => hold === null)
  await holdDeals(
    client,
    matches.flatMap(({ hold, ...match }) => (hold ? [{ ...match, hold }] : [])),
  )
  if (single.length < matches.length) await notifyOutbox(client)
  await tellOwners(client, [...new Set(matches.map(({ destinationId }) => destinationId))])
  if (single.length === 0) return
  // What is told alone isn't told again by the list it waited on.
  await client.query(
    `delete from delivery_deals l using deliveries y where y.id = l.delivery_id and y.state = 'held' and l.episode_id = any($1)`,
    [single.map(({ episodeId }) => episodeId)],
  )
  await client.query(
    `with given as materialized (
       select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::json[], $6::boolean[], $7::numeric[])
         with ordinality as given (destination_id, deal_id, episode_id, post, alert_ids, is_urgent, price, position)
     ), queued as (
       insert into deliveries (destination_id, kind, episode_id, post, state, is_urgent, next_at)
       select destination_id, 'deal', episode_id, post, 'queued', is_urgent, now() from given order by position
       on conflict (episode_id, post) where kind = 'deal' do nothing
       returning id, episode_id, post
     )
     insert into delivery_deals (delivery_id, deal_id, episode_id, alert_ids, price)
     select q.id, g.deal_id, g.episode_id, array(select json_array_elements_text(g.alert_ids)::bigint), g.price
     from queued q join given g on (g.episode_id, g.post) = (q.episode_id, q.post)`,
    [
      single.map(({ destinationId }) => destinationId),
      single.map(({ dealId }) => dealId),
      single.map(({ episodeId }) => episodeId),
      single.map(({ post }) => post),
      single.map(({ alertIds }) => JSON.stringify(alertIds)),
      single.map(({ isUrgent }) => isUrgent),
      single.map(({ price }) => price),
    ],
  )
  await notifyOutbox(client)
}

/** Tells the pages of whoever these destinations belong to that there is something new in the log. */
async function tellOwners(client: pg.ClientBase, destinationIds: readonly number[]): Promise<void> {
  const { rows } = await client.query<{ owner_id: number | null }>(
    'select distinct owner_id from destinations where id = any($1)',
    [destinationIds],
  )
  await publishLog(client, ...rows.map(({ owner_id }) => owner_id))
}

const publishLog = (client: pg.ClientBase, ...ownerIds: readonly (number | null)[]) =>
  publishDeliveries(
    client,
    ...ownerIds.map((ownerId) => ({ ownerId, changed: 'log' as const, destinationId: null })),
  )

/**
 * Has all messages of these episodes that were sent say what is true now, in the caller's transaction: each at the earliest half a
 * minute after it was sent or changed. However often this is called until then, it is changed once.
 */
export async function wantEdits(client: pg.ClientBase, episodeIds: readonly number[]): Promise<void> {
  if (episodeIds.length === 0) return
  // One that may be under way is looked at again by who sends it. What can't be changed is told so once.
  const { rowCount } = await client.query(
    `update deliveries set wanted_version = wanted_version + 1,
       attempts = case when state in ('sent', 'edited') and wanted_version = sent_version then 0 else attempts end,
       next_at = case when state in ('queued', 'sending') or message_id is null then next_at
         else coalesce(next_at, greatest(now(), updated_at + ${editPause})) end,
       reason = case when state not in ('queued', 'sending') and message_id is null then $2 else reason end
     where id in (select delivery_id from delivery_deals where episode_id = any($1))
       and (state in ('queued', 'sending') or (state in ('sent', 'edited') and (message_id is not null or reason = '')))`,
    [episodeIds, cannotEdit],
  )
  if (rowCount !== 0) await notifyOutbox(client)
}

/** Tells the pages of a member, or of administrators, that alerts to this destination are different; null: what holds for all. */
export async function publishAlerts(
  client: pg.ClientBase,
  ownerId: number | null,
  destinationId: number | null,
): Promise<void> {
  await publishDeliveries(client, { ownerId, changed: 'alerts', destinationId })
}

/** Has what waits for a time of a member's, or the group's, looked at anew: what keeps it waiting may be different. */
export async function releaseHeld(client: pg.ClientBase, ownerId: number | null): Promise<void> {
  // Two lists of one destination don't wait for the same instant.
  const { rowCount } = await client.query(
    `update deliveries d set next_at = now() + held.place * interval '1 millisecond' from (
       select d.id, row_number() over (order by d.id) as place from deliveries d join destinations t on t.id = d.destination_id
       where t.owner_id is not distinct from $1 and d.next_at is not null
         -- What collects, and what was due meanwhile and waits alone, such as a digest.
         and d.waits_for is not null and d.state in ('held', 'queued')
     ) held where held.id = d.id`,
    [ownerId],
  )
  if (rowCount !== 0) await publishLog(client, ownerId)
  await notifyOutbox(client)
}

/** Has digests of a member's, or the group's, that are being collected come at the times of now instead of those they were begun for. */
export async function moveDigests(
  client: pg.ClientBase,
  ownerId: number | null,
  at: { daily: Date; weekly: Date },
): Promise<void> {
  // One that is on its way is left alone.
  const { rows } = await client.query<{
    id: number
    destination_id: number
    deal_id: number
    episode_id: number
    alert_ids: number[]
    price: number | null
    reason: string
    collected_for: CollectedFor | null
    until: Date
  }>(
    `with moved as materialized (
       select d.id, d.destination_id, d.reason, d.collected_for, case when d.collected_for = 'weekly' then $3::timestamptz else $2::timestamptz end as until
       from deliveries d join destinations t on t.id = d.destination_id
       where d.state = 'held' and d.kind = 'digest' and d.next_at > now() and t.owner_id is not distinct from $1
       order by d.id for update of d skip locked
     )
     select moved.*, l.deal_id, l.episode_id, l.alert_ids, l.price from moved join deliveries d using (id)
       join delivery_deals l on l.delivery_id = moved.id where d.next_at <> moved.until`,
    [ownerId, at.daily, at.weekly],
  )
  await client.query('delete from deliveries where id = any($1)', [[...new Set(rows.map(({ id }) => id))]])
  await holdDeals(
    client,
    rows.map(({ destination_id, deal_id, episode_id, alert_ids, price, reason, collected_for, until }) => ({
      ...{
        destinationId: destination_id,
        dealId: deal_id,
        episodeId: episode_id,
        alertIds: alert_ids,
        price,
      },
      hold: { kind: 'digest', until, collectedFor: collected_for, reason },
    })),
  )
  if (rows.length > 0) await publishLog(client, ownerId)
}

/** Open episodes of a destination, the newest first, of which everything was, or is to be, told for alerts that are gone by now. */
export async function listOrphaned(
  client: pg.ClientBase,
  destinationId: number,
  limit: number,
): Promise<{ episode_id: number; deal_id: number }[]> {
  const { rows } = await client.query<{ episode_id: number; deal_id: number }>(
    `select e.id as episode_id, e.deal_id from alert_episodes e
     where e.destination_id = $1 and e.closed_at is null
       and exists (select from delivery_deals l where l.episode_id = e.id and l.alert_ids <> '{}')
       and not exists (select from delivery_deals l join alerts a on a.id = any(l.alert_ids) where l.episode_id = e.id)
     order by e.id desc limit $2`,
    [destinationId, limit],
  )
  return rows
}

/** Has an alert answer for what waits of these episodes. */
export async function adoptWaiting(
  client: pg.ClientBase,
  alertId: number,
  episodeIds: readonly number[],
): Promise<void> {
  await client.query(
    `update delivery_deals l set alert_ids = array[$1::bigint] from deliveries d
     where l.episode_id = any($2) and d.id = l.delivery_id and d.state in ('held', 'queued')`,
    [alertId, episodeIds],
  )
}
