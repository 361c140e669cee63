import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { later } from '../../platform/later.ts'
import { laterApi } from '../../platform/later-client.ts'
import { subscribeLive } from '../../platform/live-hub.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { destinationsQuery, type LogFilter, logQuery } from './api.ts'

/** A message says several things in a row; so many milliseconds after the first of them they are looked at together. */
const lookMs = 400

/** Fetches again what this route answers, after each event that says that it is different now. */
function useFollowed(changes: readonly string[], queryKey: readonly unknown[]): void {
  const queries = useQueryClient()
  const { autoRefresh } = usePreferences()
  useEffect(() => {
    if (!autoRefresh) return
    const look = later(lookMs, () => queries.invalidateQueries({ queryKey }))
    const end = subscribeLive({
      names: ['deliveries'],
      onEvent: (_, data) => {
        if (changes.includes(Object(data).changed)) look.run()
      },
      // What was said meanwhile is lost.
      onOpen: look.run,
    })
    return () => {
      look.stop()
      end()
    }
  }, [queries, changes, queryKey, autoRefresh])
}

/** A destination says when something was last sent to it. A changed one's messages wait, or go on. */
const changes = ['destinations', 'log'] as const
const logKey = laterApi.deliveries.list.key()

/** All destinations, kept in step by the live stream. */
export function useDestinations() {
  useFollowed(changes, destinationsQuery.queryKey)
  return useQuery(destinationsQuery)
}

/** The log, kept in step by the live stream. */
export function useDeliveryLog(filter: LogFilter) {
  useFollowed(changes, logKey)
  return useInfiniteQuery(logQuery(filter))
}
