import { routes } from 'virtual:later-routes'
import { pricePathsOf } from '@dealdeck/contract/preloads'
import type { PricePoint, Verdict } from '@dealdeck/contract/prices'
import { queryOptions } from '@tanstack/react-query'
import { laterClient } from '../../platform/later-client.ts'
import { preloadedAnswer } from '../../platform/preloaded-answer.ts'

/** Everything that is known of one deal's prices. */
export const pricesKey = (id: number) => ['prices', id] as const

/** The prices of a deal that were seen, oldest first. */
export function pricesQuery(id: number) {
  return queryOptions({
    queryKey: [...pricesKey(id), 'points'],
    queryFn: ({ signal }) => laterClient.prices.list({ id }, { signal }),
    ...preloadedAnswer<PricePoint[]>(pricePathsOf(routes, id).list),
  })
}

/** What they say of the price now. */
export function verdictQuery(id: number) {
  return queryOptions({
    queryKey: [...pricesKey(id), 'verdict'],
    queryFn: ({ signal }) => laterClient.prices.verdict({ id }, { signal }),
    ...preloadedAnswer<Verdict>(pricePathsOf(routes, id).verdict),
  })
}

/** Says for all that a price is wrong, or takes that back. For administrators. */
export function markPrice(id: number, { seen_at }: PricePoint, is_wrong: boolean): Promise<PricePoint> {
  return laterClient.prices.mark({ id, seen_at, is_wrong })
}
