import {
  InfiniteQueryObserver,
  QueryCache,
  QueryClient,
  type QueryKey,
  QueryObserver,
} from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followQuery, refetchAfter } from './followed-queries.ts'

type Subscriber = {
  names: readonly string[]
  onEvent: (name: string, data: unknown) => void
  onOpen: (resumed: boolean) => void
  onRefused?: () => void
}
const subscribers = vi.hoisted(() => new Set<Subscriber>())
const heard = vi.hoisted(() => ({ count: 0 }))
vi.mock('./live-hub.ts', () => ({
  saidSoFar: () => heard.count,
  subscribeLive: (subscriber: Subscriber) => {
    subscribers.add(subscriber)
    return () => subscribers.delete(subscriber)
  },
}))

const fetched: QueryKey[] = []
const invalidateQueries = async ({ queryKey }: { queryKey: QueryKey }) => void fetched.push(queryKey)
// Nothing else of it is used.
const fake = { invalidateQueries, getQueryCache: () => new QueryCache() } as unknown as QueryClient
const follow = (queryKey: QueryKey, isResent = false, queries = fake) =>
  followQuery(queries, {
    ...{ queryKey, names: ['deals'], lookMs: 400, isResent },
    concerns: (_, data) => data === 'news',
  })
const say = (data: unknown) => {
  heard.count += 1
  for (const { onEvent } of subscribers) onEvent('deals', data)
}
const open = (resumed: boolean) => {
  heard.count += 1
  for (const { onOpen } of subscribers) onOpen(resumed)
}

beforeEach(() => {
  vi.useFakeTimers()
  fetched.length = 0
})
afterEach(() => {
  expect([subscribers.size, vi.getTimerCount()]).toEqual([0, 0])
  vi.useRealTimers()
})

test('events that come together fetch a query once, however many follow it, until the last one stops', async () => {
  const stops = [follow(['alerts']), follow(['alerts']), follow(['others'])]
  say('news')
  say('news')
  say('what concerns nobody')
  await vi.advanceTimersByTimeAsync(400)
  expect(fetched).toEqual([['alerts'], ['others']])
  stops[0]?.()
  stops[0]?.()
  say('news')
  await vi.advanceTimersByTimeAsync(400)
  expect(fetched).toHaveLength(4)
  say('news')
  stops[1]?.()
  await vi.advanceTimersByTimeAsync(400)
  expect(fetched.slice(4)).toEqual([['others']])
  stops[2]?.()
})

test('what was said while nobody listened is made up for, unless it is sent again', async () => {
  const stops = [follow(['alerts']), follow(['deal'], true)]
  open(false)
  await vi.advanceTimersByTimeAsync(400)
  expect(fetched).toEqual([['alerts'], ['deal']])
  open(true)
  await vi.advanceTimersByTimeAsync(400)
  expect(fetched.slice(2)).toEqual([['alerts']])
  for (const stop of stops) stop()
})

