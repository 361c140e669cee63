import type { Deal } from '@dealdeck/contract/deals'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newestCount } from '../view.ts'
import { countUnseen, placeDeals } from './newest-row.ts'
import { sampleDeals } from './samples.ts'

const [made] = sampleDeals(Date.parse('2026-03-01T12:00:00Z'))

/** A deal first seen so many minutes after the others' hour; the higher, the newer. */
function deal(id: number): Deal {
  return { ...made, id, first_seen: new Date(Date.UTC(2026, 2, 1, 0, id)).toISOString() }
}
/** The newest first, as the server lists them. */
const listed = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => deal(from - n))
const ids = (deals: readonly Deal[]) => deals.map(({ id }) => id)
const nothing = new Set<number>()
const start = new Set([0, 1, 2])

test('new deals stand before what is in sight, the newest first, and nothing in sight moves', () => {
  const row = listed(newestCount, 1)
  const newest = listed(newestCount + 2, 3)
  const next = placeDeals(row, newest, start)
  expect(ids(next)).toEqual([...ids(row.slice(0, -2)), newestCount + 2, newestCount + 1])
  expect(
    placeDeals(
      next,
      ids(newest).map((id) => next.find((found) => found.id === id) ?? made),
      start,
    ),
  ).toBe(next)
  expect(ids(placeDeals(row, newest, nothing))).toEqual(ids(newest))
})

test('a place in sight keeps its deal until it is out of sight, and the newest needn’t wait for it', () => {
  const row = listed(newestCount, 1)
  const next = placeDeals(row, listed(newestCount + 1, 2), new Set([newestCount - 1]))
  expect(next.at(-1)?.id).toBe(1)
  expect(ids(next)).toContain(newestCount + 1)
  expect(next).toHaveLength(newestCount)
})

test('a deal that is gone leaves at once, also in sight', () => {
  const row = listed(newestCount + 1, 2)
  const newest = [...listed(newestCount + 1, 1)].filter(({ id }) => id !== 9)
  const next = ids(placeDeals(row, newest, new Set(row.keys())))
  expect(next).toEqual(ids(row).map((id) => (id === 9 ? 1 : id)))
  expect(ids(placeDeals(listed(3, 1), [deal(3), deal(1)], start))).toEqual([3, 1])
})

test('fewer than twenty grow at the end, which comes before the beginning', () => {
  expect(ids(placeDeals(listed(3, 1), listed(5, 1), start))).toEqual([3, 2, 1, 5, 4])
  expect(ids(placeDeals([], listed(3, 1), nothing))).toEqual([3, 2, 1])
  expect(placeDeals(listed(3, 1), [], nothing)).toEqual([])
})

test('whatever comes and goes, the row is that of the newest, from the newest on, once it is looked at elsewhere', () => {
  const some = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: newestCount })
  const newestOf = (found: number[]) => found.sort((a, b) => b - a).map(deal)
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 6 }), fc.nat(19), (looks, at) => {
      let row: readonly Deal[] = []
      for (const found of looks) {
        const newest = newestOf(found)
        row = placeDeals(row, newest, new Set([at, at + 1]))
        expect(new Set(ids(row)).size).toBe(row.length)
        expect(row.length).toBe(newest.length)
      }
      const newest = newestOf(looks.at(-1) ?? [])
      row = placeDeals(row, newest, new Set([0]))
      const begin = row.findIndex(({ id }) => id === newest[0]?.id)
      expect(ids([...row.slice(begin), ...row.slice(0, begin)])).toEqual(ids(newest))
    }),
  )
})

test('what is newer than all that was seen is counted, and no older deal that moved up', () => {
  expect(countUnseen(listed(5, 1), new Set([3, 2]))).toBe(2)
  expect(countUnseen(listed(5, 1), new Set([5, 4]))).toBe(0)
  expect(countUnseen(listed(2, 1), nothing)).toBe(2)
})
