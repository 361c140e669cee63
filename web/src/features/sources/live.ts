import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followQuery } from '../../platform/followed-queries.ts'
import { later } from '../../platform/later.ts'
import { subscribeLive } from '../../platform/live-hub.ts'
import { alarmsQuery, progressQuery, refetchSources, sourcesQuery } from './api.ts'
import { followProgress } from './view/progress.ts'
import { progressText, readEvent } from './view.ts'

/** A run says several things in a row; so many milliseconds after the first of them they are looked at together. */
const lookMs = 400
/** Alarms are on every screen, and nobody waits for them. */
const alarmsLookMs = 5_000

/** All sources, their runs and how far these are, kept in step by the live stream. */
export function useSources() {
  const queries = useQueryClient()
  useEffect(() => {
    const progress = followProgress((id, said) => queries.setQueryData(progressQuery(id).queryKey, said))
    const look = later(lookMs, () => progress.look(() => refetchSources(queries)))
    const end = subscribeLive({
      names: ['sources'],
      onEvent: (_, data) => {
        const event = readEvent(data)
        if (event) progress.tell(event)
        if (!event?.progress) look.run()
      },
      onOpen: () => {
        progress.lose()
        look.run()
      },
    })
    return () => {
      look.stop()
      end()
      progress.stop()
    }
  }, [queries])
  return useQuery(sourcesQuery)
}

/** How far the run of a source is, in words; undefined while nothing is known to be under way. */
export function useProgress(id: number, number: (value: number) => string): string | undefined {
  const { data } = useQuery(progressQuery(id))
  return data ? progressText(data, number) : undefined
}

/** What of sources waits for an administrator, on whatever screen. */
export function useAlarms() {
  const queries = useQueryClient()
  useEffect(
    () =>
      followQuery(queries, {
        queryKey: alarmsQuery.queryKey,
        names: ['sources'],
        concerns: (_, data) => !readEvent(data)?.progress,
        lookMs: alarmsLookMs,
      }),
    [queries],
  )
  return useQuery(alarmsQuery)
}
