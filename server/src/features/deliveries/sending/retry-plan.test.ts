import { expect, test } from 'vitest'
import { destinationPause, pauseAfter } from './retry-plan.ts'

test('tries follow the plan of Standard Webhooks, and end with the tenth', () => {
  const planned = Array.from({ length: 10 }, (_, at) => pauseAfter(at + 1, () => 0))
  const [minutes, hours] = [60_000, 3_600_000]
  expect(planned).toEqual([
    ...[5_000, 5 * minutes, 30 * minutes, 2 * hours, 5 * hours],
    ...[10 * hours, 14 * hours, 20 * hours, 24 * hours, null],
  ])
  expect(pauseAfter(2, () => 1)).toBe(6 * minutes)
})

test('a destination that fails is asked once a minute at least, whatever waits for it', () => {
  expect([5_000, 300_000].map(destinationPause)).toEqual([5_000, 60_000])
})
