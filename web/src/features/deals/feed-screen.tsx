import type { Deal } from '@dealdeck/contract/deals'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { cameWithPage } from '../../platform/preloaded-responses.ts'
import { isUnreachable } from '../../platform/recovery.ts'
import { readPlaceBelow, useKeepPlace, usePlace } from '../../platform/scroll-place.ts'
import { LateDialog } from '../../ui/late-dialog.tsx'
import { latePart } from '../../ui/late-part.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { countQuery, dealQuery, firstDealsQuery, listQuery, refreshList, statsQuery } from './api.ts'
import { DealGrid, type Targets } from './components/deal-grid.tsx'
import { FeedEnd } from './components/feed-end.tsx'
import { FeedFailure } from './components/feed-failure.tsx'
import { FeedHead } from './components/feed-head.tsx'
import { FilterBar } from './components/filter-bar.tsx'
import toast from './components/new-deals-toast.module.css'
import type { Showing } from './components/new-deals-toast.tsx'
import classes from './feed-screen.module.css'
import { useLiveDeals } from './live.ts'
import { firstMaxPrice, isDefault } from './view/filters.ts'
import { useKeptDeals } from './view/kept-deals.ts'
import { useFeedQuestion } from './view/question.ts'
import { closingLine, endState, isGone, mergePages, pageSize } from './view.ts'

const NewDealsToast = latePart(
  async () => (await import('./components/new-deals-toast.tsx')).NewDealsToast,
  'What is new',
)
const FeedEmpty = latePart(
  async () => (await import('./components/feed-empty.tsx')).FeedEmpty,
  'Why no deal is shown',
)
const shareDialog = { fetch: async () => (await import('./components/share-dialog.tsx')).ShareDialog }

const noDeals: readonly Deal[] = []
const none: ReadonlySet<number> = new Set()

/** Where the pressed button is gone with what it stood in, the reader goes on from the list's top. */
function goOnFromTitle(): void {
  document.querySelector<HTMLElement>('[data-feed-title]')?.focus({ preventScroll: true })
}

/** The question as it is typed, and as one that asks for the same deals whoever asks it. */
type AskedQuestion = { text: string; whole: () => Promise<string> }

type FeedScreenProps = {
  /** What stands between the search and the list. */
  above?: (asked: AskedQuestion) => ReactNode
  targets?: Targets | undefined
}

/** The live list of deals with its search, filters and sharing. */
export function FeedScreen({ above, targets }: FeedScreenProps) {
  const question = useFeedQuestion()
  const { entry, search, text, asker, filters } = question
  const queries = useQueryClient()
  const shop = useMarketplace()
  const { notifications, autoRefresh } = usePreferences()
  const now = useNow()
  const { place, leavePlace } = usePlace(entry, pageSize)
  const stats = useQuery(statsQuery)

  const [opening] = useState(
    () =>
      isDefault(search) &&
      place === undefined &&
      asker.defaultMax > firstMaxPrice &&
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
    () => mergePages([...(wanted.data?.pages ?? []), { items: known }]),
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

  const [shown, setShown] = useState(none)
  const [showing, setShowing] = useState<'no' | 'busy' | 'failed'>('no')
  const goTo = useRef<(position: number) => void>(undefined)

  const refresh = () => {
    leavePlace()
    live.see()
    live.putAwayFalls()
    setShown(none)
    setRefreshing(true)
    void refreshList(queries, filters).finally(() => setRefreshing(false))
    window.scrollTo({ top: 0, behavior: 'instant' })
  }

  // Nothing moves before there is something new to see, also where it can't be had.
  const showNew = async ({ newest, isNewest, putOnTop }: Showing) => {
    const top = live.forTop()
    setShowing('busy')
    try {
      await putOnTop(top)
    } catch {
      return setShowing('failed')
    }
    setShowing('no')
    leavePlace()
    // What has come since then is announced next.
    live.see(top.checked)
    setShown(new Set(top.deals.map(({ id }) => id)))
    if (!isNewest || search.deal !== undefined) {
      justShown.current = true
      if (filters.sort === undefined) await question.ask(newest.query)
      else if (isNewest) await question.ask(text)
      else await question.change({ sort: 'newest' })
    }
    window.scrollTo({ top: 0, behavior: 'instant' })
    goOnFromTitle()
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
  // Of a text that isn't understood yet it isn't known whether the figures count what it asks for.
  const isOfVisible = text === '' || question.language?.asksAmongHidden(text, asker) === false
  const total = isOfVisible ? stats.data?.total_deals : undefined
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
        question={question}
        shop={shop}
        matching={settled ? matching : undefined}
        total={total}
        refreshing={refreshing}
        onRefresh={refresh}
      />
      {above?.({ text, whole: question.wholeText })}
      {/* The region always exists, so that what comes into it is read out. Before the list, which has no end. */}
      <div className={toast.region} role="status" aria-live="polite">
        {isTelling && live.news.deals.length + live.unseenFalls.length > 0 && (
          <NewDealsToast
            news={live.news}
            falls={live.unseenFalls.length}
            shop={shop}
            showing={showing}
            filters={filters}
            onShow={(how) => void showNew(how)}
            onShowFalls={showFalls}
            onDismiss={() => {
              live.putAway()
              goOnFromTitle()
            }}
          />
        )}
      </div>
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
        {isEmpty && !stats.isPending && (
          <FeedEmpty
            total={total}
            text={text}
            asker={asker}
            shop={shop}
            onAsk={(text) => {
              void question.ask(text)
              goOnFromTitle()
            }}
          />
        )}
        {wanted.isError && !isUnreachable(wanted.error) && (
          <SourceLabel>That deal is no longer available.</SourceLabel>
        )}
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
              targets={targets}
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
      {shared && (
        <LateDialog of={shareDialog} props={{ deal: shared, shop, onClose: () => setShared(undefined) }} />
      )}
    </div>
  )
}
