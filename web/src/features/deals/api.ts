import type { Deal, DealPage } from '@dealdeck/contract/deals'
import { newestQuestion } from '@dealdeck/contract/preloads'
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import { api, client } from '../../platform/client.ts'
import { deviceKeys } from '../../platform/device-keys.ts'
import { deviceZone } from '../../platform/device-zone.ts'
import { isUnreachable, retryWhileFailedMs } from '../../platform/recovery.ts'
import { readSessionHint } from '../../platform/session-hint.ts'
import { writeStored } from '../../platform/storage.ts'
import { countInput, type FeedFilters, firstMaxPrice, listInput } from './view/filters.ts'
import { fetchLanguage } from './view/language.ts'
import { largestPage, mergePages, pageSize } from './view.ts'

/** Which page to ask for; without a cursor the first. */
type PageRequest = { cursor?: string; limit: number }
/** `revision`: that of the list, or an earlier one; undefined where the server knew none. */
type ListedPage = DealPage & { revision?: string | undefined }
export type DealPages = InfiniteData<ListedPage, PageRequest>

const loadingMoreMs = 500

/** Every loaded list of deals, whatever its filters. */
export const listKey = ['deals', 'pages'] as const

/** The figures over all deals, asked for again soon where they are of a moment ago: no event says when they can be had. */
export const statsQuery = api.deals.stats.queryOptions({
  refetchInterval: ({ state }) => state.data?.is_changing === true && 5_000,
})

/** How many deals some filters leave; in step with the figures over all deals. */
export function countQuery(filters: FeedFilters) {
  const question = countQuestion(filters)
  return queryOptions({
    queryKey: [...countKey, question],
    queryFn: ({ signal }) => client.deals.count(question, { signal }),
    retry: false,
  })
}
export const countKey = ['deals', 'count'] as const

/** What is asked to count the deals of some filters. */
export function countQuestion(filters: FeedFilters) {
  return countInput(filters, deviceZone)
}

/** Has the figures over all deals and of the filters counted again. */
export function invalidateFigures(queries: QueryClient): Promise<unknown> {
  return Promise.all(
    [statsQuery.queryKey, countKey].map((queryKey) => queries.invalidateQueries({ queryKey })),
  )
}

/** One deal, whatever the filters, at first as Home has shown it: a list of its own, which is kept current as the others are. */
export function dealQuery(id: number, queries: QueryClient) {
  const listOf = (deal: Deal | undefined): DealPages | undefined =>
    deal && { pages: [{ items: [deal], next_cursor: null }], pageParams: [] }
  return queryOptions({
    queryKey: [...listKey, id],
    queryFn: async ({ signal }) => listOf(await client.deals.get({ id }, { signal })),
    initialData: () => listOf(queries.getQueryData(newestQuery.queryKey)?.find((deal) => deal.id === id)),
    initialDataUpdatedAt: () => queries.getQueryState(newestQuery.queryKey)?.dataUpdatedAt,
  })
}

/** The deals of Home's carousel. */
export const newestQuery = queryOptions({
  queryKey: ['deals', 'newest'],
  queryFn: async ({ signal }) => (await client.deals.list(newestQuestion, { signal })).items,
  retry: (failures, error) => failures < 1 && isUnreachable(error),
  retryDelay: 500,
})

/**
 * The deals of some filters, page by page. `restore` is how many to bring back at first, in as few requests as
 * possible. Kept current by the live stream, so nothing refetches it behind the reader's back.
 */
