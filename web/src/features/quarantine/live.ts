import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { later } from '../../platform/later.ts'
import { laterApi } from '../../platform/later-client.ts'
import { subscribeLive } from '../../platform/live-hub.ts'
import { heldQuery } from './api.ts'
import type { HeldFilter } from './view.ts'

/** A run tells of itself several times; in milliseconds. */
const lookMs = 1_000

/** Held rows, kept in step: what a source has done may hold more. */
export function useHeldRows(filter: HeldFilter) {
  const queries = useQueryClient()
  useEffect(() => {
    const look = later(lookMs, () => queries.invalidateQueries({ queryKey: laterApi.quarantine.key() }))
    const end = subscribeLive({
      names: ['sources'],
      onEvent: (_, data) => {
        if (!Object(data).progress) look.run()
      },
      onOpen: look.run,
    })
    return () => {
      look.stop()
      end()
    }
  }, [queries])
  return useInfiniteQuery(heldQuery(filter))
}
