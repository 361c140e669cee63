import { routes } from 'virtual:contract-routes'
import type { Deal, DealHiding } from '@dealdeck/contract/deals'
import { addressOf } from '@dealdeck/contract/preloads'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client } from '../../../platform/client.ts'
import { preloadedAnswer } from '../../../platform/preloaded-answer.ts'
import { type DealPages, listKey, newestQuery } from '../api.ts'

/** A deal by its ASIN: at first as the page brought it, or as a list on this page has shown it. */
export function dealByAsinQuery(asin: string, queries: QueryClient) {
  const brought = preloadedAnswer<Deal>(addressOf(routes.deals.getByAsin, asin))
  const listed = brought.initialData ? undefined : listedDeal(asin, queries)
  return queryOptions({
    queryKey: ['deals', 'asin', asin],
    queryFn: ({ signal }) => client.deals.getByAsin({ asin }, { signal }),
    // Lists leave things out: it is asked for at once, and shown as of its list until then.
    ...(listed ? { initialData: listed.deal, initialDataUpdatedAt: listed.time, staleTime: 0 } : brought),
  })
}

/** Whether an administrator hides a deal. Asked anew with the deal, whose key begins as this one. */
export function dealHidingQuery({ id, asin }: Deal) {
  return queryOptions({
    queryKey: ['deals', 'asin', asin, 'hiding'],
    queryFn: ({ signal }) => client.deals.hiding({ id }, { signal }),
  })
}

/** Hides a deal from all members, or shows it again. */
export function hideDeal(id: number, is_hidden: boolean): Promise<DealHiding> {
  return client.deals.hide({ id, is_hidden })
}

function listedDeal(asin: string, queries: QueryClient): { deal: Deal; time: number } | undefined {
  const lists = queries
    .getQueriesData<DealPages>({ queryKey: listKey })
    .map(([key, data]) => ({ key, deals: data?.pages.flatMap(({ items }) => items) }))
  const newest = { key: newestQuery.queryKey, deals: queries.getQueryData(newestQuery.queryKey) }
  for (const { key, deals } of [...lists, newest]) {
    const deal = deals?.find((one) => one.asin === asin)
    if (deal) return { deal, time: queries.getQueryState(key)?.dataUpdatedAt ?? 0 }
  }
  return undefined
}
