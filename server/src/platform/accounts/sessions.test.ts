import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { whenDone } from '../../../testing/cleanup.ts'
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

test('of more than two hundred sessions of a user those end that were unused for longest', async () => {
  const { databases, signIn } = await buildTestApp()
  const [{ user }, other] = [await signIn('user'), await signIn('user')]
  const sessions = new Sessions(databases, systemClock, new LiveBus(databases, pino({ level: 'silent' })))
  await databases.durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at, last_used_at)
     select sha256(n::text::bytea), $1, now() + interval '1 day', now() - n * interval '1 minute' from generate_series(1, 300) n`,
    [user.id],
  )
  const { rows } = await databases.durablePool.query('select password_hash from users where id = $1', [
    user.id,
  ])
  const attempt = { userId: user.id, passwordHash: rows[0].password_hash, userAgent: '', address: '' }
  const token = await sessions.open(attempt)
  const left = await databases.durablePool.query(
    `select count(*)::int as count, min(last_used_at) > now() - interval '200 minutes' as are_last from sessions where user_id = $1`,
    [user.id],
  )
  expect(left.rows).toEqual([{ count: 200, are_last: true }])
  for (const each of [token ?? '', other.token]) expect(await sessions.find(each, asker)).not.toBeNull()
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

test('a session in use is asked for again while it still counts, and counts no longer once it is found to have ended', async () => {
  const { databases, signIn } = await buildTestApp()
  const { token } = await signIn('user')
  const sessions = new Sessions(databases, systemClock, new LiveBus(databases, pino({ level: 'silent' })))
  await sessions.find(token, asker)
  const asked = vi.spyOn(databases.reservedPool, 'query')
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] })
  whenDone(async () => vi.useRealTimers())
  const findAfter = (ms: number) => {
    vi.setSystemTime(Date.now() + ms)
    return sessions.find(token, asker)
  }
  // Answered from memory each time, beyond the time one answer counts.
  for (let seconds = 0; seconds < 6; seconds += 1) {
    const found = findAfter(1_000)
    expect(found, `after ${seconds + 1} s`).not.toBeInstanceOf(Promise)
    await Promise.all(asked.mock.results.map(({ value }) => value))
    await setImmediate()
  }
  expect(asked).toHaveBeenCalledTimes(3)
  // A look that fails changes nothing while the answer before it counts, and is not repeated by each request.
  asked.mockImplementationOnce(() => Promise.reject(new Error('away')))
  for (let request = 0; request < 5; request += 1) {
    expect(findAfter(request === 0 ? 2_000 : 0)).not.toBeInstanceOf(Promise)
    await setImmediate()
  }
  expect(asked).toHaveBeenCalledTimes(4)
  await databases.durablePool.query('delete from sessions')
  expect(findAfter(600)).not.toBeInstanceOf(Promise)
  expect(asked).toHaveBeenCalledTimes(5)
  await asked.mock.results[4]?.value
  await setImmediate()
  // It would still count.
  expect(await findAfter(0)).toBeNull()
})
