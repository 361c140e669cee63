import { expect, test } from 'vitest'
import { now, priceSeen as seen } from '../../../../testing/price-histories.ts'
import { type StoredPoint, toRuns } from './history.ts'
import { day } from './thresholds.ts'

/** Each run as its price and the days before now from and until which it is known. */
const runs = (...points: StoredPoint[]) =>
  toRuns(points, now).map(({ price, from, until }) => [price, (now - from) / day, (now - until) / day])

test('a price is known until the next one, or two days after it was last seen', () => {
  expect(runs(seen(20, 30, 10), seen(15, 9, 5))).toEqual([
    [20, 30, 9],
    [15, 9, 3],
  ])
  expect(runs(seen(20, 30, null), seen(15, 9))).toEqual([
    [20, 30, 28],
    [15, 9, 7],
  ])
})

test('points that say the same without a hole become one run, with a hole two', () => {
  expect(runs(seen(20, 30, 20), seen(20, 18, 10))).toEqual([[20, 30, 8]])
  expect(runs(seen(20, 30, 20), seen(20, 17, 10))).toEqual([
    [20, 30, 18],
    [20, 17, 8],
  ])
  expect(runs(seen(20, 30, 20, 25), seen(20, 20, 10))).toHaveLength(2)
})

test('a list price splits no time without an offer', () => {
  expect(runs(seen(null, 30, 20, 25), seen(null, 20, 10))).toEqual([[null, 30, 8]])
})

test('wrong points count as if they had never come', () => {
  const wrong = { ...seen(2, 20, 10), isWrong: true }
  expect(runs(seen(20, 30, 20), wrong, seen(20, 19, 5))).toEqual([[20, 30, 3]])
})

test('times ahead of now are now', () => {
  expect(runs(seen(20, 3, -4))).toEqual([[20, 3, -2]])
  expect(runs(seen(20, 3, 1), seen(15, -1, -2))).toEqual([
    [20, 3, 0],
    [15, 0, -2],
  ])
})

test('points come in any order and stay as they are', () => {
  const points = [seen(15, 9, 5), seen(20, 30, 10)]
  expect(runs(...points)).toEqual(runs(...points.toReversed()))
  expect(points.map(({ price }) => price)).toEqual([15, 20])
})
