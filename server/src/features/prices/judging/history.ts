import { thresholds } from './thresholds.ts'

/** One row of what was observed of a deal's price. Times in milliseconds since 1970, money in the marketplace's currency. */
export type StoredPoint = {
  seenAt: number
  /** Until when it was seen unchanged; null where nobody knows. */
  confirmedUntil: number | null
  /** Null where the deal was not offered. */
  price: number | null
  listPrice: number | null
  importId: number | null
  /** Marked by an administrator. */
  isWrong: boolean
}

/** A time throughout which a price, or that there was no offer, is known: from `from` until before `until`. */
export type Run = {
  /** Null where the deal was not offered. */
  price: number | null
  listPrice: number | null
  from: number
  /** The next observation, or the grace after the last sight; may lie ahead of now. */
  until: number
  lastSeen: number
  /** The time of the first of its points as it is stored. */
  storedAt: number
}

/** A run with a price. */
export type PriceRun = Run & { price: number }

export const isPriced = (run: Run): run is PriceRun => run.price !== null

/**
 * The known times of a history, oldest first; what lies between them is unknown and never filled in. Points come in any order.
 * Points marked wrong count as if they had never come, so the price before them keeps its grace. Times ahead of `now`, as clocks
 * that ran ahead leave them, count as now. Neighbours that say the same without a hole become one.
 */
export function toRuns(points: readonly StoredPoint[], now: number): Run[] {
  const right = points.filter((point) => !point.isWrong).sort(bySeenAt)
  const runs: Run[] = []
  for (const [index, point] of right.entries()) {
    const next = right[index + 1]
    const run = runOf(point, next, now)
    const last = runs.at(-1)
    if (last && last.until >= run.from && last.price === run.price && last.listPrice === run.listPrice) {
      last.until = run.until
      last.lastSeen = run.lastSeen
    } else runs.push(run)
  }
  return runs
}

/** Times are unique in the database; equal ones come in an order that doesn't depend on how they were given. */
const bySeenAt = (a: StoredPoint, b: StoredPoint) =>
  a.seenAt - b.seenAt || (a.price ?? -1) - (b.price ?? -1) || (a.listPrice ?? -1) - (b.listPrice ?? -1)

function runOf(point: StoredPoint, next: StoredPoint | undefined, now: number): Run {
  const from = Math.min(point.seenAt, now)
  const nextFrom = next ? Math.min(next.seenAt, now) : Number.POSITIVE_INFINITY
  const lastSeen = Math.max(from, Math.min(point.confirmedUntil ?? from, now, nextFrom))
  return {
    price: point.price,
    // Without an offer a list price is nobody's, and must not split a gap.
    listPrice: point.price === null ? null : point.listPrice,
    from,
    until: Math.min(nextFrom, lastSeen + thresholds.grace),
    lastSeen,
    storedAt: point.seenAt,
  }
}

/** Whether a time lies ahead of now, so that the runs depend on when they are asked for. */
export function isAheadOf(points: readonly StoredPoint[], now: number): boolean {
  return points.some(({ seenAt, confirmedUntil }) => seenAt > now || (confirmedUntil ?? 0) > now)
}
