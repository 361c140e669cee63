import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { refetchAfter } from '../../platform/followed-queries.ts'
import { useSession } from '../../platform/session.ts'
import { itemsKey, itemsQuery } from './api.ts'
import { type CustomFilter, customFiltersOf, type Preset, presetsOf } from './view/kept.ts'

export type OwnItems = {
  /** Both by name; empty until something is known. */
  presets: readonly Preset[]
  customFilters: readonly CustomFilter[]
  /** Whether anything is known, if only what this device saw last. */
  isKnown: boolean
  /** Why they could not be fetched just now. */
  problem: string | undefined
  retry: () => void
}

/** The member's own presets and custom filters, the same on all their devices and kept in step by the live stream. */
export function useOwnItems(): OwnItems {
  const queries = useQueryClient()
  const session = useSession()
  useEffect(() => refetchAfter(queries, 'me', itemsKey), [queries])
  const { data, error, refetch } = useQuery(itemsQuery(session))
  const presets = useMemo(() => presetsOf(data ?? []), [data])
  const customFilters = useMemo(() => customFiltersOf(data ?? []), [data])
  return {
    ...{ presets, customFilters },
    isKnown: data !== undefined,
    problem: error ? errorMessage(error) : undefined,
    retry: () => void refetch(),
  }
}
