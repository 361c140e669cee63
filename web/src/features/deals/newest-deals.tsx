import type { Deal } from '@dealdeck/contract/deals'
import { Button, Stack } from '@mantine/core'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { askAgain } from '../../platform/followed-queries.ts'
import { later } from '../../platform/later.ts'
import type { LiveState } from '../../platform/live.ts'
import { subscribeLive } from '../../platform/live-hub.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { isUnreachable, retryWhileFailedMs } from '../../platform/recovery.ts'
import { useSession } from '../../platform/session.ts'
import { Carousel } from '../../ui/carousel.tsx'
import { FullText } from '../../ui/full-text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { newestQuery, statsQuery } from './api.ts'
import { DealSlide, SlideSkeleton } from './deal-slide.tsx'
import { NoDeals } from './no-deals.tsx'
import { type LastDeals, readLastDeals } from './view/last-deals.ts'
import { countUnseen, placeDeals } from './view/newest-row.ts'
import { priceFalls } from './view/price-falls.ts'
import { fallsLine } from './view/toast-lines.ts'
import { newestCount } from './view.ts'

const pollMs = 30_000
/** Events come in bursts; one look is enough for all of them. */
const lookMs = 1_000
const skeletons = new Array(newestCount).fill(<SlideSkeleton />)

/** The newest deals and how many there are, kept current by the live stream, and by polling while it is down. */
export function useNewestDeals() {
  const queries = useQueryClient()
  const { autoRefresh } = usePreferences()
  const [stream, setStream] = useState<LiveState>('connecting')
  const refetchInterval = autoRefresh && stream === 'down' && pollMs
  const newest = useQuery({
    ...newestQuery,
    refetchInterval: ({ state }) =>
      state.data === undefined && state.errorUpdateCount > 0 ? retryWhileFailedMs : refetchInterval,
  })
  // A large table isn't counted anew after every event, so the last event is not the last word.
  const stats = useQuery({ ...statsQuery, refetchInterval: autoRefresh && pollMs })
  useEffect(() => (autoRefresh ? watchNewest(queries, setStream) : undefined), [queries, autoRefresh])
  return {
    newest,
    total: stats.data?.total_deals,
    stream: autoRefresh ? stream : ('paused' as const),
  }
}

function watchNewest(queries: QueryClient, onState: (state: LiveState) => void): () => void {
  const look = later(lookMs, () =>
    Promise.all([newestQuery, statsQuery].map(({ queryKey }) => askAgain(queries, { queryKey }))),
  )
  const end = subscribeLive({
    names: ['deals', 'reset'],
    onEvent: look.run,
    onState,
    onOpen: (resumed) => {
      // What changed between the first answer and the stream's beginning is in no event.
      if (!resumed) look.run()
    },
    onRefused: look.run,
  })
  return () => {
    look.stop()
    end()
  }
}

/** The newest deals in an endless row, the newest first; each leads to itself in the feed. */
export function NewestDeals({ newest }: Pick<ReturnType<typeof useNewestDeals>, 'newest'>) {
  const shop = useMarketplace()
  const { id } = useSession()
  const [inView, setInView] = useState<ReadonlySet<number>>(new Set())
  const [places, setPlaces] = useState<readonly Deal[]>([])
  const now = useNow()
  const { falls, unseen: fallen, putAway } = useFalls(newest.data)
  const row = useRef<HTMLDivElement>(null)
  const lost = newest.data === undefined && newest.errorUpdateCount > 0 && isUnreachable(newest.error)
  const kept = useMemo(() => (lost ? newestKept(id) : undefined), [lost, id])
  const placed = placeDeals(places, newest.data ?? kept?.deals ?? places, inView)
  if (placed !== places) setPlaces(placed)
  const [seen, setSeen] = useState<ReadonlySet<number>>()
  // What was there at first counts as seen, and so does what comes into sight.
  const inSight = seen === undefined ? placed : placed.filter((_, place) => inView.has(place))
  if (inSight.some(({ id }) => !seen?.has(id)))
    setSeen(new Set([...(seen ?? []), ...inSight.map(({ id }) => id)]))
  const unseen = countUnseen(newest.data ?? [], seen ?? new Set())
  const slotOf = (dealId: number | undefined) =>
    Math.max(
      0,
      placed.findIndex(({ id }) => id === dealId),
    )
  const first = slotOf(newest.data?.[0]?.id)
  const fell = fallsLine(fallen.length, shop.number)
  const news = [
    ...(seen && unseen > 0 ? [{ name: 'new', text: `${shop.number(unseen)} new`, slot: first }] : []),
    ...(fell ? [{ name: 'fell', text: fell, slot: slotOf(fallen[0]), onShow: putAway }] : []),
  ]
  const hasSamples = placed.some((deal) => deal.is_sample)

  if (newest.data === undefined && newest.errorUpdateCount > 0 && !kept) {
    return (
      <Notice
        failed
        title="⚠️ Error Loading Deals"
        action={
          <Button onClick={() => void newest.refetch()} loading={newest.isFetching}>
            Try Again
          </Button>
        }
      >
        {isUnreachable(newest.error)
          ? 'Please check your connection. The deals come back by themselves as soon as the server answers.'
          : errorMessage(newest.error)}
      </Notice>
    )
  }
  if (newest.data?.length === 0) return <NoDeals />
  return (
    <Stack gap="sm" ref={row}>
      <FullText list={row} />
      <Carousel
        title={kept ? 'Deals seen last' : hasSamples ? 'Sample deals' : 'Newest deals'}
        onView={setInView}
        first={first}
        news={news}
        slides={
          newest.isPending && !kept
            ? skeletons
            : placed.map((deal) => (
                <DealSlide key={deal.id} deal={deal} shop={shop} now={now} was={falls.get(deal.id)} />
              ))
        }
      />
      {kept && (
        <SourceLabel>{`Deals as of ${shop.exactTime(kept.time)}, the server can't be reached`}</SourceLabel>
      )}
      {newest.isRefetchError && <SourceLabel>Could not refresh. These deals may be out of date.</SourceLabel>}
    </Stack>
  )
}

/** The newest of the deals this user saw last, for when there are no others. */
function newestKept(userId: number): LastDeals | undefined {
  const kept = readLastDeals(userId)
  const newest = kept?.deals.toSorted((a, b) => Date.parse(b.first_seen) - Date.parse(a.first_seen))
  return kept && newest && { ...kept, deals: newest.slice(0, newestCount) }
}

const noDeals: readonly Deal[] = []

/**
 * What has fallen since these deals were first seen, here or in the feed, and which of it the reader has yet to look at. Who
 * leaves has been told.
 */
function useFalls(deals = noDeals) {
  const tell = useCallback(() => ({ falls: priceFalls.falls, unseen: priceFalls.unseen(deals) }), [deals])
  const [told, setTold] = useState(tell)
  const shown = useRef(deals)
  useEffect(() => {
    shown.current = deals
    priceFalls.watch(deals)
    setTold(tell())
  }, [deals, tell])
  useEffect(() => () => priceFalls.putAway(shown.current), [])
  const putAway = () => {
    priceFalls.putAway(deals)
    setTold(tell())
  }
  return { ...told, putAway }
}
