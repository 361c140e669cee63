import { keepPreviousData } from '@tanstack/react-query'
import { laterApi } from '../../platform/later-client.ts'
import { type AuditFilters, auditInput } from './view.ts'

/** The entries that pass these filters, page by page, the newest first. */
export function entriesQuery(filters: AuditFilters) {
  return laterApi.audit.list.infiniteOptions({
    input: (cursor: string | undefined) => ({ ...auditInput(filters), limit: 50, ...(cursor && { cursor }) }),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** Everybody who ever changed something. */
export const actorsQuery = laterApi.audit.actors.queryOptions()
