import { priceGraceMs } from '@dealdeck/contract/price-times'
import type { PricePoint } from '@dealdeck/contract/prices'

/** A price from when it was first seen until it is known no more; times in milliseconds. */
export type PriceRun = {
  point: PricePoint
  from: number
  /** When it was seen last. */
  lastSeen: number
  /** Until when it counts as known. */
  until: number
  /** Whether another one followed without a gap. */
  isFollowed: boolean
}

/**
 * The runs of a deal's points, oldest first, as they came. What lies between two of them is unknown. A price that is marked as
 * wrong ends no other one and has no grace. `now` in milliseconds.
 */
export function runsOf(points: readonly PricePoint[], now: number): PriceRun[] {
  let next = Number.POSITIVE_INFINITY
  return points
    .toReversed()
    .map((point): PriceRun => {
      const from = Math.min(now, Date.parse(point.seen_at))
      const confirmed = Date.parse(point.confirmed_until ?? point.seen_at)
      const lastSeen = Math.max(from, Math.min(confirmed, now, next))
      if (point.is_wrong) return { point, from, lastSeen, until: lastSeen, isFollowed: false }
      const until = Math.max(from, Math.min(lastSeen + priceGraceMs, next, now))
      const isFollowed = until === next
      next = from
      return { point, from, lastSeen, until, isFollowed }
    })
    .toReversed()
}

/** Whether a run counts as a price that the deal had: offered, and neither suspect nor marked as wrong. */
export function isTrusted({ point }: PriceRun): boolean {
  return point.price !== null && !point.is_suspect && !point.is_wrong
}
