import { expect, test } from 'vitest'
import { TimeSlice } from './time-slice.ts'

const workFor = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('others have their turn once a slice is over, and not before', async () => {
  const slice = new TimeSlice()
  let turns = 0
  setImmediate(() => (turns += 1))
  await slice.pause()
  expect(turns).toBe(0)
  workFor(5)
  await slice.pause()
  expect(turns).toBe(1)
})

test('work that nobody waits for any more ends at its next pause', async () => {
  const ending = new AbortController()
  const slice = new TimeSlice()
  await slice.pause(ending.signal)
  ending.abort(new Error('gone'))
  await expect(slice.pause(ending.signal)).rejects.toThrow('gone')
})
