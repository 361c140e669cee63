import { expect, test } from 'vitest'
import { MemberPace } from './member-pace.ts'

test('within its burst a member never waits, then goes on at its rate; others notice nothing', () => {
  const pace = new MemberPace(100, 50)
  const waits = (count: number, at: number, member = 'a') =>
    Array.from({ length: count }, () => pace.take(member, 1, at))
  expect(Math.max(...waits(50, 1_000))).toBe(0)
  expect(waits(3, 1_000)).toEqual([10, 20, 30])
  expect(pace.take('b', 1, 1_000)).toBe(0)
  // What is owed is worked off first, then the bucket fills.
  expect(pace.take('a', 1, 1_030)).toBe(10)
  expect(Math.max(...waits(50, 2_000))).toBe(0)
  expect(pace.take('a', 1, 2_000)).toBe(10)
})

test('nobody waits longer than five seconds, whatever they have asked for', () => {
  const pace = new MemberPace(100, 50)
  expect(pace.take('a', 1_000_000, 1_000)).toBe(5_000)
  expect(pace.take('a', 1, 6_000)).toBe(10)
})

test('ever new members cost a bounded memory, and do not make it forget who is busy', () => {
  const pace = new MemberPace(100, 50)
  for (let at = 0; at < 10_000; at++) pace.take(`early ${at}`, 1, 0)
  for (let at = 0; at < 60; at++) pace.take('busy', 1, 60_000)
  expect(pace.size).toBeLessThanOrEqual(10_000)
  expect(pace.take('busy', 1, 60_000)).toBeGreaterThan(0)
})
