import { expect, test } from 'vitest'
import { judged, now, priceSeen as seen } from '../../../../testing/price-histories.ts'
import { day } from './thresholds.ts'

const sparkline = (...points: Parameters<typeof judged>[0]) => judged(points).dealVerdict?.sparkline

test('steps between low at the bottom and high at the top, up to now', () => {
  expect(sparkline(seen(20, 90, 45), seen(10, 45, 9), seen(15, 9, 0))).toBe('M0 0H45V24H78V12H90')
})

test('what is not known is a gap, and so is what was not offered', () => {
  expect(sparkline(seen(20, 90, 62), seen(10, 30, 0))).toBe('M0 0H29M57 24H90')
  expect(sparkline(seen(20, 90, 60), seen(null, 60, 30), seen(10, 30, 0))).toBe('M0 0H29M57 24H90')
})

test('one price lies in the middle, from when it was first seen', () => {
  expect(sparkline(seen(20, 45, 0))).toBe('M41 12H90')
})

test('it ends at the price of now, however short it held', () => {
  expect(sparkline(seen(20, 90, 0.2), seen(10, 0.2, 0))).toBe('M0 0H86V24H90')
})

test('it ends before now where nothing has been known for a day, as it does where nothing is offered', () => {
  const silent = [seen(25, 80, 40), seen(20, 40, 5.2)]
  expect(sparkline(...silent)).toMatch(/H86$/)
  expect(sparkline(seen(25, 80, 40), seen(20, 40, 1.2), seen(null, 1.2, 0))).toMatch(/H86$/)
  // Known until 3.2 days ago; it is drawn anew a day later.
  const { dealVerdict, nextDue } = judged(silent, now - 3 * day)
  expect(dealVerdict?.sparkline).toMatch(/H90$/)
  expect(nextDue).toBe(now - 2.2 * day)
})

test('a price that is gone within the hour does not show', () => {
  expect(sparkline(seen(20, 90, 50), seen(2, 50), seen(20, 49.99, 0))).toBe('M0 12H90')
})

test('of nothing known in 90 days nothing is drawn', () => {
  expect(sparkline(seen(20, 200, 100))).toBe('')
})

test('prices that are never the same for long take at most 140 bytes', () => {
  const points = Array.from({ length: 90 }, (_, at) =>
    seen(at % 8 < 4 ? 10 + (at % 3) : 90 + (at % 5), 90 - at),
  )
  const path = judged(points).dealVerdict?.sparkline ?? ''
  expect(path.length).toBeGreaterThan(100)
  expect(path.length).toBeLessThanOrEqual(140)
})

test('the same prices draw the same line for days, until a column begins', () => {
  const hours = Array.from({ length: 72 }, (_, hour) => now + hour * 3_600_000)
  const points = [seen(20, 90, 47), seen(15, 47, 21), seen(20, 21, -3)]
  expect(new Set(hours.map((time) => judged(points, time).dealVerdict?.sparkline)).size).toBeLessThanOrEqual(
    2,
  )
})
