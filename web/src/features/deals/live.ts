import type { Deal } from '@dealdeck/contract/deals'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { later } from '../../platform/later.ts'
import type { LiveState } from '../../platform/live.ts'
import { streamId, subscribeLive } from '../../platform/live-hub.ts'
import {
  enteringAmong,
  fetchDeals,
  fetchListed,
  fetchNews,
  fetchRecent,
  invalidateFigures,
  listKey,
  listQuery,
  mostIds,
  refreshList,
  revisionOf,
} from './api.ts'
import type { FeedFilters } from './view/filters.ts'
import { forgetLists, listsFetched, loadedDeals, removeFromLists, updateLists } from './view/loaded-lists.ts'
import { NewDeals, type News } from './view/new-deals.ts'
import { PendingChanges } from './view/pending-changes.ts'
import { type Falls, priceFalls } from './view/price-falls.ts'
import { isNoOlder } from './view/revisions.ts'
import { isGone, pageSize, readDealsEvent } from './view.ts'

const [pollMs, announceMs, applyMs] = [30_000, 250, 1_000]
/** Allowance for a clock that differs from the server's, and for a connection that died unnoticed. */
const marginMs = 30_000

const newDeals = new NewDeals()
/** When the feed was first opened, and when it was last known to be current, in milliseconds. */
let openedAt: number | undefined
let currentUntil: number | undefined

/** What the reader has in front of them. */
type Listed = { filters: FeedFilters; deals: readonly Deal[] }
type Reading = Listed & { reached: number }

/**
 * Keeps the loaded lists current and counts new deals, by stream, and by polling while the stream is down.
 * `reached` is the number of deals the reader has got to; nothing up to there moves.
 */
export function useLiveDeals(
  filters: FeedFilters,
  deals: readonly Deal[],
  reached: RefObject<number>,
  enabled: boolean,
): LiveDeals {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  const [staleSince, setStaleSince] = useState<string>()
  const [told, setTold] = useState(() => whatToTell({ filters, deals }))
  const reading = useRef({ filters, deals })
  useEffect(() => {
    reading.current = { filters, deals }
    newDeals.see(deals.map((deal) => deal.id))
    priceFalls.watch(deals.filter((deal) => !isGone(deal)))
    setTold(whatToTell(reading.current))
  }, [filters, deals])
  const filtersKey = keyOf(filters)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters let other deals through
  useEffect(() => {
    if (!enabled) return
    const check = later(0, () => checkNews(reading, setTold))
    check.run()
    return check.stop
  }, [filtersKey, enabled])
  useEffect(() => {
    if (!enabled) return
    const read = () => ({ ...reading.current, reached: reached.current })
    return watchDeals(queries, read, setState, setStaleSince, () => checkNews(reading, setTold))
  }, [queries, reached, enabled])
  const putAwayFalls = () => {
    priceFalls.putAway(reading.current.deals)
    setTold(whatToTell(reading.current))
  }
  return {
    ...{ state, staleSince, ...told, putAwayFalls },
    forTop: () => newDeals.forTop(),
    see: (ids) => {
      newDeals.see(ids)
      setTold(whatToTell(reading.current))
    },
    putAway: () => {
      newDeals.putAway()
      putAwayFalls()
    },
  }
}

/** What the feed knows of what has happened while it is read. */
type LiveDeals = {
  state: LiveState
  staleSince: string | undefined
  /** New deals that pass the filters and have not been announced to somebody who put them away. */
  news: News
  /** What fell while it was loaded, and which of that is in the list and the reader has not been told of. */
  falls: Falls
  unseenFalls: readonly number[]
  /** All new deals that pass the filters, newest first, and the ids to be seen with them. */
  forTop: NewDeals['forTop']
  see: (ids?: readonly number[]) => void
  putAway: () => void
  putAwayFalls: () => void
}

const whatToTell = ({ filters, deals }: Listed) => ({
  news: newDeals.news(keyOf(filters)),
  falls: priceFalls.falls,
  unseenFalls: priceFalls.unseen(deals),
})
type Told = ReturnType<typeof whatToTell>

/** The same deals pass in any order. */
const keyOf = ({ sort: _, ...filters }: FeedFilters) => JSON.stringify(filters)

/** Asks which new deals pass the filters. What can't be asked now is asked the next time; throws then. */
async function checkNews(reading: RefObject<Listed>, announce: (told: Told) => void): Promise<void> {
  const { filters } = reading.current
  const ids = newDeals.unchecked(keyOf(filters))
  if (ids.length > 0) newDeals.check({ ids, ...(await fetchNews(filters, ids)) })
  announce(whatToTell(reading.current))
}

