import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LiveHandlers } from './live.ts'
import { beginStreamAfter, saidSoFar, subscribeLive } from './live-hub.ts'

type Stream = { handlers: LiveHandlers; name: string; firstId: string; isOpen: boolean }
const opened: Stream[] = []
vi.mock('./shared-live.ts', () => ({
  shareEvents: (handlers: LiveHandlers, name: string, firstId: string) => {
    const stream = { handlers, name, firstId, isOpen: true }
    opened.push(stream)
    return () => {
      stream.isOpen = false
    }
  },
}))
const session = vi.hoisted(() => ({ id: 1 }))
vi.mock('./session-hint.ts', () => ({ readSessionHint: () => session }))

const stops: (() => void)[] = []
function subscribe(...names: ('deals' | 'reset' | 'filters' | 'me')[]) {
  const seen: string[] = []
  const stop = subscribeLive({
    names,
    onEvent: (name, data) => void seen.push(`${name} ${JSON.stringify(data)}`),
    onState: (state) => void seen.push(state),
    onOpen: (resumed) => void seen.push(resumed ? 'resumed' : 'fresh'),
    onRefused: () => void seen.push('refused'),
  })
  stops.push(stop)
  return { seen, stop }
}

/** The stream that is open. */
function stream(): Stream {
  const found = opened.find(({ isOpen }) => isOpen)
  if (found === undefined) throw new Error('no stream is open')
  return found
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  opened.length = 0
  session.id = 1
})
afterEach(async () => {
  for (const stop of stops.splice(0)) stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('one stream is open for all who subscribe, until a moment after the last of them stops', async () => {
  const [deals, filters, me, again] = [
    subscribe('deals', 'reset'),
    subscribe('filters'),
    subscribe('me'),
    subscribe('me'),
  ]
  stream()
  for (const { stop } of [deals, filters, me, me]) stop()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(opened).toMatchObject([{ isOpen: true }])
  again.stop()
  // The next screen's part subscribes before the moment is over.
  const next = subscribe('deals')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(opened).toMatchObject([{ isOpen: true }])
  next.stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(opened).toMatchObject([{ isOpen: false }])
  subscribe('me')
  stream()
  expect(opened).toHaveLength(2)
})

test('an event is for those of its name, and what happens to the stream is for all', () => {
  const deals = subscribe('deals', 'reset')
  const filters = subscribe('filters')
  const { handlers } = stream()
  handlers.onOpen(false)
  handlers.onEvent('me', {}, '')
  handlers.onEvent('deals', { revision: 1 }, 'e-1')
  handlers.onEvent('filters', {}, '')
  handlers.onRefused()
  expect(deals.seen).toEqual(['connecting', 'fresh', 'deals {"revision":1}', 'refused'])
  expect(filters.seen).toEqual(['connecting', 'fresh', 'filters {}', 'refused'])
})

test('who joins an open stream hears that it is open, as if it were new; who joins a broken one hears that when it is mended', () => {
  const first = subscribe('deals')
  const { handlers } = stream()
  handlers.onState('open')
  handlers.onOpen(false)
  const second = subscribe('deals')
  handlers.onState('down')
  const third = subscribe('deals')
  expect(first.seen).toEqual(['connecting', 'open', 'fresh', 'down'])
  expect(second.seen).toEqual(['open', 'fresh', 'down'])
  expect(third.seen).toEqual(['down'])
  handlers.onState('open')
  for (const resumed of [true, true]) handlers.onOpen(resumed)
  expect(first.seen.slice(4)).toEqual(['open', 'resumed', 'resumed'])
  // It hasn't heard what was said before the stream was lost.
  expect(third.seen.slice(1)).toEqual(['open', 'fresh', 'resumed'])
  expect(opened).toHaveLength(1)
})

test('only the first stream begins where the page was made', () => {
  beginStreamAfter('e-3')
  subscribe('deals')
  session.id = 2
  subscribe('deals')
  expect(opened.map(({ firstId }) => firstId)).toEqual(['e-3', ''])
})

test('what the stream has said is counted before anybody hears of it', () => {
  const before = saidSoFar()
  const counts: number[] = []
  const count = () => void counts.push(saidSoFar() - before)
  stops.push(subscribeLive({ names: ['deals'], onEvent: count, onOpen: count }))
  const { handlers } = stream()
  handlers.onOpen(false)
  handlers.onEvent('me', {}, '')
  handlers.onEvent('deals', {}, 'e-1')
  expect(counts).toEqual([1, 3])
})

test('another member in the same tab has a stream of their own, and the one before ends at once', () => {
  subscribe('deals').stop()
  const { name } = stream()
  session.id = 2
  subscribe('deals')
  expect(opened).toMatchObject([
    { name, isOpen: false },
    { name: 'dealdeck live 2', isOpen: true },
  ])
})
