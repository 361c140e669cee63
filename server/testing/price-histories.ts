import type { StoredPoint } from '../src/features/prices/judging/history.ts'
import { type Judgement, judge } from '../src/features/prices/judging/judge.ts'
import { day } from '../src/features/prices/judging/thresholds.ts'

/** Friday, 7 November 2025, at noon. */
export const now = Date.UTC(2025, 10, 7, 12)
export const minutes = 1 / 24 / 60

export const formatMoney = (amount: number) => `$${amount.toFixed(2)}`

/**
 * A price (null: not offered) first seen `from` days before now and last seen `until` days before it; null where nobody knows.
 * Days ahead of now are negative.
 */
export function priceSeen(
  price: number | null,
  from: number,
  until: number | null = from,
  listPrice: number | null = null,
): StoredPoint {
  return {
    seenAt: now - Math.round(from * day),
    confirmedUntil: until === null ? null : now - Math.round(until * day),
    price,
    listPrice,
    importId: 1,
    isWrong: false,
  }
}

/** Judged now, with the newest list price. */
export function judged(points: readonly StoredPoint[], time = now): Judgement {
  return judge(points, time, { formatMoney, listPrice: points.at(-1)?.listPrice ?? null })
}
