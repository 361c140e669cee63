import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followQuery } from '../../platform/followed-queries.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { pricesKey, pricesQuery, verdictQuery } from './api.ts'

/** Events come in bursts, and a verdict right behind the price it is of; in milliseconds. */
const lookMs = 500

/** The prices of a deal and what they say, kept in step by the live stream. */
export function usePrices(id: number) {
  const queries = useQueryClient()
  const { autoRefresh } = usePreferences()
  useEffect(() => {
    if (!autoRefresh) return
    return followQuery(queries, {
      queryKey: pricesKey(id),
      names: ['deals', 'reset'],
      concerns: (name, data) => name === 'reset' || isAbout(data, id),
      lookMs,
      isResent: true,
    })
  }, [queries, id, autoRefresh])
  return { points: useQuery(pricesQuery(id)), verdict: useQuery(verdictQuery(id)) }
}

/** Whether an event of the stream names this deal as new or changed. */
const isAbout = (data: unknown, id: number) =>
  ['added', 'changed'].some((name) => {
    const ids: unknown = Object(data)[name]
    return Array.isArray(ids) && ids.includes(id)
  })
