import { expect, test } from 'vitest'
import { keptRange } from './kept-range.ts'

const near = { startIndex: 10, endIndex: 12, overscan: 1, count: 20 }

test.each([
  ['nothing has the focus', -1, [9, 10, 11, 12, 13]],
  ['far above', 3, [2, 3, 4, 9, 10, 11, 12, 13]],
  ['far below, at the end', 19, [9, 10, 11, 12, 13, 18, 19]],
  ['at the very top', 0, [0, 1, 9, 10, 11, 12, 13]],
  ['among those shown', 11, [9, 10, 11, 12, 13]],
  ['at their edge', 13, [9, 10, 11, 12, 13, 14]],
  ['in a row that is gone', 40, [9, 10, 11, 12, 13]],
])('%s', (_, focused, expected) => {
  expect(keptRange(near, focused)).toEqual(expected)
})

test('an empty list has no rows', () => {
  expect(keptRange({ startIndex: 0, endIndex: 0, overscan: 4, count: 0 }, 2)).toEqual([])
})
