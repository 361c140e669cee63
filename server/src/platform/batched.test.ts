import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { batched, skippingLocked } from './batched.ts'

/** Doubles numbers; `calls` are the batches, of which each ends by `next`. */
function doubling() {
  const calls: number[][] = []
  const ends: (() => void)[] = []
  const double = batched(async (keys: readonly number[]) => {
    calls.push([...keys])
    await new Promise<void>((end) => ends.push(end))
    return keys.map((key) => key * 2)
  })
  return { calls, double, next: () => ends.shift()?.() }
}

test('what is asked for while a batch is under way makes the next one, each with its own answer', async () => {
  const { calls, double, next } = doubling()
  const first = double(1)
  await expect.poll(() => calls).toEqual([[1]])
  const others = Promise.all([double(2), double(3), double(2)])
  next()
  expect(await first).toBe(2)
  await expect.poll(() => calls).toEqual([[1], [2, 3, 2]])
  next()
  expect(await others).toEqual([4, 6, 4])
})

test('a batch that doesn’t end keeps the next one only a moment', async () => {
  const { calls, double, next } = doubling()
  const first = double(1)
  await expect.poll(() => calls).toEqual([[1]])
  const second = double(2)
  await expect.poll(() => calls).toEqual([[1], [2]])
  next()
  next()
  expect(await Promise.all([first, second])).toEqual([2, 4])
})

test('of a batch that fails only those fail that fail alone', async () => {
  const load = batched(async (keys: readonly number[]) => {
    if (keys.includes(0)) throw new RangeError('There is no zero')
    return keys.map((key) => 1 / key)
  })
  const results = await Promise.allSettled([load(2), load(0), load(4)])
  expect(results).toEqual([
    { status: 'fulfilled', value: 0.5 },
    { status: 'rejected', reason: new RangeError('There is no zero') },
    { status: 'fulfilled', value: 0.25 },
  ])
})

test.each([
  Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' }),
  Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
  new Error('timeout exceeded when trying to connect'),
])('what is no key’s fault fails all of its batch, which is tried once: %s', async (error) => {
  let calls = 0
  const load = batched(async (_: readonly number[]): Promise<number[]> => {
    calls += 1
    throw error
  })
  const results = await Promise.allSettled([load(1), load(2)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(calls).toBe(1)
})

test('what others hold is tried by itself, in turn, and keeps the rest of its batch waiting for nothing', async () => {
  const written: string[] = []
  const free = Promise.withResolvers<void>()
  const write = batched(
    skippingLocked(pLimit(1), async (keys: readonly string[], lock) => {
      written.push(`${lock} ${keys.join()}`)
      if (lock === 'wait') await free.promise
      return keys.map((key) => (lock === 'skip' && key === 'held' ? undefined : key.toUpperCase()))
    }),
  )
  const [first, held, last] = [write('a'), write('held'), write('b')]
  expect(await Promise.all([first, last])).toEqual(['A', 'B'])
  expect(written).toEqual(['skip a,held,b', 'wait held'])
  free.resolve()
  expect(await held).toBe('HELD')
})

test('what fails of itself while it waits fails alone', async () => {
  const write = batched(
    skippingLocked(pLimit(1), async (keys: readonly string[], lock) => {
      if (lock === 'wait') throw new Error('Gone')
      return keys.map((key) => (key === 'held' ? undefined : key))
    }),
  )
  const results = await Promise.allSettled([write('a'), write('held')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test.each(['54000', '22021', '40P01'])(
  'an answer %s of the database fails only whom it is about',
  async (code) => {
    const load = batched(async (keys: readonly number[]) => {
      if (keys.includes(0)) throw Object.assign(new Error('index row size exceeds the maximum'), { code })
      return keys
    })
    const results = await Promise.allSettled([load(1), load(0)])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  },
)
