import { expect, test } from 'vitest'
import { splitChanges } from './publisher.ts'

test('changes are cut into events of at most a thousand ids, none for no change', () => {
  const ids = Array.from({ length: 2_500 }, (_, index) => index)
  const events = splitChanges({ added: ids, changed: [1], removed: [] })
  expect(events.map((event) => event.added.length + event.changed.length)).toEqual([1000, 1000, 501])
  expect(events.flatMap((event) => event.added)).toEqual(ids)
  expect(splitChanges({ added: [], changed: [], removed: [] })).toEqual([])
})
