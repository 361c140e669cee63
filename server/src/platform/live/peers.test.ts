import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { MemberGate } from '../limits/member-gate.ts'
import { LiveBus } from './live-bus.ts'
import { PeerLoad } from './peers.ts'

const limits = { name: 'imports', total: 3, perMember: 2, queue: 6 }

/** A process of these databases, with one gate. */
async function join(databases: Awaited<ReturnType<typeof testDatabases>>, { perMember } = limits) {
  const bus = new LiveBus(databases, pino({ level: 'silent' }))
  const load = new PeerLoad(databases, bus)
  const gate = new MemberGate({ ...limits, total: 100, perMember }, load)
  await bus.start()
  onTestFinished(async () => {
    load.close()
    await bus.close()
  })
  return { load, gate }
}

test('what a member holds at one process counts at the others for as long as it lasts, though nobody waits', async () => {
  const databases = await testDatabases()
  const [one, other] = [await join(databases), await join(databases)]
  const turns = [one.gate.tryEnter('user 7'), one.gate.tryEnter('user 7')]
  one.gate.tryEnter('user 8')
  await expect.poll(() => other.load.elsewhere('imports', 'user 7')).toBe(2)
  expect(other.load.elsewhere('imports', 'user 8')).toBe(0)
  expect(other.load.elsewhere('streams', 'user 7')).toBe(0)
  expect(other.gate.tryEnter('user 7')).toBeDefined()
  expect(other.gate.tryEnter('user 7')).toBeUndefined()
  // And the one hears of the other, so that both together come down to what a member may have.
  await expect.poll(() => one.load.elsewhere('imports', 'user 7')).toBe(1)
  turns[0]?.end()
  expect(one.gate.tryEnter('user 7')).toBeUndefined()
})

test('who keeps both processes busy has as much at work as one may, an equal share of it in each', async () => {
  const databases = await testDatabases()
  const both = [
    await join(databases, { ...limits, perMember: 8 }),
    await join(databases, { ...limits, perMember: 8 }),
  ]
  const over = new AbortController()
  const atWork = () => both.map(({ gate }) => gate.figures.running)
  const busy = both.flatMap(({ gate }) =>
    Array.from({ length: 14 }, async () => {
      while (!over.signal.aborted) {
        const turn = await gate.enter('user 7').catch(() => undefined)
        await sleep(20)
        turn?.end()
      }
    }),
  )
  expect(atWork()).toEqual([8, 8])
  await expect.poll(atWork, { timeout: 5_000 }).toEqual([4, 4])
  // And it stays so: neither makes room for the other and takes it back.
  for (let look = 0; look < 60; look++) {
    for (const running of atWork()) expect(running).toBeLessThanOrEqual(4)
    await sleep(50)
  }
  over.abort()
  await Promise.all(busy)
})

test('a process alone says that it is there, every ten seconds, and nothing of its members', async () => {
  const databases = await testDatabases()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const query = vi.spyOn(databases.reservedPool, 'query')
  const { gate } = await join(databases)
  for (let at = 0; at < 2; at++) gate.tryEnter('user 7')
  await vi.waitUntil(() => query.mock.settledResults[0]?.type === 'fulfilled')
  await tick()
  vi.advanceTimersByTime(9_000)
  expect(query).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_000)
  expect(query).toHaveBeenCalledTimes(2)
  expect(JSON.stringify(query.mock.calls)).not.toContain('user 7')
})

test('a thousand members are told in one go, in messages that NOTIFY takes', async () => {
  const databases = await testDatabases()
  const [one, other] = [await join(databases), await join(databases)]
  const query = vi.spyOn(databases.reservedPool, 'query')
  one.load.watch('streams', () => Array.from({ length: 1_000 }, (_, at) => [`user ${at}`, 6]))
  const isHeard = (at: number) => other.load.elsewhere('streams', `user ${at}`) === 6
  await vi.waitUntil(() => isHeard(999), { timeout: 15_000 })
  expect(Array.from({ length: 1_000 }, (_, at) => at).every(isHeard)).toBe(true)
  const told = query.mock.calls.filter((call) => JSON.stringify(call).includes('user 999'))
  expect(told.every((call) => JSON.stringify(call).includes('user 0'))).toBe(true)
})
