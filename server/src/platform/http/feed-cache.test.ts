import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { CancelSignal } from '../cancellation.ts'
import { FeedCache, makeBody } from './feed-cache.ts'
import type { Client } from './gone-signal.ts'

const clientWith = (signal: CancelSignal): Client => ({
  hasGone: () => signal.aborted,
  onGone(leave) {
    signal.addEventListener('abort', leave)
    return () => signal.removeEventListener('abort', leave)
  },
})

test('one key at one revision is made once, however many ask at once', async () => {
  const cache = new FeedCache()
  const make = vi.fn(async () => 'page')
  const bodies = await Promise.all(Array.from({ length: 50 }, () => cache.get('a', 1, make)))
  expect(make).toHaveBeenCalledTimes(1)
  expect(new Set(bodies).size).toBe(1)
  expect(gunzipSync(await (bodies[0]?.gzip() ?? Buffer.alloc(0))).toString()).toBe('page')
})

test('the next revision is made anew, an older one never comes back', async () => {
  const cache = new FeedCache()
  const at = async (revision: number, text: string) =>
    (await cache.get('a', revision, async () => text)).plain.toString()
  expect([await at(1, 'one'), await at(2, 'two'), await at(1, 'stale')]).toEqual(['one', 'two', 'two'])
})

test('a page is kept from its second asking on, and at every revision from then on', async () => {
  const cache = new FeedCache()
  const make = vi.fn(async () => 'page')
  const madeAfter = async (revision: number) => {
    expect((await cache.get('a', revision, make)).plain.toString()).toBe('page')
    return make.mock.calls.length
  }
  expect([await madeAfter(1), cache.size, cache.bytes]).toEqual([1, 0, 0])
  expect([await madeAfter(1), cache.size]).toEqual([2, 1])
  expect(await madeAfter(1)).toBe(2)
  expect([await madeAfter(2), await madeAfter(2), cache.size]).toEqual([3, 3, 1])
  expect([cache.hits, cache.misses]).toEqual([2, 3])
})

test('of long questions asked once little is remembered, and enough to know them again', async () => {
  const cache = new FeedCache()
  const make = async () => 'page'
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const question = (at: number) => `user /api/products?search=${Buffer.alloc(10_000, ' ')}${at}`
  const before = heap()
  for (let at = 0; at < 2_000; at++) await cache.get(question(at), 1, make)
  expect(heap() - before).toBeLessThan(5_000_000)
  expect(cache.size).toBe(0)
  await cache.get(question(7), 1, make)
  expect(cache.size).toBe(1)
})

test('who joins in the making of a page counts as the second to ask for it', async () => {
  const cache = new FeedCache()
  const make = vi.fn(async () => 'page')
  await Promise.all([cache.get('a', 1, make), cache.get('a', 1, make)])
  await cache.get('a', 1, make)
  expect([make.mock.calls.length, cache.size]).toEqual([1, 1])
})

test('a failure is not kept', async () => {
  const cache = new FeedCache()
  await expect(cache.get('a', 1, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect((await cache.get('a', 1, async () => 'back')).plain.toString()).toBe('back')
})

test('memory is bounded: the least recently used go first', async () => {
  const cache = new FeedCache()
  const big = 'x'.repeat(20 * 1024 * 1024)
  const made: string[] = []
  const ask = (key: string) =>
    cache.get(key, 1, async () => {
      made.push(key)
      return big
    })
  for (const key of 'abcabc' + 'a' + 'dd' + 'a' + 'b') await ask(key)
  expect(made.join('')).toBe('abcabc' + 'dd' + 'b')
})

test.each([1_000, 100_000])(
  'the compressed form counts as well, until the page goes: %i words',
  async (words) => {
    const cache = new FeedCache()
    const get = (revision: number) => cache.get('a', revision, async () => 'page'.repeat(words))
    await get(1)
    const body = await get(1)
    const before = cache.bytes
    const packed = await body.gzip()
    expect(cache.bytes).toBe(before + packed.length)
    expect(gunzipSync(packed).length).toBe(words * 4)
    await get(2)
    expect(cache.bytes).toBe(before)
  },
)

test('the ETag changes with the revision and with what stands before the address, and with nothing else', async () => {
  const etag = async (key: string, revision: number) =>
    (await new FeedCache().get(key, revision, async () => 'page')).etag
  expect(await etag('user /a', 1)).toBe(await etag('user /a', 1))
  expect(new Set([await etag('user /a', 1), await etag('admin /a', 1), await etag('user /a', 2)]).size).toBe(
    3,
  )
})

test('the making of a page is given up when all who waited have gone, or after five seconds', async () => {
  vi.useFakeTimers()
  try {
    const cache = new FeedCache()
    const makings: CancelSignal[] = []
    const make = (signal: CancelSignal) => {
      makings.push(signal)
      return new Promise<string>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }
    const [one, other] = [new AbortController(), new AbortController()]
    const waiting = [one, other].map(({ signal }) =>
      cache.get('a', 1, make, clientWith(signal)).catch(String),
    )
    one.abort()
    expect(makings.map(({ aborted }) => aborted)).toEqual([false])
    other.abort()
    expect(makings.map(({ aborted }) => aborted)).toEqual([true])
    await Promise.all(waiting)

    const late = cache.get('a', 1, make).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await late).toMatchObject({ code: 'BUSY' })
    expect(makings).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})

test('nothing is made for an asker who has gone already, and a making that fails at once leaves no timer behind', async () => {
  const cache = new FeedCache()
  const make = vi.fn(async () => 'page')
  const gone = clientWith(AbortSignal.abort())
  expect(() => cache.get('a', 1, make, gone)).toThrow()
  await expect(makeBody(make, gone)).rejects.toThrow()
  expect(make).not.toHaveBeenCalled()
  vi.useFakeTimers()
  try {
    const failing = () => {
      throw new Error('not a question')
    }
    await expect(cache.get('b', 1, failing)).rejects.toThrow('not a question')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
