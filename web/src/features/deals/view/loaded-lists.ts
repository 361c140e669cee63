import type { Deal } from '@dealdeck/contract/deals'
import type { QueryClient, QueryFilters } from '@tanstack/react-query'
import { type DealPages, listKey } from '../api.ts'
import { mergePages, removeFromPages, updatePages } from '../view.ts'

type Pages = DealPages['pages']

/** Until no list is on its way, or it has failed: its answer takes back what is put into it before. */
export async function listsFetched(queries: QueryClient): Promise<void> {
  const fetching = queries.getQueryCache().findAll({ queryKey: listKey, fetchStatus: 'fetching' })
  await Promise.allSettled(fetching.map(({ promise }) => promise))
}

/** The deals of these lists, each once. */
export function loadedDeals(queries: QueryClient, lists: QueryFilters): Deal[] {
  return mergePages(queries.getQueriesData<DealPages>(lists).flatMap(([, data]) => data?.pages ?? []))
}

function changePages(queries: QueryClient, change: (pages: Pages) => Pages): void {
  queries.setQueriesData<DealPages>(
    { queryKey: listKey },
    (data) => data && { ...data, pages: change(data.pages) },
  )
}

/** Puts these deals, as they are now, into every loaded list that has them, once none is on its way. */
export async function updateLists(queries: QueryClient, deals: readonly Deal[]): Promise<void> {
  await listsFetched(queries)
  const updated = new Map(deals.map((deal) => [deal.id, deal]))
  changePages(queries, (pages) => updatePages(pages, updated))
}

/** Takes removed deals out of the lists on screen, but for the first `reached`. */
export function removeFromLists(queries: QueryClient, removed: ReadonlySet<number>, reached: number): void {
  if (removed.size > 0) changePages(queries, (pages) => removeFromPages(pages, removed, reached))
}

/** Forgets the lists that aren't on screen and have such a deal: who goes back to one has it fetched anew, and finds their place. */
export function forgetLists(queries: QueryClient, isOld: (id: number) => boolean): void {
  queries.removeQueries({
    ...{ queryKey: listKey, type: 'inactive' },
    predicate: ({ queryKey }) => loadedDeals(queries, { queryKey, exact: true }).some(({ id }) => isOld(id)),
  })
}
