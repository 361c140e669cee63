import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../testing/app.ts'
import { systemClock } from './clock.ts'
import { LiveBus } from './live-bus.ts'
import { hashToken, Sessions } from './sessions.ts'

test('more sessions than a statement takes values are judged at once', async () => {
  const { databases, signIn } = await buildTestApp()
  const { cookie } = (await signIn('user')).headers
  const good = hashToken(cookie?.split('=')[1] ?? '').toString('base64url')
  const unknown = Array.from({ length: 70_000 }, () => randomBytes(32).toString('base64url'))
  const sessions = new Sessions(databases, systemClock, new LiveBus(databases, pino({ level: 'silent' })))
  expect(await sessions.stillGood([...unknown, good])).toEqual(new Set([good]))
})
