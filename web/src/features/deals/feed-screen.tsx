import type { Deal } from '@dealdeck/contract/deals'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouter, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { cameWithPage } from '../../platform/preloaded-responses.ts'
import { readPlace, useKeepPlace } from '../../platform/scroll-place.ts'
import { useSession } from '../../platform/session.ts'
import { firstDealsQuery, keepLastDeals, listQuery, refreshList, statsQuery } from './api.ts'
import { DealGrid } from './components/deal-grid.tsx'
import { FeedEmpty } from './components/feed-empty.tsx'
import { FeedEnd } from './components/feed-end.tsx'
import { FeedFailure } from './components/feed-failure.tsx'
import { FeedHead } from './components/feed-head.tsx'
import { FilterBar } from './components/filter-bar.tsx'
import { NewDealsToast } from './components/new-deals-toast.tsx'
import classes from './feed-screen.module.css'
import { useLiveDeals } from './live.ts'
import {
  closingLine,
  type DealParams,
  dealParamsSchema,
  defaultFilters,
  type FeedFilters,
  filtersOf,
  firstMaxPrice,
  isDefault,
  isGone,
  mergePages,
  newDealsLine,
  pageSize,
  paramsOf,
} from './view.ts'

const route = getRouteApi('/amazon-haul')
const ShareDialog = lazy(() =>
  import('./components/share-dialog.tsx').then((module) => ({ default: module.ShareDialog })),
)

const noDeals: readonly Deal[] = []

