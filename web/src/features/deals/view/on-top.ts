import type { Deal } from '@dealdeck/contract/deals'
import type { FeedFilters } from './filters.ts'

/** The same deals, the newest first. Of several sorts in a text the first counts. */
export function newestFirst(filters: FeedFilters): FeedFilters {
  if (filters.sort !== undefined) return { ...filters, sort: 'newest' }
  const { query } = filters
  return { ...filters, query: query.startsWith('sort:newest') ? query : `sort:newest ${query}` }
}

/** Pages with some deals on top, each of them once. */
export function putOnTop<Page extends { items: Deal[] }>(
  pages: readonly Page[],
  deals: readonly Deal[],
): Page[] {
  const onTop = new Set(deals.map(({ id }) => id))
  return pages.map((page, index) => ({
    ...page,
    items: [...(index === 0 ? deals : []), ...page.items.filter(({ id }) => !onTop.has(id))],
  }))
}