test('what an event only names is asked for at once, once however many follow it, and when the stream is refused', async () => {
  const stops = [
    refetchAfter(fake, 'me', ['items']),
    refetchAfter(fake, 'me', ['items']),
    refetchAfter(fake, 'filters', ['filters']),
    follow(['deal']),
  ]
  expect([...subscribers].map(({ names }) => names)).toEqual([['me'], ['filters'], ['deals']])
  const [items] = subscribers
  items?.onEvent('me', undefined)
  items?.onEvent('me', undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect(fetched).toEqual([['items']])
  for (const { onRefused } of subscribers) onRefused?.()
  await vi.advanceTimersByTimeAsync(400)
  expect(fetched.slice(1)).toEqual([['items'], ['filters']])
  for (const stop of stops) stop()
})

test('an event is asked of who joined last whether it concerns them', async () => {
  const options = { queryKey: ['deal'], names: ['deals'] as const, lookMs: 400 }
  const stops = [
    followQuery(fake, { ...options, concerns: (_, data) => data === 1 }),
    followQuery(fake, { ...options, concerns: (_, data) => data === 2 }),
  ]
  say(1)
  await vi.advanceTimersByTimeAsync(400)
  expect(fetched).toEqual([])
  say(2)
  await vi.advanceTimersByTimeAsync(400)
  expect(fetched).toEqual([['deal']])
  for (const stop of stops) stop()
})

test('what was asked for after the stream opened is not asked for again, until an event is missed', async () => {
  const queries = new QueryClient()
  const asked: string[] = []
  const show = (name: string) =>
    new QueryObserver(queries, {
      ...{ queryKey: [name], staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
      queryFn: async () => asked.push(name),
    }).subscribe(() => undefined)
  const stops = [follow(['before'], false, queries), follow(['after'], false, queries), show('before')]
  await vi.advanceTimersByTimeAsync(10)
  open(false)
  stops.push(show('after'))
  await vi.advanceTimersByTimeAsync(400)
  expect(asked).toEqual(['before', 'after', 'before'])
  // Who follows an open stream hears that it is open: what was asked for before its last event may be of before that.
  const late = (name: string) => {
    stops.push(follow([name], false, queries))
    ;[...subscribers].at(-1)?.onOpen(false)
  }
  stops.push(show('at once'))
  late('at once')
  stops.push(show('too late'))
  await vi.advanceTimersByTimeAsync(10)
  say('what concerns nobody')
  late('too late')
  await vi.advanceTimersByTimeAsync(400)
  expect(asked.slice(3)).toEqual(['at once', 'too late', 'too late'])
  open(true)
  await vi.advanceTimersByTimeAsync(400)
  expect(asked.slice(6).sort()).toEqual(['after', 'at once', 'before', 'too late'])
  for (const stop of stops) stop()
  await vi.advanceTimersByTimeAsync(10)
})

test('what is asked again waits for a first answer on its way, and another page of a list is no answer of the first', async () => {
  const queries = new QueryClient()
  const asked: string[] = []
  const options = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 }
  const slow = new QueryObserver(queries, {
    ...{ ...options, queryKey: ['slow'] },
    queryFn: async () => {
      asked.push('slow')
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return asked.length
    },
  })
  const list = new InfiniteQueryObserver(queries, {
    ...{ ...options, queryKey: ['list'], initialPageParam: 1 },
    queryFn: async ({ pageParam }) => asked.push(`page ${pageParam}`),
    getNextPageParam: (_, pages) => pages.length + 1,
  })
  const stops = [follow(['slow'], false, queries), follow(['list'], false, queries)]
  for (const observer of [slow, list]) stops.push(observer.subscribe(() => undefined))
  await vi.advanceTimersByTimeAsync(10)
  open(false)
  await list.fetchNextPage()
  expect(asked).toEqual(['slow', 'page 1', 'page 2'])
  await vi.advanceTimersByTimeAsync(400)
  expect(asked.slice(3)).toEqual(['page 1', 'page 2'])
  await vi.advanceTimersByTimeAsync(600)
  expect(asked.slice(5)).toEqual(['slow'])
  await vi.advanceTimersByTimeAsync(1_000)
  for (const stop of stops) stop()
  await vi.advanceTimersByTimeAsync(10)
})

test('what came with the page is not asked for where the stream goes on from there', async () => {
  const queries = new QueryClient()
  const asked: string[] = []
  const show = (name: string) =>
    new QueryObserver(queries, {
      ...{ queryKey: [name], staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
      queryFn: async () => asked.push(name),
    }).subscribe(() => undefined)
  heard.count = 0
  for (const name of ['deal', 'filters']) queries.setQueryData([name], 1)
  const stops = [show('deal'), show('filters')]
  stops.push(follow(['deal'], true, queries), follow(['filters'], false, queries))
  open(true)
  await vi.advanceTimersByTimeAsync(400)
  expect(asked).toEqual(['filters'])
  for (const stop of stops) stop()
  await vi.advanceTimersByTimeAsync(10)
})
