import { deliveriesKeptDays } from '@dealdeck/contract/deliveries'
import type pg from 'pg'
import type { OpenEpisode, Plan, StoredMatch } from './planning.ts'
import { toldPrice } from './told-price.ts'

// Deal by deal, and each message by its key: left the choice, PostgreSQL reads all that waits, and all episodes, for some busy deals.
// Planned at each call, as the tables are by then.
const openOfDeals = `select e.id, e.destination_id, e.deal_id, of_episode.price,
     (select coalesce(max(post), 0) from deliveries where episode_id = e.id and kind = 'deal') as posts,
     coalesce(is_waiting, false) as is_waiting, coalesce(is_in_digest, false) as is_in_digest,
     -- What the log has forgotten was told.
     e.opened_at > now() - interval '${deliveriesKeptDays} days' and is_told is not true as is_untold
   from unnest($1::bigint[]) as given (deal_id)
     cross join lateral (select * from alert_episodes where deal_id = given.deal_id and closed_at is null offset 0) e
     cross join lateral (
       select bool_or(state = 'held') as is_waiting, bool_or(state = 'held' and d.kind = 'digest') as is_in_digest,
         bool_or(state <> 'skipped') as is_told,
         ${toldPrice} as price
       from (select delivery_id, price from delivery_deals where episode_id = e.id offset 0) l
         cross join lateral (select state, kind from deliveries where id = l.delivery_id offset 0) d
     ) of_episode
   order by e.id`

/** What is known of these deals: their open episodes, and what found them. */
export async function readFound(
  client: pg.ClientBase,
  dealIds: readonly number[],
): Promise<{ open: OpenEpisode[]; stored: StoredMatch[] }> {
  const { rows: open } = await client.query<OpenEpisode>(openOfDeals, [dealIds])
  const { rows: stored } = await client.query<StoredMatch>(
    'select alert_id, deal_id, episode_id, is_matching from alert_matches where deal_id = any($1)',
    [dealIds],
  )
  return { open, stored }
}

/** Ends episodes: what found their deals finds them no more. */
export async function closeEpisodes(client: pg.ClientBase, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await client.query('update alert_episodes set closed_at = now() where id = any($1)', [ids])
  await client.query(
    'update alert_matches set is_matching = false where episode_id = any($1) and is_matching',
    [ids],
  )
}

/** Writes which alerts find, or don't find any more, what they have found before. */
export async function turnMatches(client: pg.ClientBase, turned: Plan['turned']): Promise<void> {
  if (turned.length === 0) return
  await client.query(
    `update alert_matches m set is_matching = given.is_matching
     from unnest($1::bigint[], $2::bigint[], $3::boolean[]) as given (alert_id, deal_id, is_matching)
     where m.alert_id = given.alert_id and m.deal_id = given.deal_id`,
    [
      turned.map(({ alertId }) => alertId),
      turned.map(({ dealId }) => dealId),
      turned.map(({ isMatching }) => isMatching),
    ],
  )
}

type Post = Plan['posts'][number]
type Opened = { id: number; destination_id: number; deal_id: number; is_new: boolean }

/**
 * Opens the episodes of what is told of for the first time, and notes what is told of again. Returns the posts with their episodes; without
 * those whose destination is gone meanwhile, or is told by its owner, who has had sent what matches now.
 */
export async function openEpisodes(
  client: pg.ClientBase,
  posts: readonly Post[],
): Promise<(Post & { episodeId: number })[]> {
  if (posts.length === 0) return []
  const { rows } = await client.query<Opened>(
    `insert into alert_episodes as e (destination_id, deal_id, price)
     select d.id, given.deal_id, given.price
     from unnest($1::bigint[], $2::bigint[], $3::numeric[]) as given (destination_id, deal_id, price)
       join destinations d on d.id = given.destination_id
     order by d.id, given.deal_id
     on conflict (destination_id, deal_id) where closed_at is null do update set price = least(e.price, excluded.price)
     returning id, destination_id, deal_id, xmax = 0 as is_new`,
    [
      posts.map(({ destinationId }) => destinationId),
      posts.map(({ dealId }) => dealId),
      posts.map(({ price }) => price),
    ],
  )
  const opened = new Map(rows.map((one) => [`${one.destination_id} ${one.deal_id}`, one]))
  return posts.flatMap((post) => {
    const one = opened.get(`${post.destinationId} ${post.dealId}`)
    return one && (one.is_new || post.episode) ? [{ ...post, episodeId: one.id }] : []
  })
}

type Found = { alertId: number; dealId: number; episodeId: number; price: number }

/** Writes what alerts have found, and when they did. */
export async function writeMatches(client: pg.ClientBase, found: readonly Found[]): Promise<void> {
  if (found.length === 0) return
  await client.query(
    `with given as materialized (
       select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::numeric[]) as given (alert_id, deal_id, episode_id, price)
     ), noted as (
       -- To within a minute: busy ones aren't written each time. One that is being changed isn't waited for, as that may wait for an episode of this.
       update alerts set last_matched_at = now() where id in (
         select id from alerts where id in (select alert_id from given)
           and (last_matched_at > now() - interval '1 minute') is not true for no key update skip locked
       )
     )
     insert into alert_matches as m (alert_id, deal_id, episode_id, is_matching, price)
     select a.id, given.deal_id, given.episode_id, true, given.price from given join alerts a on a.id = given.alert_id
     on conflict (alert_id, deal_id) do update set is_matching = true, matched_at = now(), episode_id = excluded.episode_id,
       price = case when m.episode_id = excluded.episode_id then least(m.price, excluded.price) else excluded.price end`,
    [
      found.map(({ alertId }) => alertId),
      found.map(({ dealId }) => dealId),
      found.map(({ episodeId }) => episodeId),
      found.map(({ price }) => price),
    ],
  )
}

/** Names further alerts in what is, or was, sent of their episodes. */
export async function nameAlerts(client: pg.ClientBase, joined: Plan['joined']): Promise<void> {
  if (joined.length === 0) return
  await client.query(
    `update delivery_deals l set alert_ids = array(select distinct unnest(l.alert_ids || given.alert_ids) order by 1)
     from (
       select episode_id, array_agg(alert_id) as alert_ids
       from unnest($1::bigint[], $2::bigint[]) as one (episode_id, alert_id) group by episode_id
     ) given where l.episode_id = given.episode_id`,
    [joined.map(({ episode }) => episode.id), joined.map(({ alert }) => alert.id)],
  )
}

/** Episodes whose deal nobody sees are closed; returns all that were open. For when it isn't known what has happened. */
export async function reviewEpisodes(client: pg.ClientBase): Promise<number[]> {
  const { rows } = await client.query<{ id: number; is_visible: boolean }>(
    `select e.id, exists (select from deals d where d.id = e.deal_id and d.is_visible) as is_visible
     from alert_episodes e where e.closed_at is null`,
  )
  await closeEpisodes(
    client,
    rows.flatMap(({ id, is_visible }) => (is_visible ? [] : [id])),
  )
  return rows.map(({ id }) => id)
}
