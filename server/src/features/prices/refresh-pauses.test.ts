import { expect, test } from 'vitest'
import { longerForMs, RefreshPauses } from './refresh-pauses.ts'

const seconds = 1_000
const minutes = 60 * seconds
const [usual, longer] = [20, 160]

/** Pauses after pieces of 10 ms, each of two deals that became due at a time and just before it. */
function refreshing() {
  const pauses = new RefreshPauses()
  return (now: number, dueAt: number, changed = 0) =>
    pauses.after({ tookMs: 10, changed, dueAt: [dueAt, dueAt - 0.5] }, now)
}

/** Milliseconds of longer pauses and of others, of pieces of 10 ms one after the other. */
function lasting(
  after: ReturnType<typeof refreshing>,
  from: number,
  until: number,
  dueAt: (now: number) => number,
) {
  const spent = { longer: 0, usual: 0 }
  for (let now = from; now < until; ) {
    const pause = after(now, dueAt(now))
    spent[pause > usual ? 'longer' : 'usual'] += pause
    now += 10 + pause
  }
  return spent
}

test('a piece leaves others twice as long as it took, and for a minute longer where nobody sees a difference', () => {
  const after = refreshing()
  expect([after(0, 900, 3), after(10, 890)]).toEqual([usual, longer])
  expect([after(longerForMs - 1, 880), after(longerForMs, 870)]).toEqual([longer, usual])
})

test('what comes into a refresh that has gone on for long has a minute of its own', () => {
  const after = refreshing()
  after(0, 900)
  expect(after(2 * minutes, 800)).toBe(usual)
  expect([after(2 * minutes + 50, 1_000), after(3 * minutes, 990), after(4 * minutes, 980)]).toEqual([
    ...[longer, longer, usual],
  ])
})

test('neither a few new deals among many old ones, nor as old ones as before, are an import', () => {
  const pauses = new RefreshPauses()
  const after = (now: number, ...dueAt: number[]) => pauses.after({ tookMs: 10, changed: 0, dueAt }, now)
  after(0, 900, 890)
  expect(after(2 * minutes, 1_000, 880)).toBe(usual)
  expect(after(3 * minutes, 1_000, 1_000)).toBe(usual)
  // Older than the newest, though newer than the last.
  expect([after(4 * minutes, 700, 600), after(5 * minutes, 900, 800)]).toEqual([usual, usual])
})

test('two imports on end have their minutes, and a third one has less', () => {
  const after = refreshing()
  const [first, second, third] = [0, 1, 2].map((at) =>
    lasting(after, at * minutes, (at + 1) * minutes, () => 1_000 + at),
  )
  expect(first?.usual).toBe(0)
  expect(second?.usual).toBe(0)
  expect(third?.usual).toBeGreaterThan(5 * seconds)
})

test('a quiet hour saves up no more than two minutes', () => {
  const after = refreshing()
  after(0, 900)
  const spent = lasting(after, 60 * minutes, 65 * minutes, (now) => now)
  expect(spent.longer).toBeGreaterThan(120 * seconds)
  expect(spent.longer).toBeLessThan((120 + 0.21 * 5 * 60) * seconds)
})

test('where deals come in all the time, longer pauses are a fifth of it in the end', () => {
  const spent = lasting(refreshing(), 0, 60 * minutes, (now) => now)
  expect(spent.longer / (60 * minutes)).toBeGreaterThan(0.2)
  expect(spent.longer / (60 * minutes)).toBeLessThan(0.25)
  expect(spent.usual / (60 * minutes)).toBeGreaterThan(0.45)
})

test('no pause is longer than a second', () => {
  const pauses = new RefreshPauses()
  expect(pauses.after({ tookMs: 9_000, changed: 0, dueAt: [1] }, 0)).toBe(1_000)
  expect(pauses.after({ tookMs: 9_000, changed: 5, dueAt: [1] }, 9_000)).toBe(1_000)
})
