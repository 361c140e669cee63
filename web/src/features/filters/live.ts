import { defaultFilters } from '@dealdeck/marketplace/default-filters'
import type { Filter } from '@dealdeck/marketplace/filters'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { refetchAfter } from '../../platform/followed-queries.ts'
import { useMarketplace } from '../../platform/money.ts'
import { filtersQuery } from './api.ts'

export type FilterSet = {
  /** Undefined until the first answer. The same array while nothing changes. */
  filters: readonly Filter[] | undefined
  /** What to tell the reader when these aren't the server's present filters. Show it with `SourceLabel`. */
  note: string | undefined
}

/**
 * The filters a screen works with: the server's, kept in step by the live stream, every 30 seconds and after each lost
 * connection; the built-in set, labelled, for as long as there is no answer. The two never mix.
 */
export function useFilters(): FilterSet {
  const queries = useQueryClient()
  const { marketplace } = useMarketplace()
  const { data, errorUpdateCount, isRefetchError } = useQuery(filtersQuery)
  useEffect(() => watchFilters(queries), [queries])
  const failed = data === undefined && errorUpdateCount > 0
  const defaults = useMemo(() => (failed ? defaultFilters(marketplace) : undefined), [failed, marketplace])
  if (failed) return { filters: defaults, note: "Showing default filters, the server can't be reached" }
  return {
    filters: data,
    note: isRefetchError ? 'Could not refresh. These filters may be out of date.' : undefined,
  }
}

/** The stored filters themselves, kept in step as `useFilters` does, for whoever changes them. */
export function useFilterRecords() {
  const queries = useQueryClient()
  useEffect(() => watchFilters(queries), [queries])
  return useQuery(filtersQuery)
}

/** Answers the function that ends it. */
function watchFilters(queries: QueryClient): () => void {
  return refetchAfter(queries, 'filters', filtersQuery.queryKey)
}
