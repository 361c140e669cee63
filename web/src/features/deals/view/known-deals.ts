import type { Deal, DealPage } from '@dealdeck/contract/deals'
import type { Sort } from '@dealdeck/query/fields'
import { isGone, mergePages } from '../view.ts'
import { matcherOfFilters } from './asking.ts'
import type { FeedFilters } from './filters.ts'
import type { LastDeals } from './last-deals.ts'

/** A loaded list and when it was last known to be current, in milliseconds. */
type LoadedList = { pages: readonly DealPage[]; updatedAt: number }

/** The deals of all loaded lists, each once, and the time of the oldest list; undefined without a deal. */
export function mergeLists(lists: readonly LoadedList[]): LastDeals | undefined {
  const known = lists.filter(({ pages }) => pages.some(({ items }) => items.length > 0))
  const deals = mergePages(known.flatMap(({ pages }) => pages)).filter((deal) => !isGone(deal))
  if (deals.length === 0) return undefined
  return { deals, time: new Date(Math.min(...known.map(({ updatedAt }) => updatedAt))).toISOString() }
}

/** The known deals that pass some filters, in their order, while the server can't be asked. `now` in milliseconds. */
export function filterDeals(deals: readonly Deal[], filters: FeedFilters, now: number): Deal[] {
  // Who asks for hidden deals finds none here.
  const passes = matcherOfFilters(filters, now) ?? (() => false)
  const newer = (a: Deal, b: Deal) => Date.parse(b.first_seen) - Date.parse(a.first_seen) || b.id - a.id
  const orders: Record<Sort, (a: Deal, b: Deal) => number> = {
    newest: newer,
    updated: (a, b) => Date.parse(b.last_updated) - Date.parse(a.last_updated) || b.id - a.id,
    price: (a, b) => a.price - b.price || a.id - b.id,
    discount: (a, b) => (b.discount_percentage ?? -1) - (a.discount_percentage ?? -1) || b.id - a.id,
    best: (a, b) => bestOf(b) - bestOf(a) || b.id - a.id,
    discord: (a, b) => postedAt(b) - postedAt(a) || b.id - a.id,
  }
  return deals.filter(passes).sort(orders[filters.sort ?? 'newest'])
}

// Finite, as two without one have to be equal.
const bestOf = ({ verdict }: Deal) => verdict?.best ?? -Number.MAX_VALUE
const postedAt = ({ discord_timestamp }: Deal) => Date.parse(discord_timestamp ?? '') || -Infinity
