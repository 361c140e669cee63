import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followQuery } from '../../platform/followed-queries.ts'
import { laterApi } from '../../platform/later-client.ts'
import { heldQuery } from './api.ts'
import type { HeldFilter } from './view.ts'

/** A run tells of itself several times; in milliseconds. */
const lookMs = 1_000

/** Held rows, kept in step: what a source has done may hold more. */
export function useHeldRows(filter: HeldFilter) {
  const queries = useQueryClient()
  useEffect(() => {
    const concerns = (_: string, data: unknown) => !Object(data).progress
    return followQuery(queries, { queryKey: laterApi.quarantine.key(), names: ['sources'], concerns, lookMs })
  }, [queries])
  return useInfiniteQuery(heldQuery(filter))
}
