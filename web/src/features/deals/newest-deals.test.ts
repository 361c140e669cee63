import type { Deal } from '@dealdeck/contract/deals'
import { expect, test } from 'vitest'
import { newestCount, placeDeals, sampleDeals } from './view.ts'

const [made] = sampleDeals(Date.parse('2026-03-01T12:00:00Z'))

/** A deal first seen so many minutes after the others' hour; the higher, the newer. */
function deal(id: number): Deal {
  return { ...made, id, first_seen: new Date(Date.UTC(2026, 2, 1, 0, id)).toISOString() }
}
/** The newest first, as the server lists them. */
const listed = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => deal(from - n))
const ids = (deals: readonly Deal[]) => deals.map(({ id }) => id)
const nothing = new Set<number>()

test('new deals take the places of the oldest, and nothing else moves', () => {
  const row = listed(newestCount, 1)
  const next = placeDeals(row, listed(newestCount + 2, 3), nothing)
  expect(ids(next)).toEqual([...ids(row.slice(0, -2)), newestCount + 2, newestCount + 1])
  expect(
    placeDeals(
      next,
      listed(newestCount + 2, 3).map((found) => next.find(({ id }) => id === found.id) ?? found),
      nothing,
    ),
  ).toBe(next)
})

test('a place in sight keeps its deal until it is out of sight', () => {
  const row = listed(newestCount, 1)
  const newest = listed(newestCount + 1, 2)
  expect(ids(placeDeals(row, newest, new Set([newestCount - 1])))).toEqual(ids(row))
  expect(ids(placeDeals(row, newest, nothing)).at(-1)).toBe(newestCount + 1)
})

test('a deal that is gone leaves at once, also in sight', () => {
  const row = listed(newestCount + 1, 2)
  const newest = [...listed(newestCount + 1, 1)].filter(({ id }) => id !== 9)
  const next = ids(placeDeals(row, newest, new Set(row.keys())))
  expect(next).toEqual(ids(row).map((id) => (id === 9 ? 1 : id)))
  expect(ids(placeDeals(listed(3, 1), [deal(3), deal(1)], new Set([0, 1, 2])))).toEqual([3, 1])
})

test('fewer than twenty grow at the end, which comes before the beginning', () => {
  expect(ids(placeDeals(listed(3, 1), listed(5, 1), new Set([0, 1, 2])))).toEqual([3, 2, 1, 5, 4])
  expect(ids(placeDeals([], listed(3, 1), nothing))).toEqual([3, 2, 1])
  expect(placeDeals(listed(3, 1), [], nothing)).toEqual([])
})
