import type { LiveEventName } from '@dealdeck/contract/events'
import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { later } from './later.ts'
import { subscribeLive } from './live-hub.ts'

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

const followed = new Map<string, { count: number; following: Following; stop: () => void }>()

/**
 * Has a query fetched again after events that may have changed what it answers, and whenever some of them may have been missed.
 * However many parts of a screen follow the same query, it is fetched once. Answers the function that stops it.
 */
export function followQuery(queries: QueryClient, following: Following): () => void {
  const key = hashKey(following.queryKey)
  const shared = followed.get(key) ?? { count: 0, following, stop: start(queries, key, following) }
  followed.set(key, shared)
  shared.count += 1
  shared.following = following
  let isFollowing = true
  return () => {
    if (!isFollowing) return
    isFollowing = false
    shared.count -= 1
    if (shared.count > 0) return
    followed.delete(key)
    shared.stop()
  }
}

function start(
  queries: QueryClient,
  key: string,
  { queryKey, names, lookMs, isResent }: Following,
): () => void {
  const look = later(lookMs, () => queries.invalidateQueries({ queryKey }))
  const end = subscribeLive({
    names,
    onEvent: (name, data) => {
      // Asked of who joined last: what it goes by may be another deal by now.
      if (followed.get(key)?.following.concerns(name, data)) look.run()
    },
    // What changed between the first answer and the stream's beginning is in no event.
    onOpen: (resumed) => {
      if (!(resumed && isResent)) look.run()
    },
  })
  return () => {
    look.stop()
    end()
  }
}
