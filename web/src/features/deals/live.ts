import type { Deal } from '@dealdeck/contract/deals'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { later } from '../../platform/later.ts'
import type { LiveState } from '../../platform/live.ts'
import { followLive } from '../../platform/live-hub.ts'
import {
  type DealPages,
  fetchDeals,
  fetchListed,
  fetchRecent,
  listKey,
  listQuery,
  mostIds,
  refreshList,
  statsQuery,
} from './api.ts'
import { type FeedFilters, isGone, pageSize, readDealsEvent, removeFromPages, updatePages } from './view.ts'

const pollMs = 30_000
const announceMs = 250
const applyMs = 1_000
/** Allowance for a clock that differs from the server's, and for a connection that died unnoticed. */
const marginMs = 30_000

/** The deals that became visible and that this reader has not seen; lives as long as the page. */
export class NewDeals {
  readonly #seen = new Set<number>()
  readonly #waiting = new Set<number>()
  #recent: Set<number> | undefined

  get count(): number {
    return this.#waiting.size
  }

  add(ids: Iterable<number>): void {
    for (const id of ids) if (!this.#seen.has(id)) this.#waiting.add(id)
  }

  remove(ids: Iterable<number>): void {
    for (const id of ids) this.#waiting.delete(id)
  }

  /** These deals are on the reader's screen. */
  see(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#seen.add(id)
      this.#waiting.delete(id)
    }
  }

