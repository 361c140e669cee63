import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../testing/app.ts'
import { whenDone } from '../testing/cleanup.ts'
import { testDatabases } from '../testing/database.ts'
import { makeDeal, makeUser, testPassword } from '../testing/factories.ts'
import { openWeakLink, type WeakLink } from '../testing/weak-link.ts'
import { type Databases, openDatabases } from './platform/database/database.ts'

// Every failure here is one that was brought about; the answers are what counts.
const log = pino({ level: 'silent' })

const builtIn = [
  { username: 'admin', role: 'admin' as const },
  { username: 'user', role: 'user' as const },
]

type Away = TestApp & { link: WeakLink; linked: Databases }

/** The application on a database whose connections can be cut and frozen. */
async function overWeakLink(options: { clock?: () => Date } = {}): Promise<Away> {
  const direct = await testDatabases()
  for (const { username, role } of builtIn) await makeUser(direct, { username, role })
  const link = await openWeakLink(direct.url)
  const databases = openDatabases(link.url, () => undefined)
  whenDone(async () => {
    await databases.close()
    await link.close()
  })
  const testApp = await buildTestApp({ databases, log, builtInAccounts: builtIn, ...options })
  await ready(testApp)
  return { ...testApp, databases: direct, linked: databases, link }
}

const ready = async ({ app }: TestApp, status = 200) =>
  expect.poll(async () => (await app.inject('/readyz')).statusCode).toBe(status)

const signIn = ({ app }: TestApp, username: string, password = testPassword) =>
  app.inject({ method: 'POST', url: '/api/session', payload: { username, password } })

const cookie = (answer: { headers: Record<string, unknown> }) =>
  String(answer.headers['set-cookie']).split(';')[0] ?? ''

const get = ({ app }: TestApp, url: string, headers: Record<string, string>) => app.inject({ url, headers })

/** Far more than the second it takes, so that a busy machine passes, and far less than a connection that hangs. */
const patienceMs = 3_000

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const answered = await Promise.race([answer, sleep(patienceMs, 'late' as const)])
  if (answered === 'late') throw new Error('No answer in time')
  return answered
}

test.each(['cut', 'freeze'] as const)(
  '%s: 503 in good time, and everything comes back by itself',
  async (how) => {
    const away = await overWeakLink()
    const deal = await makeDeal(away.databases)
    const { headers } = await away.signIn('user')
    expect((await get(away, '/api/products', headers)).json().items).toHaveLength(1)

    away.link[how]()
    // Asked at once, with sessions that are still cached, and again when everybody knows.
    for (const pause of [0, 1_500]) {
      await sleep(pause)
      const urls = [
        '/api/products?search=x',
        `/api/products/${deal.id}`,
        '/api/session',
        '/api/amazon_filters',
      ]
      const answers = await inTime(
        Promise.all(urls.map((url) => get(away, url, { ...headers, 'x-forwarded-for': '10.0.0.1' }))),
      )
      for (const answer of answers.filter(({ statusCode }) => statusCode !== 200)) {
        expect([answer.statusCode, answer.json()]).toEqual([
          503,
          {
            code: 'DATABASE_UNAVAILABLE',
            message: 'The database can not be reached. Please try again in a moment.',
          },
        ])
      }
      expect(answers[0]?.statusCode).toBe(503)
    }
    expect((await away.app.inject('/healthz')).statusCode).toBe(200)
    await ready(away, 503)

    away.link.mend()
    await expect.poll(async () => (await get(away, '/api/products?search=', headers)).statusCode).toBe(200)
    await ready(away)
  },
)

test('a change that is under way when the database freezes is answered too', async () => {
  const away = await overWeakLink()
  const { headers } = await away.signIn('admin')
  expect((await get(away, '/api/session', headers)).statusCode).toBe(200)
  away.link.freeze()
  const answer = await inTime(
    away.app.inject({
      method: 'POST',
      url: '/api/blacklisted_words',
      headers,
      payload: { word: 'lantern' },
    }),
  )
  expect(answer).toMatchObject({ statusCode: 503 })
})

test('an import outlives a database that is silent for a while', async () => {
  const away = await overWeakLink()
  const { headers } = await away.signIn('admin')
  await away.app.listen({ host: '127.0.0.1', port: 0 })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = away.app.server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const rows = (from: number) =>
    Array.from(
      { length: 6_000 },
      (_, index) => `B${String(from + index).padStart(9, '0')},${'Lantern '.repeat(25)},9.99\n`,
    ).join('')
  async function* body() {
    yield `asin,title,price\n${rows(0)}`
    await expect.poll(() => away.linked.patientPool.totalCount).toBe(1)
    away.link.freeze()
    yield rows(6_000)
    await ready(away, 503)
    away.link.mend()
    await ready(away)
    yield rows(12_000)
  }
  const sender = request(`${origin}/api/products/import`, {
    method: 'POST',
    headers: { ...headers, host: new URL(origin).host, origin, 'content-type': 'text/csv' },
  })
  const answered = once(sender, 'response')
  await pipeline(body(), sender)
  const [answer] = await answered
  expect([answer.statusCode, await json(answer)]).toMatchObject([200, { received: 18_000, created: 18_000 }])
})

