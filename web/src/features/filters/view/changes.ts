import type { FilterImportResult } from '@dealdeck/contract/filters'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toApiError } from '../../../platform/api-error.ts'
import { api } from '../../../platform/client.ts'
import { laterApi } from '../../../platform/later-client.ts'
import { reportSessionLost } from '../../../platform/session-signal.ts'
import { filtersQuery } from '../api.ts'

/** Adding, changing and removing filters and taking them from a file; lists, figures and the audit list follow. */
export function useFilterChanges() {
  const queries = useQueryClient()
  const onSettled = async () => {
    await Promise.all(
      [filtersQuery.queryKey, laterApi.admin.key(), laterApi.audit.key()].map((queryKey) =>
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
