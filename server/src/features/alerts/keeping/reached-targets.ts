import { deliveriesKeptDays } from '@dealdeck/contract/deliveries'
import type pg from 'pg'
import { readFacts } from '../../deals/following/facts.ts'
import { queueDeals } from '../../deliveries/actions.ts'
import { holdMatches } from '../matching/holding-matches.ts'
import { toldPrice } from '../matching/told-price.ts'
import type { AlertRow } from './alert-rows.ts'

/**
 * Tells of a target price that is reached already, in the caller's transaction: as the matcher does, once in the deal's episode, also where a
 * search has told of the deal at more than it, and again where all that told of it was left out.
 */
export async function tellReached(client: pg.ClientBase, alert: AlertRow, now: Date): Promise<void> {
  const { deal_id: dealId, destination_id: destinationId, target_price, is_paused } = alert
  if (dealId === null || target_price === null || is_paused) return
  // A price that is being written is waited for: who tells of its change doesn't know yet that this alert waits for it.
  await client.query('select from deals where id = $1 for share', [dealId])
  const facts = (await readFacts(client, [dealId])).get(dealId)
  if (!facts || facts.price > target_price) return
  const { price, off } = facts
  // Another one's, too, that was being written; nobody closes it until the end.
  await client.query(
    `insert into alert_episodes as e (destination_id, deal_id, price) values ($1, $2, $3)
     on conflict (destination_id, deal_id) where closed_at is null do update set price = e.price`,
    [destinationId, dealId, price],
  )
  const { rows } = await client.query<{
    id: number
    posts: number
    is_cheap: boolean
    is_known: boolean
    is_told: boolean
  }>(
    `select e.id, coalesce(max(d.post) filter (where d.kind = 'deal'), 0) as posts,
       ${toldPrice} <= $4 as is_cheap,
       exists (select from alert_matches where alert_id = $3 and episode_id = e.id) as is_known,
       -- What the log has forgotten was told.
       coalesce(bool_or(d.state <> 'skipped'), false) or e.opened_at <= now() - interval '${deliveriesKeptDays} days' as is_told
     from alert_episodes e left join delivery_deals l on l.episode_id = e.id left join deliveries d on d.id = l.delivery_id
     where e.destination_id = $1 and e.deal_id = $2 and e.closed_at is null group by e.id`,
    [destinationId, dealId, alert.id, target_price],
  )
  const [episode] = rows
  if (!episode || (episode.is_told && episode.is_known)) return
  const post = { destinationId, dealId, price, off, episode, episodeId: episode.id, alerts: [alert] }
  // Before it is written down that it was found, so that it isn't counted twice.
  const queued = await holdMatches(client, [post], now)
  await client.query(
    `with lowered as (update alert_episodes set price = least(price, $4) where id = $3)
     insert into alert_matches as m (alert_id, deal_id, episode_id, is_matching, price) values ($1, $2, $3, true, $4)
     on conflict (alert_id, deal_id) do update set episode_id = excluded.episode_id, is_matching = true, matched_at = now(),
       price = case when m.episode_id = excluded.episode_id then least(m.price, excluded.price) else excluded.price end`,
    [alert.id, dealId, episode.id, price],
  )
  // A search, or one that was removed and is brought back, has told of a price as low as it waits for.
  if (episode.is_told && episode.is_cheap) return
  await queueDeals(client, queued)
}
