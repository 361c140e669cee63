import { expect, test, vi } from 'vitest'
import { Lookups } from './lookups.ts'

/** Asks for secrets of which those of `good` belong to somebody; no answer comes before `answer` is called. */
function asker(connections: number, good: string[] = []) {
  const lookups = new Lookups(connections)
  const asked: string[] = []
  const answers = Promise.withResolvers<void>()
  const ask = (key: string, address: string, signal?: AbortSignal) =>
    lookups.find(key, { address: () => address, gone: () => signal }, async () => {
      asked.push(key)
      await answers.promise
      return good.includes(key) ? key : undefined
    })
  return { lookups, asked, ask, answer: answers.resolve }
}

const [here, elsewhere] = ['192.0.2.1', '198.51.100.1']

test('secrets of one network are looked up in turn, and another network, or who was seen lately, waits for none', async () => {
  const { lookups, asked, ask, answer } = asker(3, ['member', 'neighbour'])
  lookups.know('member')
  const made = Array.from({ length: 50 }, (_, at) => ask(`made up ${at}`, here))
  await expect.poll(() => lookups.gate.figures).toEqual({ running: 1, waiting: 49 })
  const others = [ask('neighbour', elsewhere), ask('member', here)]
  await expect.poll(() => asked.toSorted()).toEqual(['made up 0', 'member', 'neighbour'])
  answer()
  expect(await Promise.all(others)).toEqual(['neighbour', 'member'])
  expect(new Set(await Promise.all(made))).toEqual(new Set([null]))
})

test('beyond a thousand waiting of one network the next is refused', async () => {
  const { lookups, ask } = asker(3)
  for (let at = 0; at < 1_001; at++) void ask(`made up ${at}`, '2001:db8::1')
  expect(lookups.gate.figures).toEqual({ running: 1, waiting: 1_000 })
  await expect(ask('one more', '2001:db8::2')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
})

test('what nobody knows is asked for once, and so many such are remembered', async () => {
  const lookups = new Lookups(3)
  const find = vi.fn(async () => undefined)
  const ask = (key: string) => lookups.find(key, { address: () => here, gone: () => undefined }, find)
  expect([await ask('made up'), await ask('made up')]).toEqual([null, null])
  expect(find).toHaveBeenCalledTimes(1)
  for (let at = 0; at < 10_050; at++) await ask(`made up ${at}`)
  expect(lookups.unknown).toBe(10_000)
})

test('whoever was known and is no more is asked for no more', async () => {
  const good = ['member']
  const { lookups, asked, ask, answer } = asker(2, good)
  lookups.know('member')
  const ended = ask('member', here)
  good.pop()
  answer()
  expect([await ended, await ask('member', here)]).toEqual([null, null])
  expect(asked).toEqual(['member'])
})

test('for whoever has left nothing is looked up', async () => {
  const { lookups, asked, ask, answer } = asker(2)
  void ask('made up', here)
  const hangsUp = new AbortController()
  const left = ask('given up', here, hangsUp.signal)
  await expect.poll(() => lookups.gate.figures.waiting).toBe(1)
  hangsUp.abort()
  await expect(left).rejects.toThrow()
  answer()
  await expect.poll(() => lookups.gate.figures).toEqual({ running: 0, waiting: 0 })
  expect(asked).toEqual(['made up'])
})
