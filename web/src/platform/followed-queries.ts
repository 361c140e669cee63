import type { LiveEventName } from '@dealdeck/contract/events'
import { hashKey, type Query, type QueryCache, type QueryClient, type QueryKey } from '@tanstack/react-query'
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
}

const followed = new SharedRuns<Following>()

/** How much the stream had said when a query was last asked for. */
const saidBefore = new WeakMap<Query, number>()
const noted = new WeakSet<QueryCache>()

function noteWhenAsked(cache: QueryCache): void {
  if (noted.has(cache)) return
  noted.add(cache)
  cache.subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'fetch') saidBefore.set(event.query, saidSoFar())
  })
}

/**
 * Has a query fetched again after events that may have changed what it answers, and whenever some of them may have been missed:
 * not where it was asked for after the stream opened. The server must answer it from the database, for a page cached by
 * another process may be older than the stream. However many parts of a screen follow the same query, it is fetched once.
 * Answers the function that stops it.
 */
export function followQuery(queries: QueryClient, following: Following): () => void {
  const { queryKey, names, lookMs, isResent } = following
  return followed.join(hashKey(queryKey), following, (newest) => {
    const look = later(lookMs, () => queries.invalidateQueries({ queryKey }))
    let missedBefore = 0
    const lookBack = later(lookMs, () =>
      queries.invalidateQueries({
        queryKey,
        predicate: (query) => (saidBefore.get(query) ?? -1) < missedBefore,
      }),
    )
    noteWhenAsked(queries.getQueryCache())
    const end = subscribeLive({
      names,
      onEvent: (name, data) => {
        if (newest().concerns(name, data)) look.run()
      },
      // What changed between the first answer and the stream's beginning is in no event.
      onOpen: (resumed) => {
        if (resumed && isResent) return
        missedBefore = saidSoFar()
        lookBack.run()
      },
    })
    return () => {
      look.stop()
      lookBack.stop()
      end()
    }
  })
}
