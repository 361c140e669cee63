import { expect, test } from 'vitest'
import { RefreshPauses } from './refresh-pauses.ts'

const seconds = 1_000
const minutes = 60 * seconds

/** Pauses after pieces of 10 ms of a refresh, each of deals that became due in the given second. */
function refreshing() {
  const pauses = new RefreshPauses()
  return (now: number, dueAt: number, changed = 0) =>
    pauses.after({ tookMs: 10, changed, dueAt: [dueAt + 0.5, dueAt] }, now)
}

test('a piece leaves others twice as long as it took, and for a minute longer where nobody sees a difference', () => {
  const after = refreshing()
  expect([after(0, 900, 3), after(10, 890)]).toEqual([20, 160])
  expect([after(59 * seconds, 880), after(61 * seconds, 870)]).toEqual([160, 20])
})

test('what comes into a refresh that has gone on for long has a minute of its own', () => {
  const after = refreshing()
  after(0, 900)
  expect(after(2 * minutes, 800)).toBe(20)
  expect([after(2 * minutes + 50, 1_000), after(3 * minutes, 990), after(4 * minutes, 980)]).toEqual([
    160, 160, 20,
  ])
})

test('a few new deals among many old ones are no import', () => {
  const pauses = new RefreshPauses()
  const after = (now: number, ...dueAt: number[]) => pauses.after({ tookMs: 10, changed: 0, dueAt }, now)
  after(0, 900, 890)
  expect(after(2 * minutes, 1_000, 880)).toBe(20)
})

test('where deals come in all the time, longer pauses are a fifth of it in the end', () => {
  const after = refreshing()
  let [now, long, usual] = [0, 0, 0]
  while (now < 60 * minutes) {
    const pause = after(now, now)
    if (pause > 20) long += pause
    else usual += pause
    now += 10 + pause
  }
  expect(long / now).toBeGreaterThan(0.2)
  expect(long / now).toBeLessThan(0.25)
  expect(usual / now).toBeGreaterThan(0.45)
})

test('no pause is longer than a second', () => {
  const after = new RefreshPauses()
  expect(after.after({ tookMs: 9_000, changed: 0, dueAt: [1] }, 0)).toBe(1_000)
  expect(after.after({ tookMs: 9_000, changed: 5, dueAt: [1] }, 9_000)).toBe(1_000)
})
