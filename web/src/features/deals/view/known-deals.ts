import type { Deal } from '@dealdeck/contract/deals'
import type { FeedFilters, FeedSort } from './filters.ts'

/** The known deals that pass some filters, in their order, while the server can't be asked. `now` in milliseconds. */
export function filterDeals(deals: readonly Deal[], filters: FeedFilters, now: number): Deal[] {
  const words = fold(filters.query)
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const { min, max, minDiscount, minRating } = filters
  const passes = (deal: Deal) =>
    fold(deal.title).includes(words) &&
    (min === null || deal.price >= min) &&
    (max === null || deal.price <= max) &&
    (minDiscount === null || (deal.discount_percentage ?? -1) >= minDiscount) &&
    (minRating === null || (deal.rating ?? -1) >= minRating) &&
    (!filters.discountedOnly || deal.discount_percentage !== null) &&
    (!filters.primeOnly || deal.prime_eligible) &&
    (!filters.todayOnly || Date.parse(deal.first_seen) >= midnight)
  const newer = (a: Deal, b: Deal) => Date.parse(b.first_seen) - Date.parse(a.first_seen) || b.id - a.id
  const orders: Record<FeedSort, (a: Deal, b: Deal) => number> = {
    newest: newer,
    updated: (a, b) => Date.parse(b.last_updated) - Date.parse(a.last_updated) || b.id - a.id,
    price: (a, b) => a.price - b.price || a.id - b.id,
    discount: (a, b) => (b.discount_percentage ?? -1) - (a.discount_percentage ?? -1) || b.id - a.id,
  }
  return deals.filter(passes).sort(orders[filters.sort])
}

/** A text as the server's search compares it. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase()
