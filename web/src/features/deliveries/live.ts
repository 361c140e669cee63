import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followQuery } from '../../platform/followed-queries.ts'
import { laterApi } from '../../platform/later-client.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { destinationsQuery, type LogFilter, logQuery } from './api.ts'

/** A message says several things in a row; so many milliseconds after the first of them they are looked at together. */
const lookMs = 400

/** A destination says when something was last sent to it. A changed one's messages wait, or go on. */
const changes = ['destinations', 'log']

/** Fetches again what this route answers, after each event that says that it is different now. */
function useFollowed(queryKey: readonly unknown[]): void {
  const queries = useQueryClient()
  const { autoRefresh } = usePreferences()
  useEffect(() => {
    if (!autoRefresh) return
    const concerns = (_: string, data: unknown) => changes.includes(Object(data).changed)
    return followQuery(queries, { queryKey, names: ['deliveries'], concerns, lookMs })
  }, [queries, queryKey, autoRefresh])
}

const logKey = laterApi.deliveries.list.key()

/** All destinations, kept in step by the live stream. */
export function useDestinations() {
  useFollowed(destinationsQuery.queryKey)
  return useQuery(destinationsQuery)
}

/** The log, kept in step by the live stream. */
export function useDeliveryLog(filter: LogFilter) {
  useFollowed(logKey)
  return useInfiniteQuery(logQuery(filter))
}
