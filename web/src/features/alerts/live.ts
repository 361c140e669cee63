import { hashKey, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { deviceZone } from '../../platform/device-zone.ts'
import { followQuery } from '../../platform/followed-queries.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { alertsQuery, peaceQuery, putPeace, tellZone } from './api.ts'

/** In milliseconds; several changes are looked at together. */
const lookMs = 400

/** Keeps what is known of alerts in step with the live stream. */
function useFollowed(queryKey: QueryKey) {
  const queries = useQueryClient()
  const { autoRefresh } = usePreferences()
  const key = hashKey(queryKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same key is another array each time.
  useEffect(() => {
    if (!autoRefresh) return
    const concerns = (_: string, data: unknown) => Object(data).changed === 'alerts'
    return followQuery(queries, { queryKey, names: ['deliveries'], concerns, lookMs })
  }, [queries, autoRefresh, key])
}

/** All alerts, kept in step by the live stream. */
export function useAlerts() {
  useFollowed(alertsQuery.queryKey)
  return useQuery(alertsQuery)
}

/** When nothing is to be sent, kept in step. Where the clock is to be this device's, its zone is told once it is another one. */
export function usePeace(
  isGroup: boolean,
  save: (time_zone: string) => Promise<Parameters<typeof putPeace>[2]>,
) {
  const queries = useQueryClient()
  const asked = peaceQuery(isGroup)
  useFollowed(asked.queryKey)
  const peace = useQuery(asked)
  const here = deviceZone()
  const isElsewhere = !isGroup && peace.data?.follows_device === true && peace.data.time_zone !== here
  useEffect(() => {
    if (!isElsewhere) return
    save(here).then(
      (saved) => putPeace(queries, isGroup, saved),
      // It is told when somebody looks next.
      () => undefined,
    )
  }, [queries, isElsewhere, isGroup, here, save])
  return peace
}

/** The zone that was compared last; a page that stays open looks again where its device has another one. */
let compared: string | undefined

/** Has quiet hours travel along with their owner, whatever page they look at. */
export function useKeptZone(): void {
  useEffect(() => {
    const keep = () => {
      const here = deviceZone()
      if (document.hidden || here === compared) return
      compared = here
      // It is told when somebody looks next.
      tellZone(here).catch(() => {
        compared = undefined
      })
    }
    keep()
    document.addEventListener('visibilitychange', keep)
    return () => document.removeEventListener('visibilitychange', keep)
  }, [])
}
