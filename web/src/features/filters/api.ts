import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../platform/api-error.ts'
import { api } from '../../platform/client.ts'

const syncMs = 30_000
const retryWhileFailedMs = 5_000

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

/** Loads the filters as soon as somebody is signed in and keeps them in step, whatever the screen. */
export function useFilterSync(): void {
  useQuery({ ...filtersQuery, notifyOnChangeProps: [] })
}
