import { expect, onTestFinished, test, vi } from 'vitest'
import { TimeSlice } from './time-slice.ts'

test('others have their turn once a slice is over, not before, and then after another one', async () => {
  let now = 100
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  const slice = new TimeSlice()
  /** Whether others had their turn in a pause at that time. */
  const letsOthers = async (at: number) => {
    now = at
    let isTheirs = false
    const turn = setImmediate(() => {
      isTheirs = true
    })
    await slice.pause()
    clearImmediate(turn)
    return isTheirs
  }
  const times = [103.9, 104, 107.9, 108]
  const found: boolean[] = []
  for (const at of times) found.push(await letsOthers(at))
  expect(found).toEqual([false, true, false, true])
})

test('work that nobody waits for any more ends at its next pause', async () => {
  const ending = new AbortController()
  const slice = new TimeSlice()
  await slice.pause(ending.signal)
  ending.abort(new Error('gone'))
  await expect(slice.pause(ending.signal)).rejects.toThrow('gone')
})
