import type pg from 'pg'
import { startOfDay } from '../../deals/rules.ts'
import { queueDeals } from '../../deliveries/actions.ts'
import { openCondition } from '../../searches/rules.ts'
import { initialPeace } from '../peace/peace-rules.ts'
import type { AlertDeps } from './alert-deps.ts'
import type { AlertRow } from './alert-rows.ts'

/** So many of the deals that match already are sent at most, the newest of them. */
const mostSent = 100
/** So long it may take to find them, in milliseconds. */
const findingMs = 10_000

type Matching = { id: number; price: number }

/** The newest visible deals that a search finds now. */
export async function findMatching(
  { ask, clock }: Pick<AlertDeps, 'ask' | 'clock'>,
  client: Pick<pg.ClientBase, 'query'>,
  ownerId: number | null,
  question: string,
): Promise<Matching[]> {
  const condition = openCondition(question)
  if (condition === undefined) return []
  const now = clock()
  // Where its owner is, as for whatever is matched later.
  const { rows } = await client.query<{ time_zone: string }>(
    'select time_zone from peace where user_id is not distinct from $1',
    [ownerId],
  )
  const zone = rows[0]?.time_zone ?? initialPeace.time_zone
  const moment = { now: now.getTime(), midnight: startOfDay(now, zone).getTime() }
  const signal = AbortSignal.timeout(findingMs)
  return ask({ condition, moment, sort: 'newest', limit: mostSent, signal })
}

/**
 * Queues what matches as one list, in the caller's transaction, and notes that the alert has found it, so that it isn't told of as new
 * later. What its destination was told of already is left out. Nothing is while the alert is paused, which would keep it from being sent.
 */
export async function queueMatching(
  client: pg.ClientBase,
  { id, destination_id, is_paused }: AlertRow,
  matching: readonly Matching[],
  now: Date,
): Promise<void> {
  if (matching.length === 0 || is_paused) return
  const { rows } = await client.query<{
    deal_id: number
    episode_id: number
    is_new: boolean
    price: number
  }>(
    `with given as (select * from unnest($2::bigint[], $3::numeric[]) as given (deal_id, price)),
     opened as (
       insert into alert_episodes (destination_id, deal_id, price) select $1, deal_id, price from given order by deal_id
       on conflict (destination_id, deal_id) where closed_at is null do nothing returning id, deal_id
     ), told as (
       select id, deal_id, true as is_new from opened union all
       select e.id, e.deal_id, false from alert_episodes e join given using (deal_id)
       where e.destination_id = $1 and e.closed_at is null
     ), noted as (
       -- A while ago, as it were: what is asked for is no burst that the next match would be part of.
       insert into alert_matches (alert_id, deal_id, episode_id, is_matching, price, matched_at)
       select $4, deal_id, told.id, true, price, now() - interval '1 minute' from told join given using (deal_id)
       on conflict (alert_id, deal_id) do update set
         episode_id = excluded.episode_id, is_matching = true, price = excluded.price, matched_at = excluded.matched_at
     )
     select deal_id, id as episode_id, is_new, given.price from told join given using (deal_id)`,
    [destination_id, matching.map((deal) => deal.id), matching.map(({ price }) => price), id],
  )
  const reason = 'What matched when the alert was made.'
  const hold = { kind: 'list' as const, until: now, collectedFor: null, reason }
  await queueDeals(
    client,
    rows
      .filter(({ is_new }) => is_new)
      .map(({ deal_id, episode_id, price }) => ({
        ...{ destinationId: destination_id, dealId: deal_id, episodeId: episode_id, post: 1 },
        ...{ alertIds: [id], isUrgent: false, price },
        hold,
      })),
  )
}
