import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { later } from '../../platform/later.ts'
import { subscribeLive } from '../../platform/live-hub.ts'
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
    const look = later(lookMs, () => queries.invalidateQueries({ queryKey: pricesKey(id) }))
    const end = subscribeLive({
      names: ['deals', 'reset'],
      onEvent: (name, data) => {
        if (name === 'reset' || isAbout(data, id)) look.run()
      },
      onOpen: (resumed) => {
        // What changed between the first answer and the stream's beginning is in no event.
        if (!resumed) look.run()
      },
    })
    return () => {
      look.stop()
      end()
    }
  }, [queries, id, autoRefresh])
  return { points: useQuery(pricesQuery(id)), verdict: useQuery(verdictQuery(id)) }
}

/** Whether an event of the stream names this deal as new or changed. */
const isAbout = (data: unknown, id: number) =>
  ['added', 'changed'].some((name) => {
    const ids: unknown = Object(data)[name]
    return Array.isArray(ids) && ids.includes(id)
  })
