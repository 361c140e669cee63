import type { QueryClient } from '@tanstack/react-query'
import { client } from '../../../platform/client.ts'
import { type DealPages, listQuery, listQuestion } from '../api.ts'
import { pageSize } from '../view.ts'
import type { FeedFilters } from './filters.ts'
import type { News } from './new-deals.ts'
import { putOnTop } from './on-top.ts'

/**
 * Puts new deals on top of the newest-first list of some filters, which is fetched where it isn't here or where there are
 * more new ones than these. Throws when that fails; then nothing has changed.
 */
export async function showOnTop(queries: QueryClient, filters: FeedFilters, news: News): Promise<void> {
  const { queryKey } = listQuery(filters, 0)
  const isLive = queries.getQueryCache().find({ queryKey })?.isActive() === true
  if (news.hasMore || !isLive || queries.getQueryData(queryKey) === undefined) {
    const page = await client.deals.list(listQuestion(filters))
    queries.setQueryData<DealPages>(queryKey, { pages: [page], pageParams: [{ limit: pageSize }] })
  }
  queries.setQueryData<DealPages>(
    queryKey,
    (data) => data && { ...data, pages: putOnTop(data.pages, news.hasMore ? [] : news.deals) },
  )
}
