import { expect, test } from 'vitest'
import { now, priceSeen as seen } from '../../../testing/price-histories.ts'
import { readSettings } from '../../platform/settings.ts'
import { day } from './judging/thresholds.ts'
import { judgeHistory, type PriceHistory } from './rules.ts'

const { MARKETPLACE: marketplace } = readSettings({})

/** Offered, and last seen now, unless told otherwise. */
function judgedAt(price: number, points: PriceHistory['points'], more: Partial<PriceHistory> = {}) {
  const history = { price, original_price: null, observed_at: now, is_offered: true, points, ...more }
  return judgeHistory(history, now, marketplace)
}
const wrong = (...point: Parameters<typeof seen>) => ({ ...seen(...point), isWrong: true })

test('where the price shown was marked as wrong, nothing is said of another price', () => {
  const points = [seen(20, 60, 30), seen(15, 30, 1), wrong(4, 1, 0)]
  const { verdict, dealVerdict } = judgedAt(4, points)
  expect([verdict.kind, verdict.text]).toEqual(['new', 'The price shown was marked as wrong.'])
  expect(dealVerdict).toMatchObject({ kind: 'new', short: 'Price marked as wrong', best: null })
  expect(dealVerdict).toMatchObject({ under_typical: null, low_days: null, drop: null, dropped_at: null })
})

test('a price marked as wrong that is not shown keeps nothing from being said', () => {
  const points = [seen(20, 60, 30), wrong(4, 30, 29), seen(15, 29, 0)]
  expect(judgedAt(15, points).verdict.kind).toBe('lowest')
  // Another price since, of which no point may be kept.
  expect(judgedAt(17, [seen(20, 60, 2), wrong(4, 2, 1)]).verdict.kind).toBe('lowest')
  const hidden = judgedAt(4, [seen(20, 60, 30), wrong(4, 2, 0)], { is_offered: false })
  expect(hidden.verdict.short).not.toBe('Price marked as wrong')
})

test('a price that was wrong when it was there last is wrong again where no point of it may be kept', () => {
  const points = [seen(20, 60, 30), wrong(4, 30, 29), seen(20, 29, 1)]
  expect(judgedAt(4, points).verdict.short).toBe('Price marked as wrong')
  expect(judgedAt(4, [...points, seen(null, 1, 0.5)]).verdict.short).toBe('Price marked as wrong')
  expect(judgedAt(4, [...points, seen(4, 1, 0.5), seen(20, 0.5)]).verdict.short).not.toBe(
    'Price marked as wrong',
  )
})

test('a price seen again by what may not be kept as history was seen', () => {
  const { verdict } = judgedAt(20, [seen(20, 40)], { observed_at: now - day / 24 })
  expect(verdict.text).toBe('We have seen this on 1 of the last 30 days. Too few to judge.')
  expect(verdict.figures.low_30?.price).toBe(20)
  // Known for as long as the grace, and not in the hole after it.
  expect(judgedAt(20, [seen(20, 40, 3)]).verdict.figures.coverage_30).toBeCloseTo(29 / 30, 9)
  // Newer than a point is not what an older import saw.
  const older = judgedAt(17, [seen(20, 40, 10), seen(18, 3, 0)], { observed_at: now - 5 * day })
  expect(older.verdict.figures.low_30?.price).toBe(18)
})