test('built-in accounts sign in while the database is away, and only look', async () => {
  const away = await overWeakLink()
  const stranger = await makeUser(away.databases)
  away.link.cut()
  await ready(away, 503)

  const answer = await signIn(away, ' ADMIN ')
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { id: -1, username: 'admin', role: 'admin', status: 'approved', is_fallback: true },
  ])
  const headers = { host: 'localhost', origin: 'http://localhost', cookie: cookie(answer) }
  expect((await get(away, '/api/session', headers)).json()).toMatchObject({
    username: 'admin',
    is_fallback: true,
  })
  const users = (await get(away, '/api/users', headers)).json()
  expect(users).toMatchObject({ total: 2, next_cursor: null, is_fallback: true })
  expect(users.items.map((user: { username: string }) => user.username)).toEqual(['admin', 'user'])
  expect(JSON.stringify(users)).not.toMatch(/argon2|password/)
  expect((await get(away, '/api/users?role=user&search=us', headers)).json().total).toBe(1)
  expect((await get(away, '/api/products', headers)).statusCode).toBe(503)
  const change = await away.app.inject({
    method: 'PATCH',
    url: '/api/users/1',
    headers,
    payload: { role: 'user' },
  })
  expect(change.statusCode).toBe(503)

  const wrong = await signIn(away, 'admin', 'wrong password')
  expect([wrong.statusCode, wrong.json()]).toEqual([
    401,
    { code: 'INVALID_CREDENTIALS', message: 'Invalid username or password. Access denied.' },
  ])
  // One that is not built in can't be judged now.
  expect((await signIn(away, stranger.username)).json()).toMatchObject({ code: 'DATABASE_UNAVAILABLE' })

  const plain = await signIn(away, 'user')
  expect((await get(away, '/api/users', { cookie: cookie(plain) })).statusCode).toBe(403)
})

test('a session from before the outage, still in the browser, keeps nobody from signing in', async () => {
  const away = await overWeakLink()
  const { headers } = await away.signIn('user')
  away.link.cut()
  await ready(away, 503)
  const payload = { username: 'user', password: testPassword }
  const answer = await away.app.inject({ method: 'POST', url: '/api/session', headers, payload })
  expect([answer.statusCode, answer.json()]).toMatchObject([200, { is_fallback: true }])
})

test('their sessions end when the database is back, when they sign out, and after an hour', async () => {
  let now = Date.now()
  const away = await overWeakLink({ clock: () => new Date(now) })
  away.link.cut()
  await ready(away, 503)
  const open = async () => ({
    host: 'localhost',
    origin: 'http://localhost',
    cookie: cookie(await signIn(away, 'user')),
  })
  const status = async (headers: Record<string, string>) =>
    (await get(away, '/api/session', headers)).statusCode

  const first = await open()
  expect(await status(first)).toBe(200)
  expect((await away.app.inject({ method: 'DELETE', url: '/api/session', headers: first })).statusCode).toBe(
    204,
  )
  expect(await status(first)).toBe(503)

  const second = await open()
  now += 59 * 60_000
  expect(await status(second)).toBe(200)
  now += 60_000
  expect(await status(second)).toBe(503)

  const third = await open()
  away.link.mend()
  await expect.poll(() => status(third)).toBe(401)
  expect(await status(third)).toBe(401)
})

test('they follow the users table: a new password counts, and who is deactivated stays out', async () => {
  const away = await overWeakLink()
  const { headers } = await away.signIn('admin')
  const { items } = (await get(away, '/api/users', headers)).json()
  const idOf = (name: string) => items.find((item: { username: string }) => item.username === name)?.id
  const change = (name: string, payload: object) =>
    away.app.inject({ method: 'PATCH', url: `/api/users/${idOf(name)}`, headers, payload })
  expect((await change('admin', { password: 'another one' })).statusCode).toBe(200)
  expect((await change('user', { is_active: false })).statusCode).toBe(200)
  // Both changes have been told of by then.
  await sleep(500)
  away.link.cut()
  await ready(away, 503)
  expect((await signIn(away, 'admin')).statusCode).toBe(401)
  expect((await signIn(away, 'admin', 'another one')).statusCode).toBe(200)
  expect((await signIn(away, 'user')).statusCode).toBe(503)
})

test('without the users table they sign in as well, and sign-up says what is wrong', async () => {
  const away = await overWeakLink()
  await away.databases.db.schema.alterTable('users').renameTo('lost_users').execute()
  expect((await signIn(away, 'user')).json()).toMatchObject({ username: 'user', is_fallback: true })
  const admin = { cookie: cookie(await signIn(away, 'admin')) }
  expect((await get(away, '/api/users', admin)).json()).toMatchObject({ total: 2, is_fallback: true })
  const account = await away.app.inject({
    method: 'POST',
    url: '/api/signup',
    payload: { username: 'someone', password: testPassword },
  })
  expect(account.json().message).toBe('Database not configured. Please contact administrator.')
  await away.databases.db.schema.alterTable('lost_users').renameTo('users').execute()
  expect((await get(away, '/api/session', admin)).statusCode).toBe(401)
})

test('tries are throttled while the database is away, too', async () => {
  const away = await overWeakLink()
  away.link.cut()
  await ready(away, 503)
  const answers = await Promise.all(Array.from({ length: 14 }, () => signIn(away, 'admin', 'wrong password')))
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(4)
})

test('what was tried while the database was away counts for nobody when it is back', async () => {
  const away = await overWeakLink()
  const { username } = await makeUser(away.databases)
  away.link.cut()
  await ready(away, 503)
  const tries = [
    ...Array.from({ length: 9 }, () => username),
    ...Array.from({ length: 95 }, (_, at) => `guess ${at}`),
  ]
  // Whoever waits long for their turn is told to come back, so not all of them at once.
  while (tries.length > 0) {
    const some = tries.splice(0, 26)
    const answers = await Promise.all(some.map((name) => signIn(away, name, 'wrong password')))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([503]))
  }
  away.link.mend()
  await ready(away)
  for (const status of [401, 401, 401])
    expect((await signIn(away, username, 'wrong')).statusCode).toBe(status)
  expect((await signIn(away, username)).statusCode).toBe(200)
})