function watchDeals(
  queries: QueryClient,
  read: () => Reading,
  setState: (state: LiveState) => void,
  setStaleSince: (time: string | undefined) => void,
  announce: () => unknown,
): () => void {
  openedAt ??= Date.now()
  const opened = openedAt
  let ended = false
  let pollTimer: ReturnType<typeof setInterval> | undefined
  const pending = new PendingChanges()
  const soon = later(announceMs, announce)
  const applySoon = later(applyMs, apply)
  // One at a time: who asks anew gives up what is on its way, under a storm of events for as long as that lasts.
  const figures = later(0, () => invalidateFigures(queries))
  const lookBack = later(0, () => poll().then(() => newDeals.endPolling()))
  /** From this id of the stream on, every event is heard here; empty while nobody knows. */
  let begun = ''

  /** One poll at most is under way; throws when it fails. */
  let polling: Promise<void> | undefined
  const tryPoll = () => void poll().catch(() => undefined)
  function poll(): Promise<void> {
    const since = Math.max(opened, (currentUntil ?? opened) - marginMs)
    polling ??= fetchRecent()
      .then(({ deals, complete }) => {
        if (ended) return
        setStaleSince(undefined)
        newDeals.addRecent(deals, complete, since)
        void updateLists(queries, deals)
        soon.run()
        figures.run()
      })
      .catch((error: unknown) => {
        markStale()
        throw error
      })
      .finally(() => {
        polling = undefined
      })
    return polling
  }

  function markStale(): void {
    if (!ended) setStaleSince(new Date(currentUntil ?? opened).toISOString())
  }

  async function apply(): Promise<void> {
    await listsFetched(queries)
    const { filters, reached } = read()
    // Those that have just come may not be drawn yet.
    const deals = loadedDeals(queries, { queryKey: listKey, type: 'active' })
    const { removed, added, ...taken } = pending.take()
    const everything = taken.everything && !isNoOlder(revisionOf(queries, filters), begun)
    const hasNews = everything || added || taken.changed.size > 0 || removed.size > 0
    const changed = deals.map(({ id }) => id).filter((id) => taken.changed.has(id))
    if (!hasNews) return
    figures.run()
    forgetLists(queries, (id) => taken.changed.has(id) || removed.has(id))
    removeFromLists(queries, removed, reached)
    const rest = deals.filter((deal) => !removed.has(deal.id) && !isGone(deal))
    // Nobody loses their place in a list that has nothing left to look at.
    if (rest.length === 0 && (added || removed.size > 0)) return refill(filters)
    try {
      if (everything || changed.length > mostIds) await recheck(queries, read, everything)
      else if (changed.length > 0) await updateLists(queries, await fetchDeals(changed))
      // Only once the server has answered: without it these are the deals that are known.
      if (everything) forgetLists(queries, () => true)
    } catch (error) {
      pending.put({ changed, everything })
      throw error
    }
  }

  async function refill(filters: FeedFilters): Promise<void> {
    if (queries.isFetching({ queryKey: listQuery(filters, 0).queryKey }) === 0)
      return refreshList(queries, filters)
    // Under a storm of events a slow first answer would otherwise be cancelled again and again.
    pending.put({ added: true })
    applySoon.run()
  }

  const end = subscribeLive({
    names: ['deals', 'reset', 'database'],
    onEvent: (name, data, id) => {
      begun ||= id
      if (name === 'database') return
      const event = name === 'deals' ? readDealsEvent(data) : undefined
      if (event === undefined) return catchUp()
      newDeals.add(event.added)
      newDeals.remove(event.removed)
      newDeals.change(event.changed, enteringAmong(queries, read(), event.changed))
      pending.add(event)
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
      tryPoll()
      pollTimer = setInterval(tryPoll, pollMs)
    },
    onOpen: (resumed) => {
      if (!resumed || begun === '') return catchUp()
      // What failed before the connection was lost needn't wait for the end of its pause.
      soon.run()
      applySoon.run()
    },
    // A stream's refusal hides its reason from the page; a poll meets the same one, such as a session that is over.
    onRefused: tryPoll,
  })

  /** Makes up for events that nobody will send, such as those before a list of a process that lags: looks for new deals and checks the loaded ones. */
  function catchUp(): void {
    if (currentUntil !== undefined) lookBack.run()
    begun = streamId()
    pending.put({ everything: true })
    applySoon.run()
  }

  return () => {
    ended = true
    currentUntil = Date.now()
    clearInterval(pollTimer)
    for (const work of [soon, applySoon, figures, lookBack]) work.stop()
    end()
  }
}

/** Compares the loaded deals with what the server lists now. A short list at its top is simply fetched again. */
async function recheck(queries: QueryClient, read: () => Reading, dropMissing: boolean): Promise<void> {
  const { filters } = read()
  const { queryKey } = listQuery(filters, 0)
  const deals = loadedDeals(queries, { queryKey, exact: true })
  if (deals.length <= pageSize && window.scrollY < window.innerHeight / 2) {
    return queries.refetchQueries({ queryKey, exact: true }, { throwOnError: true })
  }
  const missing = new Set(deals.map(({ id }) => id))
  const listed = await fetchListed(
    filters,
    (found) => found.filter(({ id }) => missing.has(id)).length < missing.size,
  )
  for (const { id } of listed.deals) missing.delete(id)
  await updateLists(queries, listed.deals)
  if (dropMissing && listed.complete) removeFromLists(queries, missing, read().reached)
}
