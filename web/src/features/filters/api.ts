import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError } from '../../platform/api-error.ts'
import { api } from '../../platform/client.ts'
import { retryWhileFailedMs } from '../../platform/recovery.ts'

const syncMs = 30_000

/** All filters, asked for again every 30 seconds. An unchanged list costs no more than the answer that it is unchanged. */
export const filtersQuery = api.filters.list.queryOptions({
  input: {},
  retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500),
  retryDelay: 500,
  staleTime: syncMs,
  gcTime: Number.POSITIVE_INFINITY,
  // While the server can't be reached its return is noticed sooner.
  refetchInterval: ({ state }) => (state.fetchFailureCount > 0 ? retryWhileFailedMs : syncMs),
})

/** How long a screen that needs no filters has the line for what it shows, in milliseconds. */
const patienceMs = 1_000

/** Loads the filters when somebody has signed in and keeps them in step, whatever the screen. */
export function useFilterSync(): void {
  const [enabled, setEnabled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setEnabled(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  useQuery({ ...filtersQuery, enabled, notifyOnChangeProps: [] })
}
