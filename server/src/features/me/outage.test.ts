import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser, testPassword } from '../../../testing/factories.ts'
import { openWeakLink } from '../../../testing/weak-link.ts'
import { openDatabases } from '../../platform/database/database.ts'

const items = '/api/me/items'
const payload = { kind: 'link_preset', value: { name: 'Lamps', search: { q: 'lamp' } } }

test('while the database is away nothing is read or changed, also not for a built-in account, and all is there after', async () => {
  const direct = await testDatabases()
  await makeUser(direct, { username: 'admin', role: 'admin' })
  const link = await openWeakLink(direct.url)
  const databases = openDatabases(link.url, () => undefined)
  whenDone(async () => {
    await databases.close()
    await link.close()
  })
  const { app, signIn } = await buildTestApp({
    ...{ databases, log: pino({ level: 'silent' }) },
    builtInAccounts: [{ username: 'admin', role: 'admin' }],
  })
  const ready = (status: number) =>
    expect.poll(async () => (await app.inject('/readyz')).statusCode).toBe(status)
  await ready(200)
  const { headers } = await signIn('user')
  const list = async () => (await app.inject({ url: items, headers })).json().items
  expect((await app.inject({ method: 'POST', url: items, headers, payload })).statusCode).toBe(201)
  const before = await list()

  link.cut()
  await ready(503)
  const signedIn = await app.inject({
    ...{ method: 'POST', url: '/api/session' },
    payload: { username: 'admin', password: testPassword },
  })
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  const builtIn = { ...headers, cookie }
  for (const call of [{ url: items }, { method: 'POST' as const, url: items, payload }]) {
    expect((await app.inject({ ...call, headers })).json().code).toBe('DATABASE_UNAVAILABLE')
    const answer = await app.inject({ ...call, headers: builtIn })
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      {
        code: 'DATABASE_UNAVAILABLE',
        message: 'The database can not be reached, so nothing of yours can be read or changed now.',
      },
    ])
  }

  link.mend()
  await ready(200)
  expect(await list()).toEqual(before)
})
