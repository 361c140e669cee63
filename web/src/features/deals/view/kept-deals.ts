import type { Deal } from '@dealdeck/contract/deals'
import { useEffect, useRef } from 'react'
import { useSession } from '../../../platform/session.ts'
import { keepLastDeals } from '../api.ts'
import { isGone } from '../view.ts'

/**
 * Keeps on this device what is shown when the screen is left or put away, for when the server can't be reached. `time`: what
 * the deals are as of, in ISO 8601 or milliseconds; undefined while they are current, 0 before they are fetched.
 */
export function useKeptDeals(deals: readonly Deal[], time: string | number | undefined): void {
  const { id } = useSession()
  const latest = useRef({ deals, time })
  useEffect(() => {
    // A search that can't be answered leaves nothing on the screen, and takes nothing away.
    const { current } = latest
    latest.current = deals.length > 0 ? { deals, time } : { ...current, time: time || current.time }
  }, [deals, time])
  useEffect(() => {
    const keep = () => {
      const { deals, time } = latest.current
      const known = deals.filter((deal) => !isGone(deal))
      if (known.length > 0) keepLastDeals(id, known, new Date(time || Date.now()).toISOString())
    }
    window.addEventListener('pagehide', keep)
    document.addEventListener('visibilitychange', keep)
    return () => {
      window.removeEventListener('pagehide', keep)
      document.removeEventListener('visibilitychange', keep)
      keep()
    }
  }, [id])
}
