import fc from 'fast-check'
import type { StoredPoint } from '../src/features/prices/judging/history.ts'
import { type Judgement, judge } from '../src/features/prices/judging/judge.ts'
import { day } from '../src/features/prices/judging/thresholds.ts'

/** Friday, 7 November 2025, at noon. */
export const now = Date.UTC(2025, 10, 7, 12)
export const minutes = 1 / 24 / 60

const formatMoney = (amount: number) => `$${amount.toFixed(2)}`

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

/** Judged now, beside the newest list price; with when it is due, so that two can be compared as a whole. */
export function judged(
  points: readonly StoredPoint[],
  time = now,
  listPrice = points.at(-1)?.listPrice ?? null,
): Omit<Judgement, 'nextDue'> & { nextDue: number } {
  const { nextDue, ...judgement } = judge(points, time, { formatMoney, listPrice })
  return { ...judgement, nextDue: nextDue() }
}

const prices = fc.constantFrom(8, 9.5, 9.9, 10, 10.2, 11, 12.5, 14, 15, 19, 20, 100)

/** Histories of up to 25 points, oldest first, the last one seen up to 20 days before now; a few prices, so that they come again. */
export const histories: fc.Arbitrary<StoredPoint[]> = fc
  .tuple(
    fc.array(
      fc.record({
        hours: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 100, max: 1500 })),
        /** For how much of the time until the next point it is confirmed. */
        confirmed: fc.constantFrom(null, 0, 0.3, 0.9, 1, 1),
        price: fc.oneof({ weight: 9, arbitrary: prices }, { weight: 1, arbitrary: fc.constant(null) }),
        listPrice: fc.constantFrom(null, null, 15, 20, 20.4, 25, 120),
      }),
      { minLength: 1, maxLength: 25 },
    ),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 480 })),
  )
  .map(([steps, silent]) => {
    const points: StoredPoint[] = []
    let next = now - (silent * day) / 24
    for (const { hours, confirmed, ...rest } of steps.toReversed()) {
      const seenAt = next - (hours * day) / 24
      const confirmedUntil = confirmed === null ? null : seenAt + Math.floor((confirmed * hours * day) / 24)
      points.unshift({ seenAt, confirmedUntil, importId: 1, isWrong: false, ...rest })
      next = seenAt
    }
    return points
  })
