import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { later } from './later.ts'

let runs = 0
let isFailing = false
const work = () => {
  runs += 1
  return isFailing ? Promise.reject(new TypeError('Failed to fetch')) : undefined
}

beforeEach(() => {
  runs = 0
  isFailing = false
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  vi.stubGlobal('window', new EventTarget())
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('several calls are one run', async () => {
  const { run } = later(1_000, work)
  run()
  await vi.advanceTimersByTimeAsync(900)
  run()
  await vi.advanceTimersByTimeAsync(100)
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(runs).toBe(1)
})

test('what failed runs again after growing pauses, until it succeeds', async () => {
  isFailing = true
  later(1_000, work).run()
  const times: number[] = []
  for (let second = 1; second <= 200; second += 1) {
    const before = runs
    await vi.advanceTimersByTimeAsync(1_000)
    if (runs > before) times.push(second)
  }
  expect(times).toEqual([1, 3, 7, 15, 31, 63, 123, 183])
  isFailing = false
  await vi.advanceTimersByTimeAsync(120_000)
  expect(runs).toBe(9)
})

test('what failed runs again as soon as the device is online or another call comes, and never once it is stopped', async () => {
  isFailing = true
  const { run, stop } = later(1_000, work)
  run()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(runs).toBe(4)
  window.dispatchEvent(new Event('online'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(runs).toBe(5)
  run()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(runs).toBe(6)
  stop()
  window.dispatchEvent(new Event('online'))
  run()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(runs).toBe(6)
})

test('a call while it runs is for the next run, after the end of this one', async () => {
  const ends: (() => void)[] = []
  const { run, stop } = later(1_000, () => new Promise<void>((end) => ends.push(end)))
  run()
  await vi.advanceTimersByTimeAsync(1_000)
  run()
  run()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(999)
  expect(ends).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(ends).toHaveLength(2)
  ends[1]?.()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ends).toHaveLength(2)
  run()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ends).toHaveLength(3)
  run()
  stop()
  ends[2]?.()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ends).toHaveLength(3)
})

test('a run that never ends holds up the next for ten seconds', async () => {
  const ends: (() => void)[] = []
  const { run } = later(1_000, () => new Promise<void>((end) => ends.push(end)))
  run()
  await vi.advanceTimersByTimeAsync(1_000)
  run()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(ends).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ends).toHaveLength(2)
  // The end of the older one is not the end of the newer.
  run()
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(ends).toHaveLength(2)
  ends[1]?.()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ends).toHaveLength(3)
})
