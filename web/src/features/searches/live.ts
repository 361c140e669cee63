import type { SavedSearch } from '@dealdeck/contract/searches'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { askAgain, refetchAfter } from '../../platform/followed-queries.ts'
import { later } from '../../platform/later.ts'
import { subscribeLive } from '../../platform/live-hub.ts'
import { useSession } from '../../platform/session.ts'
import { searchesKey, searchesQuery } from './api.ts'

/**
 * Deals come many at a time, and to all readers at once: each asks what is new so many milliseconds after the first of them, at
 * another moment than the others.
 */
const [leastPauseMs, spreadMs] = [5_000, 5_000]

export type OwnSearches = {
  /** Undefined until something is known, if only what this device saw last. */
  searches: readonly SavedSearch[] | undefined
  /** Why they could not be fetched just now. */
  problem: string | undefined
  isFetching: boolean
  retry: () => void
}

/** The member's searches, the same on all their devices, with what is new in each, kept in step by the live stream. */
export function useSearches(): OwnSearches {
  const queries = useQueryClient()
  const { data, error, isFetching, refetch } = useQuery(searchesQuery(useSession()))
  useEffect(() => {
    const fetchAgain = () => askAgain(queries, { queryKey: searchesKey })
    const count = later(leastPauseMs + Math.random() * spreadMs, fetchAgain)
    const ends = [
      refetchAfter(queries, 'me', searchesKey),
      subscribeLive({ names: ['deals'], onEvent: count.run }),
      count.stop,
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [queries])
  return {
    searches: data,
    problem: error ? errorMessage(error) : undefined,
    isFetching,
    retry: () => void refetch(),
  }
}
