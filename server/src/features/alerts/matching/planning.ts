import { hasFallenBy } from '../rules.ts'
import type { JudgedDeal } from './judging.ts'
import type { KnownAlert } from './known-alerts.ts'

/** An open episode of a deal that has changed. */
export type OpenEpisode = {
  id: number
  destination_id: number
  deal_id: number
  /** The lowest price that was told of. */
  price: number
  /** How many messages of its own it had. */
  posts: number
  /** Whether the destination has still to be told of it. */
  is_waiting: boolean
  /** Whether it waits for a digest. */
  is_in_digest: boolean
  /** Nobody was told after all: when its message was due the deal didn't match, or nothing could be sent there. */
  is_untold: boolean
}
/** What an alert has found of a deal that has changed. */
export type StoredMatch = {
  alert_id: number
  deal_id: number
  episode_id: number | null
  is_matching: boolean
}

/** A deal that a destination is to be told of. `episode` is null for a new one. */
type Post = {
  destinationId: number
  dealId: number
  price: number
  off: number | null
  episode: OpenEpisode | null
  alerts: KnownAlert[]
}

/** What follows from changes. Episodes and matches by id. */
export type Plan = {
  closed: number[]
  edited: number[]
  posts: Post[]
  /** Alerts that find a deal of which their destination was told already. */
  joined: { episode: OpenEpisode; alert: KnownAlert; price: number }[]
  /** Whether an alert still finds what it has found. */
  turned: { alertId: number; dealId: number; isMatching: boolean }[]
}

/**
 * What is to be done after changes of deals, by what was told of them so far. A destination is told of a deal at the first match, when it
 * reaches a price that is waited for, when its price has fallen by a further share, and after it was gone; whatever else changes is said by the
 * messages that are there.
 */
export function planOf(
  judged: readonly JudgedDeal[],
  open: readonly OpenEpisode[],
  stored: readonly StoredMatch[],
): Plan {
  const plan: Plan = { closed: [], edited: [], posts: [], joined: [], turned: [] }
  const openOf = Map.groupBy(open, (episode) => episode.deal_id)
  const storedOf = Map.groupBy(stored, (match) => match.deal_id)
  for (const deal of judged)
    planDeal(plan, deal, openOf.get(deal.dealId) ?? [], storedOf.get(deal.dealId) ?? [])
  return plan
}

function planDeal(
  plan: Plan,
  deal: JudgedDeal,
  open: readonly OpenEpisode[],
  stored: readonly StoredMatch[],
): void {
  const { dealId, price, off, wasGone, matching } = deal
  if (wasGone) plan.closed.push(...open.map(({ id }) => id))
  else if (deal.isRepriced) plan.edited.push(...open.map(({ id }) => id))
  const found = new Set(matching.map(({ alert }) => alert.id))
  for (const { alert_id: alertId, is_matching, episode_id } of stored) {
    const isClosed = wasGone && open.some(({ id }) => id === episode_id)
    const isMatching = found.has(alertId) && !isClosed
    if (is_matching !== isMatching) plan.turned.push({ alertId, dealId, isMatching })
  }
  if (price === null) return
  const knownBy = new Map(stored.map((match) => [match.alert_id, match]))
  for (const [destinationId, all] of Map.groupBy(matching, ({ alert }) => alert.destination_id)) {
    const known = wasGone ? null : (open.find((one) => one.destination_id === destinationId) ?? null)
    // What nobody heard of is told at the next edge, as if it were the first.
    const untold = known?.is_untold && all.some(({ isEdge }) => isEdge) ? known : null
    if (untold) plan.closed.push(untold.id)
    const episode = untold ? null : known
    const isTold = ({ id }: KnownAlert) => episode !== null && knownBy.get(id)?.episode_id === episode.id
    const isNew = ({ alert, isEdge }: (typeof all)[number]) =>
      (untold !== null && knownBy.get(alert.id)?.episode_id === untold.id) ||
      (!isTold(alert) && isEdge && (wasGone || !knownBy.get(alert.id)?.is_matching))
    const [told, fresh] = [all.filter(({ alert }) => isTold(alert)), all.filter(isNew)]
    const alerts = [...told, ...fresh].map(({ alert }) => alert)
    if (alerts.length === 0) continue
    const percent = Math.min(...alerts.map(({ again_percent }) => again_percent))
    const hasFallen = episode !== null && hasFallenBy(episode.price, price, percent)
    const isAwaited =
      // A further search has found it, or it has become cheap enough.
      (episode?.is_waiting &&
        (fresh.length > 0 || deal.isRepriced) &&
        alerts.some((alert) => isUrgent(alert, price, off))) ||
      (episode?.is_in_digest && fresh.some(({ alert }) => alert.mode === 'now'))
    // Once: from then on it has told of the deal in this episode.
    const isReached = fresh.some(({ alert }) => alert.isTarget)
    if (!episode || hasFallen || isAwaited || isReached)
      plan.posts.push({ destinationId, dealId, price, off, episode, alerts })
    else for (const { alert } of fresh) plan.joined.push({ episode, alert, price })
  }
}

export type Urgency = Pick<KnownAlert, 'urgent_off' | 'urgent_below'>

/** Whether an alert is told of a deal whatever the hour. */
export function isUrgent(alert: Urgency, price: number, off: number | null): boolean {
  const { urgent_off, urgent_below } = alert
  return (
    (urgent_off !== null && off !== null && off >= urgent_off) ||
    (urgent_below !== null && price < urgent_below)
  )
}
