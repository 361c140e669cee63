import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../testing/app.ts'
import { whenDone } from '../../testing/cleanup.ts'

test('a network that makes up tokens has one of them looked up at a time, and takes nobody else’s connection', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { sessionPool } = databases
  const member = await signIn('user')
  const ask = (headers: Record<string, string>) => app.inject({ url: '/api/session', headers })
  // Until then no session can be looked up.
  const held = await databases.writePool.connect()
  whenDone(async () => void held.release(true))
  await held.query('begin; lock table sessions in access exclusive mode')
  const strangers = Array.from({ length: 200 }, (_, at) => {
    const token = randomBytes(32).toString('base64url')
    return ask(at % 2 ? { authorization: `Bearer ${token}` } : { cookie: `dealdeck_session=${token}` })
  })
  const own = ask({ cookie: member.headers.cookie, 'x-forwarded-for': '192.0.2.7' })
  const waiting = async () => {
    const { rows } = await sessionPool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.n
  }
  await expect.poll(waiting).toBe(2)
  expect([sessionPool.waitingCount, (await app.inject('/readyz')).statusCode]).toEqual([0, 200])
  await held.query('rollback')
  expect((await own).statusCode).toBe(200)
  const statuses = (await Promise.all(strangers)).map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([401]))
})
