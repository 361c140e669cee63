import { expect, test } from 'vitest'
import { ratiosOf, type Taken, widthOf } from './ratios.ts'

test('each ratio is of one start, and its median, least and greatest over the starts are told', () => {
  const start = (ours: number, theirs: number): Taken => ({
    ...{ name: 'a page', times: { '': [ours, theirs] }, processor: [theirs, ours] },
  })
  // The medians of the sides alone would say 1.5.
  const ratios = ratiosOf([[start(2, 2)], [start(40, 20)], [start(3, 1)]])
  expect(ratios).toEqual([
    { name: 'a page', kind: 'time', middle: 2, least: 1, greatest: 3, sides: [3, 2] },
    {
      ...{ name: 'a page: processor', kind: 'processor', middle: 1 / 2, least: 1 / 3, greatest: 1 },
      sides: [2, 3],
    },
  ])
  expect(widthOf(ratios)).toBe('0.33–3.00')
})

test('a thing with several times has a ratio for each, before that of its processor time', () => {
  const taken: Taken = { name: 'an event', times: { middle: [1, 2], last: [4, 2] }, processor: [1, 1] }
  expect(ratiosOf([[taken]]).map(({ name, middle }) => [name, middle])).toEqual([
    ['an event: middle', 0.5],
    ['an event: last', 2],
    ['an event: processor', 1],
  ])
})
