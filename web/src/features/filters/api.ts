import type { FilterImportResult } from '@dealdeck/contract/filters'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, toApiError } from '../../platform/api-error.ts'
import { api } from '../../platform/client.ts'
import { retryWhileFailedMs } from '../../platform/recovery.ts'
import { reportSessionLost } from '../../platform/session-signal.ts'

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

/** Adding, changing and removing filters and taking them from a file; lists, figures and the audit list follow. */
export function useFilterChanges() {
  const queries = useQueryClient()
  const onSettled = async () => {
    await Promise.all(
      [filtersQuery.queryKey, api.admin.key(), api.audit.key()].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    )
  }
  return {
    add: useMutation(api.filters.create.mutationOptions({ onSettled })),
    change: useMutation(api.filters.update.mutationOptions({ onSettled })),
    remove: useMutation(api.filters.remove.mutationOptions({ onSettled })),
    importFile: useMutation({
      mutationFn: (given: FileImport) => importFilters({ ...given, dryRun: false }),
      networkMode: 'always',
      onSettled,
    }),
  }
}

export type FileImport = { text: string; replace: boolean }

/** Where the whole set is to be had as a file. */
export const exportAddress = (format: 'json' | 'csv') => `/api/amazon_filters/export?format=${format}`

/** Hands in a file of filters, or only asks what it would come to. Throws `ApiError` with the lines that are wrong. */
export async function importFilters({
  text,
  replace,
  dryRun,
}: FileImport & { dryRun: boolean }): Promise<FilterImportResult> {
  const query = new URLSearchParams({ replace: String(replace), dry_run: String(dryRun) })
  const response = await fetch(`/api/amazon_filters/import?${query}`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'text/plain' },
    body: text,
  })
  if (response.ok) return response.json()
  const error = toApiError(response.status, await response.json().catch(() => null))
  if (error.code === 'UNAUTHENTICATED') reportSessionLost()
  throw error
}
