import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { testDatabases } from '../../../testing/database.ts'
import { LiveBus } from './live-bus.ts'
import { ProcessChannel } from './process-channel.ts'

const databases = await testDatabases()
const name = 'dealdeck_test'

async function join() {
  const bus = new LiveBus(databases, pino({ level: 'silent' }))
  const heard: number[] = []
  const senders = new Set<string>()
  const channel = new ProcessChannel(databases, bus, {
    ...{ name, schema: z.number() },
    hear: (message, sender) => {
      heard.push(message)
      senders.add(sender)
    },
  })
  await bus.start()
  return { bus, channel, heard, senders }
}

test('all others hear what one sends, in order; it does not hear itself, and nobody hears nonsense', async () => {
  const [one, other, third] = [await join(), await join(), await join()]
  try {
    for (const nonsense of ['nonsense', '1', '{"sender":"x","message":"text"}', ''])
      await databases.reservedPool.query('select pg_notify($1, $2)', [name, nonsense])
    await one.channel.send(1, 2)
    await other.channel.send(3)
    await expect.poll(() => third.heard).toEqual([1, 2, 3])
    await expect.poll(() => [one.heard, other.heard]).toEqual([[3], [1, 2]])
    expect([one.senders.size, other.senders.size, third.senders.size]).toEqual([1, 1, 2])
  } finally {
    await Promise.all([one, other, third].map(({ bus }) => bus.close()))
  }
})

test('what can not be sent is lost, and no failure', async () => {
  const one = await join()
  try {
    const query = vi.spyOn(databases.reservedPool, 'query')
    onTestFinished(() => query.mockRestore())
    query.mockImplementation(() => Promise.reject(new Error('away')))
    await expect(one.channel.send(1)).resolves.toBeUndefined()
    expect(query).toHaveBeenCalledOnce()
  } finally {
    await one.bus.close()
  }
})
