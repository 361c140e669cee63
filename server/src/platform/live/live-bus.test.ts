import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { openWeakLink } from '../../../testing/weak-link.ts'
import { openDatabases } from '../database/database.ts'
import { toAppError } from '../http/http-errors.ts'
import { createLog } from '../observing/log.ts'
import { LiveBus } from './live-bus.ts'

test('of each outage the log has the beginning and the end, however soon it follows the one before', async () => {
  const link = await openWeakLink((await testDatabases()).url)
  const databases = openDatabases(link.url, () => {})
  let written = ''
  const output = new PassThrough().on('data', (line) => {
    written += line
  })
  // Of a terminal's stream only `isTTY` and `write` are used.
  const log = createLog('info', Object.assign(output, { isTTY: false }) as unknown as NodeJS.WriteStream)
  const bus = new LiveBus(databases, log)
  whenDone(async () => {
    await bus.close()
    await databases.close()
    await link.close()
  })
  await bus.start()
  for (let outage = 0; outage < 2; outage++) {
    link.cut()
    await expect.poll(() => bus.connected).toBe(false)
    link.mend()
    await expect.poll(() => bus.connected).toBe(true)
  }
  const texts = [...written.matchAll(/"msg":"([^"]*)"/g)].map(([, text]) => text)
  const [lost, back] = ['The database was lost, trying again', 'The database answers again']
  expect(texts).toEqual([lost, back, lost, back])
})

test('a server whose socket went with it is away', async () => {
  const databases = openDatabases('postgres://me@localhost/db?host=/nowhere', () => {})
  const bus = new LiveBus(databases, pino({ level: 'silent' }))
  whenDone(async () => {
    await bus.close()
    await databases.close()
  })
  const error: unknown = await databases.customPlanPool.query('select').catch((cause: unknown) => cause)
  expect(error).toMatchObject({ code: 'ENOENT' })
  expect(toAppError(error).code).toBe('DATABASE_UNAVAILABLE')
  await bus.start()
  expect(databases.watch.state).toBe('away')
})
