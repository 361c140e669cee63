import { expect, test, vi } from 'vitest'
import { Cancellation } from './cancellation.ts'

test('tells those who listen once, with the first reason, as an AbortController does', () => {
  const [one, other, left] = [vi.fn(), vi.fn(), vi.fn()]
  const cancellation = new Cancellation()
  for (const listener of [one, other, left]) cancellation.addEventListener('abort', listener)
  cancellation.removeEventListener('abort', left)
  expect(cancellation.aborted).toBe(false)
  cancellation.abort('first')
  cancellation.abort('second')
  expect([cancellation.aborted, cancellation.reason]).toEqual([true, 'first'])
  expect([one, other, left].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0])
})