  seeAll(): void {
    this.see([...this.#waiting])
  }

  /** Forgets earlier polls, because the stream has taken over since. */
  endPolling(): void {
    this.#recent = undefined
  }

  /**
   * Takes what a poll of the last 24 hours brought, newest first. The first poll counts what changed after `since`
   * (milliseconds), later ones what the one before did not bring.
   */
  addRecent(deals: readonly Deal[], complete: boolean, since: number): void {
    const recent = this.#recent
    const isUnseen = (deal: Deal) => (recent ? !recent.has(deal.id) : Date.parse(deal.last_updated) >= since)
    // In a list that was cut off, what follows the last known deal only moved up from below.
    const lastKnown = recent && !complete ? deals.findLastIndex((deal) => recent.has(deal.id)) : -1
    const counted = lastKnown === -1 ? deals : deals.slice(0, lastKnown)
    this.add(counted.filter(isUnseen).map((deal) => deal.id))
    this.#recent = new Set([...(recent ?? []), ...deals.map((deal) => deal.id)])
  }
}

const newDeals = new NewDeals()
/** When the feed was first opened, and when it was last known to be current, in milliseconds. */
let openedAt: number | undefined
let currentUntil: number | undefined

/** What the reader has in front of them. */
type Reading = { filters: FeedFilters; deals: readonly Deal[]; reached: number }

/**
 * Keeps the loaded lists current and counts new deals, by stream, and by polling while the stream is down.
 * `reached` is the number of deals the reader has got to; nothing up to there moves.
 */
export function useLiveDeals(
  filters: FeedFilters,
  deals: readonly Deal[],
  reached: RefObject<number>,
  enabled: boolean,
): { state: LiveState; staleSince: string | undefined; newCount: number; seeAll: () => void } {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  const [staleSince, setStaleSince] = useState<string>()
  const [newCount, setNewCount] = useState(newDeals.count)
  const reading = useRef({ filters, deals })
  useEffect(() => {
    reading.current = { filters, deals }
    newDeals.see(deals.map((deal) => deal.id))
    setNewCount(newDeals.count)
  }, [filters, deals])
  useEffect(() => {
    if (!enabled) return
    const read = () => ({ ...reading.current, reached: reached.current })
    return followDeals(queries, read, setState, setStaleSince, () => setNewCount(newDeals.count))
  }, [queries, reached, enabled])
  return {
    state,
    staleSince,
    newCount,
    seeAll: () => {
      newDeals.seeAll()
      setNewCount(0)
    },
  }
}

function followDeals(
  queries: QueryClient,
  read: () => Reading,
  setState: (state: LiveState) => void,
  setStaleSince: (time: string | undefined) => void,
  announce: () => void,
): () => void {
  openedAt ??= Date.now()
  const opened = openedAt
  let ended = false
  let pollTimer: ReturnType<typeof setInterval> | undefined
  const waiting = { changed: new Set<number>(), removed: new Set<number>(), added: false, everything: false }
  const soon = later(announceMs, announce)
  const applySoon = later(applyMs, apply)

  /** One poll at most is under way; a failed one is made up for by the next. */
  let polling: Promise<void> | undefined
  function poll(): Promise<void> {
    const since = Math.max(opened, (currentUntil ?? opened) - marginMs)
    polling ??= fetchRecent()
      .then(({ deals, complete }) => {
        if (ended) return
        setStaleSince(undefined)
        newDeals.addRecent(deals, complete, since)
        const loaded = new Map(read().deals.map((deal) => [deal.id, deal.last_updated]))
        update(
          queries,
          deals.filter((deal) => loaded.has(deal.id) && loaded.get(deal.id) !== deal.last_updated),
        )
        soon.run()
        void queries.invalidateQueries({ queryKey: statsQuery.queryKey })
      })
      .catch(markStale)
      .finally(() => {
        polling = undefined
      })
    return polling
  }

  function markStale(): void {
    if (!ended) setStaleSince(new Date(currentUntil ?? opened).toISOString())
  }

  async function apply(): Promise<void> {
    const { filters, deals, reached } = read()
    const { everything, added } = waiting
    const removed = new Set(waiting.removed)
    const loaded = new Set(deals.map((deal) => deal.id))
    const changed = [...waiting.changed].filter((id) => loaded.has(id))
    Object.assign(waiting, { changed: new Set(), removed: new Set(), added: false, everything: false })
    void queries.invalidateQueries({ queryKey: statsQuery.queryKey })
    remove(queries, filters, removed, reached)
    const rest = deals.filter((deal) => !removed.has(deal.id) && !isGone(deal))
    // Nobody loses their place in a list that has nothing left to look at.
    if (rest.length === 0 && (added || removed.size > 0)) return refill(filters)
    if (everything || changed.length > mostIds) return recheck(queries, read, everything)
    if (changed.length > 0) update(queries, await fetchDeals(changed))
  }

  function refill(filters: FeedFilters): Promise<void> | undefined {
    if (queries.isFetching({ queryKey: listQuery(filters, 0).queryKey }) === 0)
      return refreshList(queries, filters)
    // Under a storm of events a slow first answer would otherwise be cancelled again and again.
    waiting.added = true
    applySoon.run()
    return undefined
  }

  const end = followLive({
    names: ['deals', 'reset'],
    onEvent: (name, data) => {
      const event = name === 'deals' ? readDealsEvent(data) : undefined
      if (event === undefined) return catchUp()
      newDeals.add(event.added)
      newDeals.remove(event.removed)
      for (const id of event.changed) waiting.changed.add(id)
      // A deal that comes back to a list it was marked in is simply shown as it is now.
      for (const id of event.added) {
        waiting.changed.add(id)
        waiting.removed.delete(id)
      }
      for (const id of event.removed) waiting.removed.add(id)
      waiting.added ||= event.added.length > 0
      soon.run()
      applySoon.run()
    },
    onState: (state) => {
      setState(state)
      clearInterval(pollTimer)
      if (state === 'open') {
        setStaleSince(undefined)
        return newDeals.endPolling()
      }
      if (state === 'connecting') return
      currentUntil = Date.now()
      if (state === 'away') return markStale()
      void poll()
      pollTimer = setInterval(() => void poll(), pollMs)
    },
    onOpen: (resumed) => {
      if (!resumed) catchUp()
    },
    // A stream's refusal hides its reason from the page; a poll meets the same one, such as a session that is over.
    onRefused: () => void poll(),
  })

  /** Makes up for events that nobody will send again: looks for new deals and checks the loaded ones. */
  function catchUp(): void {
    if (currentUntil !== undefined) void poll().then(() => newDeals.endPolling())
    waiting.everything = true
    applySoon.run()
  }

  return () => {
    ended = true
    currentUntil = Date.now()
    clearInterval(pollTimer)
    soon.stop()
    applySoon.stop()
    end()
  }
}

/** Compares the loaded deals with what the server lists now. A short list at its top is simply fetched again. */
async function recheck(queries: QueryClient, read: () => Reading, dropMissing: boolean): Promise<void> {
  const { filters, deals } = read()
  const { queryKey } = listQuery(filters, 0)
  if (queries.isFetching({ queryKey }) > 0) await queries.getQueryCache().find({ queryKey })?.promise
  if (deals.length <= pageSize && window.scrollY < window.innerHeight / 2) {
    await queries.refetchQueries({ queryKey, exact: true })
    return
  }
  const loaded = new Set(deals.map((deal) => deal.id))
  const listed = await fetchListed(
    filters,
    (found) => found.filter(({ id }) => loaded.has(id)).length < loaded.size,
  )
  const now = new Set(listed.deals.map((deal) => deal.id))
  update(queries, listed.deals)
  const missing = deals.filter((deal) => !now.has(deal.id)).map((deal) => deal.id)
  if (dropMissing && listed.complete) remove(queries, filters, new Set(missing), read().reached)
}

function update(queries: QueryClient, deals: readonly Deal[]): void {
  if (deals.length === 0) return
  const updated = new Map(deals.map((deal) => [deal.id, deal]))
  queries.setQueriesData<DealPages>(
    { queryKey: listKey },
    (data) => data && { ...data, pages: updatePages(data.pages, updated) },
  )
}

function remove(
  queries: QueryClient,
  filters: FeedFilters,
  removed: ReadonlySet<number>,
  reached: number,
): void {
  if (removed.size === 0) return
  const { queryHash } = queries.defaultQueryOptions(listQuery(filters, 0))
  for (const query of queries.getQueryCache().findAll({ queryKey: listKey })) {
    // In a list that is not on screen nothing is known of where its reader was.
    const kept = query.queryHash === queryHash ? reached : Number.POSITIVE_INFINITY
    queries.setQueryData<DealPages>(
      query.queryKey,
      (data) => data && { ...data, pages: removeFromPages(data.pages, removed, kept) },
    )
  }
}
