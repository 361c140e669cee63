import type { Deal } from '@dealdeck/contract/deals'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { cameWithPage } from '../../platform/preloaded-responses.ts'
import { readPlaceBelow, useKeepPlace, usePlace } from '../../platform/scroll-place.ts'
import { useSession } from '../../platform/session.ts'
import { LateDialog } from '../../ui/late-dialog.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import {
  countQuery,
  dealQuery,
  firstDealsQuery,
  keepLastDeals,
  listQuery,
  refreshList,
  showOnTop,
  statsQuery,
} from './api.ts'
import { DealGrid } from './components/deal-grid.tsx'
import { FeedEnd } from './components/feed-end.tsx'
import { FeedFailure } from './components/feed-failure.tsx'
import { FeedHead } from './components/feed-head.tsx'
import { FilterBar } from './components/filter-bar.tsx'
import { NewDealsToast } from './components/new-deals-toast.tsx'
import classes from './feed-screen.module.css'
import { useLiveDeals } from './live.ts'
import {
  type DealParams,
  dealParamsSchema,
  type FeedFilters,
  filtersOf,
  firstMaxPrice,
  isDefault,
  paramsOf,
} from './view/filters.ts'
import { newsLine } from './view/new-deals.ts'
import { fallsLine } from './view/price-falls.ts'
import { closingLine, endState, isGone, mergePages, pageSize } from './view.ts'

const route = getRouteApi('/amazon-haul')
const FeedEmpty = lazy(async () => ({ default: (await import('./components/feed-empty.tsx')).FeedEmpty }))
const shareDialog = { fetch: async () => (await import('./components/share-dialog.tsx')).ShareDialog }

const noDeals: readonly Deal[] = []
const none: ReadonlySet<number> = new Set()