/** The live list of deals with its search, filters and sharing. */
export function FeedScreen() {
  const { entry, search } = useFeedLocation()
  const navigate = route.useNavigate()
  const queries = useQueryClient()
  const shop = useMarketplace()
  const { defaultMaxPrice, notifications, autoRefresh } = usePreferences()
  const now = useNow()
  const filters = useMemo(() => filtersOf(search, defaultMaxPrice), [search, defaultMaxPrice])
  const { place, leavePlace } = usePlace(entry)
  const stats = useQuery(statsQuery)

  const [opening] = useState(
    () =>
      isDefault(search) &&
      place === undefined &&
      defaultMaxPrice > firstMaxPrice &&
      queries.getQueryData(listQuery(filters, 0).queryKey) === undefined,
  )
  const isOpening = opening && isDefault(search)
  const first = useQuery({ ...firstDealsQuery(filters), enabled: isOpening })
  const list = useInfiniteQuery({
    ...listQuery(filters, place?.items ?? 0),
    enabled: !isOpening || first.isFetched,
    placeholderData: (previous) => previous,
  })
  const { hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = list

  const listed = useMemo(() => (list.data ? mergePages(list.data.pages) : noDeals), [list.data])
  const failed = list.data === undefined && list.errorUpdateCount > 0
  const deals = list.data || failed ? listed : (first.data?.items ?? noDeals)
  const settled = list.data !== undefined && !isPlaceholderData
  const reached = useRef(0)
  const live = useLiveDeals(filters, isPlaceholderData ? noDeals : deals, reached, autoRefresh)
  useKeepPlace(entry, settled ? listed.length : (place?.items ?? 0))

  // A new visit starts with what is new; only going back shows what was there.
  useEffect(() => {
    const { queryKey } = listQuery(filters, 0)
    const isKept = queries.getQueryData(queryKey) !== undefined && !cameWithPage(queryKey)
    if (isKept && readPlaceOf(entry) === undefined) void refreshList(queries, filters)
  }, [queries, filters, entry])

  const isRestoring = settled && place !== undefined && listed.length < place.items && hasNextPage
  useEffect(() => {
    if (isRestoring && !isFetching) void fetchNextPage()
  }, [isRestoring, isFetching, fetchNextPage])

  useKeptDeals(isPlaceholderData ? noDeals : deals, live.staleSince)

  const [shared, setShared] = useState<Deal>()
  const [refreshing, setRefreshing] = useState(false)

  // Typing on in the same field is one step of the history, from the first letter to the last.
  const typedTo = useRef<string>(undefined)
  const change = (part: Partial<FeedFilters>, typed: boolean) => {
    const next = paramsOf({ ...filters, ...part }, defaultMaxPrice)
    const mark = (to: DealParams) => JSON.stringify([Object.keys(part), to])
    void navigate({ search: next, replace: typed && typedTo.current === mark(search) })
    typedTo.current = typed ? mark(next) : undefined
  }

  const refresh = () => {
    leavePlace()
    live.seeAll()
    setRefreshing(true)
    void refreshList(queries, filters).finally(() => setRefreshing(false))
    window.scrollTo({ top: 0, behavior: 'instant' })
  }

  const showNew = () => {
    refresh()
    // The pressed button is gone with its toast; the reader goes on from the list's top.
    document.querySelector<HTMLElement>('[data-feed-title]')?.focus({ preventScroll: true })
  }

  const left = useMemo(() => listed.filter((deal) => !isGone(deal)).length, [listed])
  const isEmpty = settled && listed.length === 0

  return (
    <div className={classes.screen}>
      <FeedHead
        stats={stats.data}
        shop={shop}
        live={autoRefresh ? live.state : 'paused'}
        stale={list.isRefetchError}
        staleSince={failed ? undefined : live.staleSince}
      />
      <FilterBar
        filters={filters}
        defaultMax={defaultMaxPrice}
        currency={shop.currency}
        refreshing={refreshing}
        onChange={change}
        onRefresh={refresh}
      />
      <div className={classes.list} data-waiting={isPlaceholderData || undefined}>
        {failed && (
          <FeedFailure
            error={list.error}
            busy={isFetching}
            shop={shop}
            now={now}
            onRetry={() => void list.refetch()}
          />
        )}
        {isEmpty && stats.data !== undefined && (
          <FeedEmpty
            anywhere={stats.data.total_deals === 0}
            filtered={!isDefault(search)}
            maxPrice={filters.max === null ? undefined : shop.money(filters.max)}
            onClear={() => change(defaultFilters(defaultMaxPrice), false)}
            onAnyPrice={() => change({ max: null }, false)}
          />
        )}
        {!failed && !isEmpty && (
          <>
            <DealGrid
              deals={deals}
              places={settled && !isRestoring ? 0 : (place?.items ?? pageSize)}
              complete={settled && !hasNextPage}
              busy={isFetching || first.isFetching}
              shop={shop}
              now={now}
              startAt={place?.offset ?? 0}
              reached={reached}
              onShare={setShared}
            />
            {settled && (
              <FeedEnd
                state={endState(list)}
                closingLine={closingLine(left, shop.number)}
                onMore={() => void fetchNextPage()}
              />
            )}
          </>
        )}
      </div>
      <NewDealsToast
        line={
          notifications && autoRefresh && live.newCount > 0
            ? newDealsLine(live.newCount, shop.number)
            : undefined
        }
        onShow={showNew}
        onDismiss={live.seeAll}
      />
      {shared && (
        <Suspense>
          <ShareDialog deal={shared} shop={shop} onClose={() => setShared(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

type ListState = {
  hasNextPage: boolean
  isFetching: boolean
  isFetchNextPageError: boolean
  isFetchingNextPage: boolean
}

function endState(list: ListState): 'more' | 'loading' | 'failed' | 'end' | 'waiting' {
  if (list.isFetchingNextPage) return 'loading'
  if (!list.hasNextPage) return 'end'
  if (list.isFetchNextPageError) return 'failed'
  // Asking for more now would cancel the refresh that is under way.
  return list.isFetching ? 'waiting' : 'more'
}

/**
 * The entry of the browser's history and its search, always of the same moment. On the way to another screen
 * the router already knows that one's location; the feed stays with its own.
 */
function useFeedLocation(): { entry: string; search: DealParams } {
  const location = useRouterState({ select: (state) => state.location })
  const [own, setOwn] = useState(location)
  if (location !== own && location.pathname === own.pathname) setOwn(location)
  const search = useMemo(() => dealParamsSchema.parse(own.search), [own.search])
  return { entry: own.state.__TSR_key ?? own.href, search }
}

/** The place in the list that an entry of the history was left at, unless the reader has left it behind. */
function usePlace(entry: string) {
  const [leftEntry, setLeftEntry] = useState<string>()
  const kept = useMemo(() => readPlaceOf(entry), [entry])
  const place = leftEntry === entry ? undefined : kept
  const router = useRouter()
  // The router restores scrolling too, but not where the list was left when something scrolled it on the way out.
  useEffect(() => {
    if (place === undefined) return
    return router.subscribe('onRendered', ({ toLocation }) => {
      if (toLocation.state.__TSR_key === entry) window.scrollTo({ top: place.offset, behavior: 'instant' })
    })
  }, [router, entry, place])
  return { place, leavePlace: () => setLeftEntry(entry) }
}

/** The top of the first page is where everybody starts, so it is no place to return to. */
function readPlaceOf(entry: string) {
  const place = readPlace(entry)
  return place && (place.offset > 0 || place.items > pageSize) ? place : undefined
}

/** Keeps on this device what is shown when the screen is left or put away, for when the server can't be reached. */
function useKeptDeals(deals: readonly Deal[], staleSince: string | undefined): void {
  const { id } = useSession()
  const latest = useRef({ deals, staleSince })
  useEffect(() => {
    latest.current = { deals, staleSince }
  }, [deals, staleSince])
  useEffect(() => {
    const keep = () => {
      const { deals, staleSince } = latest.current
      const known = deals.filter((deal) => !isGone(deal))
      if (known.length > 0) keepLastDeals(id, known, staleSince ?? new Date().toISOString())
    }
    window.addEventListener('pagehide', keep)
    document.addEventListener('visibilitychange', keep)
    return () => {
      window.removeEventListener('pagehide', keep)
      document.removeEventListener('visibilitychange', keep)
      keep()
    }
  }, [id])
}

/** The time in milliseconds, every half minute: what is new grows old while somebody reads. */
function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
