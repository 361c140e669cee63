import { pino } from 'pino'
import { expect, test } from 'vitest'
import { testDatabases } from '../../testing/database.ts'
import { LiveBus } from './live-bus.ts'
import { PeerLoad } from './peers.ts'

test('processes of one database hear what a member has under way in the others, and not themselves', async () => {
  const databases = await testDatabases()
  const [one, other] = await Promise.all(
    [0, 1].map(async () => {
      const bus = new LiveBus(databases, pino({ level: 'silent' }))
      const load = new PeerLoad(databases, bus)
      await bus.start()
      return { bus, load }
    }),
  )
  if (!one || !other) throw new Error('Two processes')
  try {
    one.load.tell('searches', 'user 7', 2)
    await expect.poll(() => other.load.elsewhere('searches', 'user 7')).toBe(2)
    expect(one.load.elsewhere('searches', 'user 7')).toBe(0)
    expect(other.load.elsewhere('searches', 'user 8')).toBe(0)
    expect(other.load.elsewhere('streams', 'user 7')).toBe(0)
    // Nonsense on the channel is nobody's word.
    await databases.sessionPool.query("select pg_notify('dealdeck_load', 'nonsense')")
    other.load.tell('searches', 'user 8', 3)
    await expect.poll(() => one.load.elsewhere('searches', 'user 8')).toBe(3)
  } finally {
    await Promise.all([one.bus.close(), other.bus.close()])
  }
})
