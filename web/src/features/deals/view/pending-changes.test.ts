import { expect, test } from 'vitest'
import { PendingChanges } from './pending-changes.ts'

const event = { revision: 1, added: [], changed: [], removed: [] }

test('changes of several events are taken together, once', () => {
  const pending = new PendingChanges()
  pending.add({ ...event, changed: [1, 2], removed: [3, 4] })
  pending.add({ ...event, added: [3], changed: [2] })
  expect(pending.take()).toEqual({
    changed: new Set([1, 2, 3]),
    removed: new Set([4]),
    added: true,
    everything: false,
  })
  const none = { changed: new Set(), removed: new Set(), added: false, everything: false }
  expect(pending.take()).toEqual(none)
})

test('what was taken and could not be fetched is taken again, with what has come since', () => {
  const pending = new PendingChanges()
  pending.add({ ...event, changed: [1, 2] })
  const { changed } = pending.take()
  pending.add({ ...event, changed: [5] })
  pending.put({ changed, everything: true })
  expect(pending.take()).toMatchObject({ changed: new Set([5, 1, 2]), everything: true })
})
