import { expect, test } from 'vitest'
import { retryAfter, retryAfterMs, waitMs } from './retry-after.ts'

const now = new Date('2026-05-04T12:00:00Z')

test('what is asked for by Retry-After', () => {
  const after = (value: string) => retryAfterMs(new Headers({ 'retry-after': value }), now)
  expect(after('7')).toBe(7_000)
  expect(after('0.35')).toBe(350)
  expect(after('Mon, 04 May 2026 12:01:30 GMT')).toBe(90_000)
  expect(after('Mon May  4 12:01:30 2026')).toBe(90_000)
  expect(after('Mon, 04 May 2026 11:00:00 GMT')).toBe(0)
  expect(after('99999999')).toBe(86_400_000)
  expect(after('soon')).toBeNull()
  expect(retryAfterMs(new Headers(), now)).toBeNull()
  expect([waitMs(1.5), waitMs('2'), waitMs(-1), waitMs(Number.NaN)]).toEqual([1_500, 0, 0, 0])
})

test('until when', () => {
  const until = (value: string) => retryAfter(new Headers({ 'retry-after': value }), now)?.toISOString()
  expect(until('90')).toBe('2026-05-04T12:01:30.000Z')
  expect([until('0'), until('soon'), until('Mon, 04 May 2026 11:00:00 GMT')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