export function listQuery(filters: FeedFilters, restore: number) {
  return infiniteQueryOptions({
    queryKey: [...listKey, filters],
    initialPageParam: pageRequest(restore),
    queryFn: async ({ pageParam, signal }): Promise<ListedPage> => {
      let revision: string | undefined
      const onRevision = (of: string) => {
        revision = of
      }
      const isFurther = pageParam.cursor !== undefined && pageParam.limit === pageSize
      const [page] = await Promise.all([
        client.deals.list(
          { ...listInput(filters, deviceZone), ...pageParam },
          { signal, context: { onRevision } },
        ),
        isFurther ? new Promise((resolve) => setTimeout(resolve, loadingMoreMs)) : undefined,
      ])
      return { ...page, revision }
    },
    getNextPageParam: (last, pages) => {
      if (last.next_cursor === null) return null
      const loaded = pages.reduce((sum, page) => sum + page.items.length, 0)
      return { ...pageRequest(restore - loaded), cursor: last.next_cursor }
    },
    retry: (failures, error) => failures < 1 && isUnreachable(error),
    retryDelay: 500,
    // While there is nothing but a failure to show, the server's return is noticed.
    refetchInterval: ({ state }) =>
      state.data === undefined && state.errorUpdateCount > 0 && retryWhileFailedMs,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
}

/** The revision that the list on screen was fetched at, or an earlier one; undefined where the server knew none. */
export function revisionOf(queries: QueryClient, filters: FeedFilters): string | undefined {
  return queries.getQueryData<DealPages>(listQuery(filters, 0).queryKey)?.pages[0]?.revision
}

/** What is asked for the first page of some filters. */
export function listQuestion(filters: FeedFilters) {
  return { ...listInput(filters, deviceZone), ...pageRequest(0) }
}

function pageRequest(missing: number): PageRequest {
  return { limit: missing > pageSize ? Math.min(missing, largestPage) : pageSize }
}

/** The few cheapest deals that are painted while the real list is on its way. */
export function firstDealsQuery(filters: FeedFilters) {
  return queryOptions({
    queryKey: ['deals', 'first'],
    queryFn: ({ signal }) =>
      client.deals.list(
        { ...listInput({ ...filters, max: firstMaxPrice }, deviceZone), limit: pageSize },
        { signal },
      ),
    retry: false,
    gcTime: 0,
  })
}

/** Starts a list again from its first page, which stays as it is, and of its time, until the answer is there. */
export async function refreshList(queries: QueryClient, filters: FeedFilters): Promise<void> {
  const { queryKey } = listQuery(filters, 0)
  queries.setQueryData<DealPages>(
    queryKey,
    (data) => data && { pages: data.pages.slice(0, 1), pageParams: [pageRequest(0)] },
    { updatedAt: queries.getQueryState(queryKey)?.dataUpdatedAt },
  )
  void invalidateFigures(queries)
  await queries.refetchQueries({ queryKey, exact: true })
}

/** So many of the newest deals are looked at where there are too many new ones to ask for each. */
const mostNewest = 200

/** Which of some new deals pass the filters. */
export async function fetchNews(
  filters: FeedFilters,
  ids: readonly number[],
): Promise<{ passing: Deal[]; hasMore: boolean }> {
  if (ids.length <= mostIds) return { passing: await fetchPassing(filters, ids), hasMore: false }
  const page = await client.deals.list({ ...countQuestion(filters), limit: mostNewest })
  const asked = new Set(ids)
  const passing = page.items.filter(({ id }) => asked.has(id))
  return { passing, hasMore: page.next_cursor !== null && passing.length === page.items.length }
}

/** Everybody asks for the same new deals, so that they are found once for all, and each page decides which of them pass. */
async function fetchPassing(filters: FeedFilters, ids: readonly number[]): Promise<Deal[]> {
  const language = await fetchLanguage().catch(() => undefined)
  const matches = language?.matcherOfFilters(filters, Date.now())
  const deals = await fetchDeals(ids, matches ? undefined : filters)
  return matches ? deals.filter(matches) : deals
}

/** So many of the deals seen last are kept on the device. */
const mostKept = 200

/** Keeps the deals that a user sees last on this device, for when the server can't be reached. `time` in ISO 8601. */
export function keepLastDeals(userId: number, deals: readonly Deal[], time: string): void {
  // Signed out meanwhile: then nothing is to stay here.
  if (readSessionHint()?.id !== userId) return
  writeStored(deviceKeys.lastDeals, { userId, time, deals: deals.slice(0, mostKept) })
}

/** So many deals can be asked for by id at once. */
export const mostIds = 100

/**
 * At most `mostIds` deals as they are now, without those that are not to be seen any more and, with `filters`, those that
 * don't pass.
 */
export async function fetchDeals(ids: readonly number[], filters?: FeedFilters): Promise<Deal[]> {
  // In one order, so that everybody who looks at the same deals asks for the same page.
  const inOrder = ids.toSorted((a, b) => a - b)
  const passing = filters && countQuestion(filters)
  return (await client.deals.list({ ...passing, ids: inOrder.join(',') })).items
}

/**
 * Of changed deals those that the list lacks although nothing of it is left to be loaded: they may pass its filters since the change.
 * Of so many at once, as verdicts refreshed by the thousand, nobody is told.
 */
export function enteringAmong(
  queries: QueryClient,
  { filters, deals }: { filters: FeedFilters; deals: readonly Deal[] },
  changed: readonly number[],
): readonly number[] {
  const pages = queries.getQueryData<DealPages>(listQuery(filters, 0).queryKey)?.pages
  if (changed.length > mostIds || pages?.at(-1)?.next_cursor !== null) return []
  const loaded = new Set(deals.map(({ id }) => id))
  return changed.filter((id) => !loaded.has(id))
}

/** How many requests one look at many deals may take; 10,000 deals are far more than a day brings. */
const mostRequests = 12

/**
 * The deals that changed within the last 24 hours, newest first.
 * `complete` is false when there are too many of them to fetch all.
 */
export function fetchRecent(): Promise<{ deals: Deal[]; complete: boolean }> {
  return fetchAll(
    (request) => client.deals.list({ last_24_hours: true, ...request }),
    () => true,
  )
}

/** The deals of some filters from the first on, for as long as `wanted` says of what has come so far that more is needed. */
export function fetchListed(
  filters: FeedFilters,
  wanted: (deals: readonly Deal[]) => boolean,
): Promise<{ deals: Deal[]; complete: boolean }> {
  return fetchAll((request) => client.deals.list({ ...listInput(filters, deviceZone), ...request }), wanted)
}

async function fetchAll(
  fetchPage: (request: PageRequest) => Promise<DealPage>,
  wanted: (deals: readonly Deal[]) => boolean,
): Promise<{ deals: Deal[]; complete: boolean }> {
  const pages: DealPage[] = []
  let request: PageRequest = { limit: largestPage }
  while (pages.length < mostRequests) {
    const page = await fetchPage(request)
    pages.push(page)
    if (page.next_cursor === null) return { deals: mergePages(pages), complete: true }
    if (!wanted(mergePages(pages))) break
    request = { limit: largestPage, cursor: page.next_cursor }
  }
  return { deals: mergePages(pages), complete: false }
}
