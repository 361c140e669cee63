import type { Query, QueryCache, QueryClient } from '@tanstack/react-query'
import { saidSoFar } from './live-hub.ts'

/** How much the stream had said when a query was last asked for as a whole. */
const saidBefore = new WeakMap<Query, number>()
const noted = new WeakSet<QueryCache>()

/** Notes from now on when each query is asked for. */
export function noteWhenAsked(queries: QueryClient): void {
  const cache = queries.getQueryCache()
  if (noted.has(cache)) return
  noted.add(cache)
  cache.subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'fetch') return
    // Another page of a list says nothing of those before it.
    if (!event.action.meta?.fetchMore) saidBefore.set(event.query, saidSoFar())
  })
}

/** What `saidSoFar` was when a query was last asked for; 0 where nobody has asked, as for what came with the page. */
export const saidWhenAsked = (query: Query): number => saidBefore.get(query) ?? 0
