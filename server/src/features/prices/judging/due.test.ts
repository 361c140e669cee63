import { expect, test } from 'vitest'
import { judged, now, priceSeen as seen } from '../../../../testing/price-histories.ts'
import type { StoredPoint } from './history.ts'
import { day } from './thresholds.ts'

const hour = day / 24
/** In how many days it reads differently, looked at whenever it is due, and the short forms of now and of then. */
function due(...points: StoredPoint[]) {
  const { verdict, nextDue } = judged(points)
  let [at, then] = [nextDue, judged(points, nextDue)]
  while (then.verdict.short === verdict.short) [at, then] = [then.nextDue, judged(points, then.nextDue)]
  return [(at - now) / day, verdict.short, then.verdict.short]
}

test('after a fortnight a price is old enough, and when half of 30 days is known something is said', () => {
  expect(due(seen(20, 12, 0))).toEqual([2, 'Too early to judge', 'Seen too rarely'])
  expect(due(seen(20, 14, 0))).toEqual([1, 'Seen too rarely', 'Its normal price'])
})

test('coverage that decays: of 30 days less than half is known', () => {
  const [days, ...shorts] = due(seen(20, 60, 12))
  // Known until 10 days ago, so 20 of 30 days are; 5 days on it is half, and a moment later less.
  expect(days).toBeCloseTo(5, 6)
  expect(shorts).toEqual(['Its normal price', 'Seen too rarely'])
})

test('too little of 90 days is left of what was offered rarely', () => {
  const [days, ...shorts] = due(seen(20, 95, 77), seen(null, 77, 3), seen(20, 3, 0))
  expect(days).toBeCloseTo(4, 6)
  expect(shorts).toEqual(['Its normal price', 'Seen too rarely'])
})

test('a low leaves its window', () => {
  const [days, ...shorts] = due(seen(15, 89, 88), seen(20, 88, 3), seen(16, 3, 0))
  expect(days).toBeCloseTo(2, 6)
  expect(shorts).toEqual(['Well under its usual price', 'Lowest in 90 days'])
})

test('a low leaves its window, and the one after it is near', () => {
  const points = [seen(9, 89, 88), seen(14, 88, 30), seen(9.9, 30, 28), seen(14, 28, 3), seen(10, 3, 0)]
  const [days, ...shorts] = due(...points)
  expect(days).toBeCloseTo(2, 6)
  expect(shorts).toEqual(['Well under its usual price', 'Near its low of 90 days'])
})

test('old enough for a low', () => {
  expect(due(seen(14, 33, 5), seen(10, 5, 0))).toEqual([2, 'Near its low of 90 days', 'Lowest in 90 days'])
})

test('what was seen before a silence leaves the window, which is watched for too short a time then', () => {
  const [days, ...shorts] = due(seen(14, 89, 88), seen(14, 20, 5), seen(10, 5, 0))
  // Known until 86 days ago.
  expect(days).toBeCloseTo(4, 6)
  expect(shorts).toEqual(['Lowest in 90 days', 'Near its low of 90 days'])
})

test('the typical price is less far above', () => {
  const [days, ...shorts] = due(seen(20, 90, 43), seen(15, 43, 41), seen(19, 41, 1), seen(18, 1, 0))
  expect(days).toBeCloseTo(2, 6)
  expect(shorts).toEqual(['Well under its usual price', 'A little under its usual price'])
})

test('the typical price becomes another', () => {
  // The higher price held 49 days, of which one a day is lost; the lower one 41, and is known for two more.
  const [days, ...shorts] = due(seen(20, 90, 41), seen(15, 41, 0))
  expect(days).toBeCloseTo(6, 6)
  expect(shorts).toEqual(['Lowest in 90 days', 'About what it usually costs'])
})

test('a raise is too old', () => {
  const [days, ...shorts] = due(seen(12, 80, 26), seen(15, 26, 0, 25))
  expect(days).toBe(4)
  expect(shorts).toEqual(['Raised before the 40 % off', 'List price not seen in 90 days'])
})

test('once a week while something is drawn, once the price of now is unknown, at most once an hour, never where nothing is left', () => {
  expect(judged([seen(20, 50, 3)]).nextDue).toBe(now + 7 * day)
  expect(judged([seen(20, 50, 0)]).nextDue).toBe(now + 3 * day)
  expect(judged([seen(20, 14 - 1 / 48, 0)]).nextDue).toBe(now + hour)
  expect(judged([seen(20, 200, 180)]).nextDue).toBe(Number.POSITIVE_INFINITY)
})

test('times ahead of now are looked at every hour', () => {
  expect(judged([seen(20, 50, -30)]).nextDue).toBe(now + hour)
})
