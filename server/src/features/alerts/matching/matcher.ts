import type pg from 'pg'
import type { Clock } from '../../../platform/clock.ts'
import type { ReadChanges } from '../../deals/following/changes.ts'
import { readFacts } from '../../deals/following/facts.ts'
import type { Handler } from '../../deals/following/follower.ts'
import { queueDeals, wantEdits } from '../../deliveries/actions.ts'
import {
  closeEpisodes,
  nameAlerts,
  openEpisodes,
  readFound,
  reviewEpisodes,
  turnMatches,
  writeMatches,
} from './episodes.ts'
import { holdMatches } from './holding-matches.ts'
import { changesByDeal, type JudgedDeal, judgeDeal, Moments } from './judging.ts'
import { KnownAlerts } from './known-alerts.ts'
import { LongThought } from './long-thought.ts'
import { type Plan, planOf } from './planning.ts'

/**
 * Judges changes of deals once against all alerts, and writes what follows with the follower's transaction: matches, episodes,
 * and what is to be sent. Of what isn't known any more nothing is sent; what was sent says what is true now.
 */
export function matcher({ clock }: { clock: Clock }): Handler {
  const alerts = new KnownAlerts()
  return async (changes, client) => {
    if (!(await alerts.refresh(client))) return undefined
    if (changes.hasMissed) await wantEdits(client, await reviewEpisodes(client))
    else await match(alerts, changes, client, clock())
    return undefined
  }
}

async function match(
  alerts: KnownAlerts,
  changes: ReadChanges,
  client: pg.ClientBase,
  now: Date,
): Promise<void> {
  const byDeal = changesByDeal(changes)
  if (byDeal.size === 0) return
  const { open, stored } = await readFound(client, [...byDeal.keys()])
  // Without alerts there are only messages to be kept true.
  const dealIds = alerts.isEmpty ? [...new Set(open.map(({ deal_id }) => deal_id))] : [...byDeal.keys()]
  const facts = await readFacts(client, dealIds)
  const moments = new Moments(now)
  const thought = new LongThought(client)
  const judged: JudgedDeal[] = []
  for (const dealId of dealIds) {
    await thought.pause()
    judged.push(judgeDeal(alerts, dealId, byDeal.get(dealId) ?? [], facts.get(dealId) ?? null, moments))
  }
  await write(client, planOf(judged, open, stored), now)
}

async function write(client: pg.ClientBase, plan: Plan, now: Date): Promise<void> {
  const { closed, edited, joined, turned } = plan
  await closeEpisodes(client, closed)
  // Episodes first, as by whoever changes an alert: neither waits for what the other has.
  const posts = await openEpisodes(client, plan.posts)
  await turnMatches(client, turned)
  // Before these are written down, so that none is counted twice.
  const queued = await holdMatches(client, posts, now)
  const told = posts.flatMap(({ alerts, dealId, episodeId, price }) =>
    alerts.map(({ id: alertId }) => ({ alertId, dealId, episodeId, price })),
  )
  const named = joined.map(({ alert, episode, price }) => ({
    ...{ alertId: alert.id, dealId: episode.deal_id, episodeId: episode.id, price },
  }))
  await writeMatches(client, [...told, ...named])
  await nameAlerts(client, joined)
  const changed = new Set([...closed, ...edited, ...joined.map(({ episode }) => episode.id)])
  await wantEdits(client, [...changed])
  await queueDeals(client, queued)
}
