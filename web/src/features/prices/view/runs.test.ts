import type { PricePoint } from '@dealdeck/contract/prices'
import { expect, test } from 'vitest'
import { isTrusted, runsOf } from './runs.ts'

const day = 24 * 60 * 60_000
const now = Date.parse('2026-05-01T00:00:00Z')
const daysAgo = (days: number) => new Date(now - days * day).toISOString()

/** A point seen so many days ago, and last so many days ago. */
function point(seen: number, last: number | null, values: Partial<PricePoint> = {}): PricePoint {
  return {
    price: 9.99,
    original_price: null,
    seen_at: daysAgo(seen),
    confirmed_until: last === null ? null : daysAgo(last),
    origin: null,
    is_suspect: false,
    is_wrong: false,
    ...values,
  }
}

/** From when to when, in days before now, and whether another one followed. */
const spans = (points: PricePoint[]) =>
  runsOf(points, now).map(({ from, until, isFollowed }) => [
    (now - from) / day,
    (now - until) / day,
    isFollowed,
  ])

test('a price holds until the next one, and two days beyond its last sight at most', () => {
  expect(spans([point(30, 21), point(20, 10)])).toEqual([
    [30, 20, true],
    [20, 8, false],
  ])
  expect(spans([point(30, 25), point(20, 10)])[0]).toEqual([30, 23, false])
})

test('of what was seen once nobody knows more, and nothing is known beyond now', () => {
  expect(spans([point(30, null), point(1, null)])).toEqual([
    [30, 28, false],
    [1, 0, false],
  ])
})

test('a price marked as wrong ends no other one and has no grace', () => {
  expect(spans([point(30, 21), point(20.5, 20.5, { is_wrong: true }), point(20, 0)])).toEqual([
    [30, 20, true],
    [20.5, 20.5, false],
    [20, 0, false],
  ])
})

test('a clock that runs ahead, or backwards, never makes a time negative', () => {
  for (const { from, lastSeen, until } of runsOf([point(3, -2), point(2, 5), point(-1, -1)], now)) {
    expect(lastSeen).toBeGreaterThanOrEqual(from)
    expect(until).toBeGreaterThanOrEqual(lastSeen)
    expect(until).toBeLessThanOrEqual(now)
  }
})

test('what counts was offered, is not suspect and not marked', () => {
  const points = [
    point(4, 4),
    point(3, 3, { price: null }),
    point(2, 2, { is_suspect: true }),
    point(1, 1, { is_wrong: true }),
  ]
  expect(runsOf(points, now).map(isTrusted)).toEqual([true, false, false, false])
})
