import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LiveHandlers } from './live.ts'
import { followLive } from './live-hub.ts'

const opened: { names: readonly string[]; handlers: LiveHandlers; isOpen: boolean }[] = []
vi.mock('./live.ts', () => ({
  openLive: (_url: string, names: readonly string[], handlers: LiveHandlers) => {
    const stream = { names, handlers, isOpen: true }
    opened.push(stream)
    return () => {
      stream.isOpen = false
    }
  },
}))

const stops: (() => void)[] = []
function follow(name: 'filters' | 'me') {
  const refetch = vi.fn()
  const stop = followLive(name, refetch)
  stops.push(stop)
  return { refetch, stop }
}

beforeEach(() => {
  opened.length = 0
})
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

test('one stream is open for all who follow, until the last of them stops', () => {
  const [filters, me, again] = [follow('filters'), follow('me'), follow('me')]
  expect(opened).toMatchObject([{ names: ['filters', 'me'], isOpen: true }])
  filters.stop()
  me.stop()
  // Twice is no more than once.
  me.stop()
  expect(opened[0]?.isOpen).toBe(true)
  again.stop()
  expect(opened[0]?.isOpen).toBe(false)
  follow('me')
  expect(opened).toHaveLength(2)
})

test('an event is for those of its name, and fetches once however many follow', () => {
  const [filters, me, again] = [follow('filters'), follow('me'), follow('me')]
  const calls = () => [filters, me, again].map(({ refetch }) => refetch.mock.calls.length)
  opened[0]?.handlers.onEvent('me', {})
  expect(calls()).toEqual([0, 0, 1])
  opened[0]?.handlers.onEvent('deals', {})
  opened[0]?.handlers.onEvent('filters', {})
  expect(calls()).toEqual([1, 0, 1])
})

test('what may have been missed is fetched for all', () => {
  const [filters, me] = [follow('filters'), follow('me')]
  opened[0]?.handlers.onOpen(false)
  opened[0]?.handlers.onRefused()
  expect([filters.refetch.mock.calls.length, me.refetch.mock.calls.length]).toEqual([2, 2])
  filters.stop()
  opened[0]?.handlers.onOpen(true)
  expect([filters.refetch.mock.calls.length, me.refetch.mock.calls.length]).toEqual([2, 3])
})