/** The live list of deals with its search, filters and sharing. */
export function FeedScreen() {
  const { entry, search } = useFeedLocation()
  const navigate = route.useNavigate()
  const queries = useQueryClient()
  const shop = useMarketplace()
  const { defaultMaxPrice, notifications, autoRefresh } = usePreferences()
  const now = useNow()
  const filters = useMemo(() => filtersOf(search, defaultMaxPrice), [search, defaultMaxPrice])
  const { place, leavePlace } = usePlace(entry, pageSize)
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
  const known = list.data || failed ? listed : (first.data?.items ?? noDeals)
  const wanted = useQuery({ ...dealQuery(search.deal ?? 0, queries), enabled: search.deal !== undefined })
  // A deal that somebody came for stands first, whatever the filters.
  const deals = useMemo(
    () => (wanted.data ? [wanted.data, ...known.filter(({ id }) => id !== wanted.data.id)] : known),
    [wanted.data, known],
  )
  const settled = list.data !== undefined && !isPlaceholderData
  const reached = useRef(0)
  const live = useLiveDeals(filters, isPlaceholderData ? noDeals : deals, reached, autoRefresh)
  useKeepPlace(entry, settled ? listed.length : (place?.items ?? 0))

  const justShown = useRef(false)
  // A new visit starts with what is new; only going back shows what was there.
  useEffect(() => {
    const { queryKey } = listQuery(filters, 0)
    const isKept = queries.getQueryData(queryKey) !== undefined && !cameWithPage(queryKey)
    const isFresh = justShown.current
    justShown.current = false
    if (isFresh) return
    if (isKept && readPlaceBelow(entry, pageSize) === undefined) void refreshList(queries, filters)
  }, [queries, filters, entry])

  const isRestoring = settled && place !== undefined && listed.length < place.items && hasNextPage
  useEffect(() => {
    if (isRestoring && !isFetching) void fetchNextPage()
  }, [isRestoring, isFetching, fetchNextPage])

  // Where nothing is live, the deals are as they were fetched.
  useKeptDeals(isPlaceholderData ? noDeals : deals, autoRefresh ? live.staleSince : list.dataUpdatedAt)

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

  const [shown, setShown] = useState(none)
  const [showing, setShowing] = useState<'no' | 'busy' | 'failed'>('no')
  const goTo = useRef<(position: number) => void>(undefined)

  const refresh = () => {
    leavePlace()
    live.see()
    setShown(none)
    setRefreshing(true)
    void refreshList(queries, filters).finally(() => setRefreshing(false))
    window.scrollTo({ top: 0, behavior: 'instant' })
  }

  // Nothing moves before there is something new to see, also where it can't be had.
  const showNew = async () => {
    const top = live.forTop()
    const newest: FeedFilters = { ...filters, sort: 'newest' }
    setShowing('busy')
    try {
      await showOnTop(queries, newest, top)
    } catch {
      return setShowing('failed')
    }
    setShowing('no')
    leavePlace()
    // What has come since then is announced next.
    live.see(top.checked)
    setShown(new Set(top.deals.map(({ id }) => id)))
    if (filters.sort !== 'newest' || search.deal !== undefined) {
      justShown.current = true
      await navigate({ search: paramsOf(newest, defaultMaxPrice) })
    }
    window.scrollTo({ top: 0, behavior: 'instant' })
    // The pressed button is gone with its toast; the reader goes on from the list's top.
    document.querySelector<HTMLElement>('[data-feed-title]')?.focus({ preventScroll: true })
  }

  const showFalls = () => {
    const position = deals.findIndex(({ id }) => live.unseenFalls.includes(id))
    live.putAwayFalls()
    if (position !== -1) goTo.current?.(position)
  }

  const left = useMemo(() => listed.filter((deal) => !isGone(deal)).length, [listed])
  const isEmpty = settled && deals.length === 0
  const isWhole = settled && !hasNextPage
  // Who has all deals on the screen can count them, but for those that have come since.
  const isCounted = isWhole && live.forTop().deals.length === 0
  const counted = useQuery({ ...countQuery(filters), enabled: settled && !isCounted })
  const matching = isCounted ? { count: left, has_more: false } : counted.data
  const isTelling = notifications && autoRefresh

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
        shop={shop}
        matching={settled ? matching : undefined}
        total={stats.data?.total_deals}
        refreshing={refreshing}
        onChange={change}
        onRefresh={refresh}
      />
      <div className={classes.list} data-waiting={isPlaceholderData || undefined}>
        {failed && (
          <FeedFailure
            error={list.error}
            filters={filters}
            busy={isFetching}
            shop={shop}
            now={now}
            onRetry={() => void list.refetch()}
          />
        )}
        {isEmpty && stats.data !== undefined && (
          <Suspense>
            <FeedEmpty
              total={stats.data.total_deals}
              filters={filters}
              shop={shop}
              onChange={(part) => change(part, false)}
            />
          </Suspense>
        )}
        {wanted.isError && <SourceLabel>That deal is no longer available.</SourceLabel>}
        {!failed && !isEmpty && (
          <>
            <DealGrid
              deals={deals}
              places={settled && !isRestoring ? 0 : (place?.items ?? pageSize)}
              complete={isWhole}
              busy={isFetching || first.isFetching}
              shop={shop}
              now={now}
              startAt={place?.offset ?? 0}
              reached={reached}
              goTo={goTo}
              fresh={shown}
              falls={live.falls}
              wanted={search.deal}
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
        news={isTelling ? newsLine(live.news, shop.number, shop.money) : undefined}
        falls={isTelling ? fallsLine(live.unseenFalls.length, shop.number) : undefined}
        showing={showing}
        switchesSort={filters.sort !== 'newest'}
        onShow={() => void showNew()}
        onShowFalls={showFalls}
        onDismiss={live.putAway}
      />
      {shared && (
        <LateDialog of={shareDialog} props={{ deal: shared, shop, onClose: () => setShared(undefined) }} />
      )}
    </div>
  )
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

/**
 * Keeps on this device what is shown when the screen is left or put away, for when the server can't be reached. `time`: what
 * the deals are as of, in ISO 8601 or milliseconds; undefined while they are current, 0 before they are fetched.
 */
function useKeptDeals(deals: readonly Deal[], time: string | number | undefined): void {
  const { id } = useSession()
  const latest = useRef({ deals, time })
  useEffect(() => {
    // A search that can't be answered leaves nothing on the screen, and takes nothing away.
    const { current } = latest
    latest.current = deals.length > 0 ? { deals, time } : { ...current, time: time || current.time }
  }, [deals, time])
  useEffect(() => {
    const keep = () => {
      const { deals, time } = latest.current
      const known = deals.filter((deal) => !isGone(deal))
      if (known.length > 0) keepLastDeals(id, known, new Date(time || Date.now()).toISOString())
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
