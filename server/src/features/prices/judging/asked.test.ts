import fc from 'fast-check'
import { expect, test } from 'vitest'
import { histories, judged, now, priceSeen as seen } from '../../../../testing/price-histories.ts'
import type { StoredPoint } from './history.ts'
import { day } from './thresholds.ts'

const asked = (...points: StoredPoint[]) => judged(points).dealVerdict
const ago = (days: number) => new Date(now - days * day).toISOString()

test('money under the typical price counts as much as is known of 90 days, in whole tenths', () => {
  // 6.00 under, for 89 and for 45 of 90 days.
  expect(asked(seen(20, 89, 5), seen(14, 5, 0))).toMatchObject({ best: 5.4, under_typical: 30 })
  // Three decimals would be ordered otherwise here than in the database, which has two.
  expect(asked(seen(20.06, 89, 5), seen(14, 5, 0))).toMatchObject({ best: 5.45 })
  expect(asked(seen(20, 45, 5), seen(14, 5, 0))).toMatchObject({ best: 3, under_typical: 30 })
  expect(asked(seen(20, 44, 5), seen(14, 5, 0))).toMatchObject({ best: 2.4, under_typical: 30 })
})

test('above the typical price there is nothing under it, and the order goes on', () => {
  expect(asked(seen(20, 90, 5), seen(25, 5, 0))).toMatchObject({
    best: -5,
    under_typical: null,
    low_days: null,
  })
  expect(asked(seen(20, 90, 0))).toMatchObject({ best: 0, under_typical: null })
})

test('shares are rounded down, of whole cents', () => {
  expect(asked(seen(10, 60, 5), seen(8.01, 5, 0))).toMatchObject({ under_typical: 19, drop: 19 })
  expect(asked(seen(10, 60, 5), seen(8, 5, 0))).toMatchObject({ under_typical: 20, drop: 20 })
  expect(asked(seen(100, 60, 5), seen(99.5, 5, 0))).toMatchObject({ under_typical: 0, drop: 0 })
})

test('too early to judge, only how it last changed is known', () => {
  expect(asked(seen(20, 5, 1), seen(10, 1, 0))).toEqual({
    ...{ kind: 'new', short: 'Too early to judge', sparkline: expect.any(String) },
    ...{ best: null, under_typical: null, low_days: null, drop: 50, dropped_at: ago(1) },
  })
})

test('the low of the longest window that was watched enough and has a higher price in it', () => {
  const low = (...points: StoredPoint[]) => asked(...points)?.low_days
  expect(low(seen(14, 34, 5), seen(10, 5, 0))).toBe(30)
  expect(low(seen(14, 35, 5), seen(10, 5, 0))).toBe(90)
  expect(low(seen(14, 141, 5), seen(10, 5, 0))).toBe(90)
  expect(low(seen(14, 142, 5), seen(10, 5, 0))).toBe(365)
  // A sight from before the window says nothing of it.
  expect(low(seen(14, 800), seen(14, 34, 5), seen(10, 5, 0))).toBe(30)
  expect(low(seen(9, 200, 100), seen(14, 100, 5), seen(10, 5, 0))).toBe(90)
  expect(low(seen(9, 200, 60), seen(14, 60, 5), seen(10, 5, 0))).toBe(30)
  expect(low(seen(9, 60, 10), seen(14, 10, 5), seen(10, 5, 0))).toBeNull()
  // Always the same price, or the same for as long as the window: lower than nothing.
  expect(low(seen(10, 200, 0))).toBeNull()
  expect(low(seen(14, 200, 60), seen(10, 60, 0))).toBe(365)
})

test('a fall is the last change of the price, whatever the list price did since, and however often it was seen', () => {
  expect(asked(seen(20, 60, 30), seen(15, 30, 10), seen(15, 10, 0, 25))).toMatchObject({
    ...{ drop: 25, dropped_at: ago(30) },
  })
  expect(asked(seen(20, 60, 30), seen(15, 30, 10), seen(16, 10, 0))).toMatchObject({
    ...{ drop: null, dropped_at: null },
  })
  expect(asked(seen(20, 60, 0))).toMatchObject({ drop: null, dropped_at: null })
  // Ten minutes at a hundred were nobody's price.
  expect(asked(seen(20, 60, 30), seen(100, 30, null), seen(20, 30 - 0.007, 0))).toMatchObject({ drop: null })
})

test('of any history: what is said to be under is under, and a low is no higher than the figure of its window', () => {
  let lows = 0
  fc.assert(
    fc.property(histories, (points) => {
      const { verdict, dealVerdict } = judged(points)
      const { typical, low_30, low_90, low_365 } = verdict.figures
      const price = points.findLast((point) => point.price !== null)?.price ?? 0
      if (!dealVerdict) return
      const { best, under_typical, low_days, drop, dropped_at } = dealVerdict
      expect(best === null).toBe(verdict.kind === 'new')
      if (under_typical !== null) {
        expect(price).toBeLessThan(typical ?? 0)
        expect(best).toBeGreaterThanOrEqual(0)
      }
      const low = { 30: low_30, 90: low_90, 365: low_365 }[low_days ?? 0]
      if (low_days !== null) lows += 1
      if (low) expect(price).toBeLessThanOrEqual(low.price)
      if (verdict.kind === 'lowest') expect(low_days).toBeGreaterThanOrEqual(90)
      expect(drop === null).toBe(dropped_at === null)
    }),
    { numRuns: 1000 },
  )
  expect(lows).toBeGreaterThan(20)
})
