import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { systemClock } from '../clock.ts'
import { LiveBus } from '../live/live-bus.ts'
import { hashToken, Sessions } from './sessions.ts'

const asker = { address: () => '', gone: () => undefined }

test('more sessions than a statement takes values are judged at once', async () => {
  const { databases, signIn } = await buildTestApp()
  const { cookie } = (await signIn('user')).headers
  const good = hashToken(cookie?.split('=')[1] ?? '').toString('base64url')
  const unknown = Array.from({ length: 70_000 }, () => randomBytes(32).toString('base64url'))
  const sessions = new Sessions(databases, systemClock, new LiveBus(databases, pino({ level: 'silent' })))
  expect(await sessions.stillGood([...unknown, good])).toEqual(new Set([good]))
})

test('a session is looked up once for all who ask at once, and again when it was forgotten meanwhile', async () => {
  const { databases, signIn } = await buildTestApp()
  const { token, user } = await signIn('user')
  const sessions = new Sessions(databases, systemClock, new LiveBus(databases, pino({ level: 'silent' })))
  const asked = vi.spyOn(databases.reservedPool, 'connect')
  const found = await Promise.all(Array.from({ length: 50 }, () => sessions.find(token, asker)))
  expect(found.map((session) => session?.user.id)).toEqual(Array(50).fill(user.id))
  // Once more to note where it is used from.
  const before = asked.mock.calls.length
  expect(before).toBeLessThanOrEqual(2)
  await sessions.find(token, asker)
  expect(asked).toHaveBeenCalledTimes(before)
  sessions.forgetUser(user.id)
  const meanwhile = sessions.find(token, asker)
  // Until its way to the database has begun.
  await vi.waitUntil(() => asked.mock.calls.length > before)
  sessions.forgetUser(user.id)
  await meanwhile
  await sessions.find(token, asker)
  expect(asked).toHaveBeenCalledTimes(before + 2)
})
