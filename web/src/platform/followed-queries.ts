import type { LiveEventName } from '@dealdeck/contract/events'
import {
  hashKey,
  type Query,
  type QueryClient,
  type QueryFilters,
  type QueryKey,
} from '@tanstack/react-query'
import { noteWhenAsked, saidWhenAsked } from './asked-queries.ts'
import { later } from './later.ts'
import { saidSoFar, subscribeLive } from './live-hub.ts'
import { SharedRuns } from './shared-runs.ts'

type Following = {
  queryKey: QueryKey
  names: readonly LiveEventName[]
  /** Whether an event of these names may have changed what the query answers. */
  concerns: (name: string, data: unknown) => boolean
  /** Events come in bursts: so many milliseconds after the first of them the query is fetched, once. */
  lookMs: number
  /** Whether a stream that resumes is sent what it has missed of these events. */
  isResent?: boolean
  /** A stream's refusal hides its reason from the page; asking for what it tells of meets the same one. */
  isAskedWhenRefused?: boolean
}

const followed = new SharedRuns<Following>()

/**
 * Asks again for what of these queries is on screen. A first answer that is on its way was made before, and who asks meanwhile
 * is given that one: then it is asked for after it. Ends when the answers are there.
 */
export async function askAgain(queries: QueryClient, filters: QueryFilters): Promise<void> {
  const { queryKey = [], predicate = () => true } = filters
  const isFirst = ({ state }: Query) => state.data === undefined
  const firstAnswers = queries
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: (query) => isFirst(query) && predicate(query) })
  await queries.invalidateQueries(filters)
  if (firstAnswers.length > 0)
    await queries.invalidateQueries({ queryKey, predicate: (query) => firstAnswers.includes(query) })
}

/**
 * Has a query fetched again after events that may have changed what it answers, and whenever some of them may have been missed:
 * not where it was asked for after the stream opened. The server must answer it from the database, for a body cached by
 * another process may be older than the stream. However many parts of a screen follow the same query, it is fetched once.
 * Answers the function that stops it.
 */
export function followQuery(queries: QueryClient, following: Following): () => void {
  const { queryKey, names, lookMs, isResent, isAskedWhenRefused } = following
  return followed.join(hashKey(queryKey), following, (newest) => {
    noteWhenAsked(queries)
    const look = later(lookMs, () => askAgain(queries, { queryKey }))
    let missedBefore = 0
    const lookBack = later(lookMs, () =>
      askAgain(queries, { queryKey, predicate: (query) => saidWhenAsked(query) < missedBefore }),
    )
    const end = subscribeLive({
      names,
      onEvent: (name, data) => {
        if (newest().concerns(name, data)) look.run()
      },
      onOpen: (resumed) => {
        if (resumed && isResent) return
        // What changed between the first answer and the stream's beginning is in no event.
        missedBefore = saidSoFar()
        lookBack.run()
      },
      ...(isAskedWhenRefused && { onRefused: look.run }),
    })
    return () => {
      look.stop()
      lookBack.stop()
      end()
    }
  })
}

/** The same after each event of a name, which says no more than that, at once. */
export const refetchAfter = (queries: QueryClient, name: LiveEventName, queryKey: QueryKey): (() => void) =>
  followQuery(queries, {
    ...{ queryKey, names: [name], concerns: () => true, lookMs: 0, isAskedWhenRefused: true },
  })
