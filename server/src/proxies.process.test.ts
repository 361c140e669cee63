import { once } from 'node:events'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { buildTestApp } from '../testing/app.ts'
import { whenDone } from '../testing/cleanup.ts'
import { testDatabases } from '../testing/database.ts'
import { makeUser, nextAsin, testPassword } from '../testing/factories.ts'
import { isInstalled, type ProxyPorts, proxies, startProxy } from '../testing/proxy.ts'
import { openWeakLink } from '../testing/weak-link.ts'
import { openDatabases } from './platform/database/database.ts'

const name = 'deals.example.com'
const metricsToken = 'a-token-of-some-length'
/** Where the browser of these tests is; the proxy and the application are at 127.0.0.1. */
const browser = '127.0.0.9'

/** The application behind one of the proxies, and requests that come to it by the proxy's name, over TLS. */
async function behind(kind: (typeof proxies)[string], options: Parameters<typeof buildTestApp>[0] = {}) {
  // As the installation's own settings say; without the first the name would be a stranger's.
  const testApp = await buildTestApp({
    ...options,
    settings: { PUBLIC_URL: `https://${name}`, METRICS_TOKEN: metricsToken },
  })
  await testApp.app.listen({ host: '127.0.0.1', port: 0 })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = testApp.app.server.address() as AddressInfo
  const proxy = await startProxy(kind, port)
  const send = (path: string, options: RequestOptions = {}) =>
    request({
      ...{ host: '127.0.0.1', port: proxy.https, servername: name, path, localAddress: browser },
      ...{ rejectUnauthorized: false, agent: false },
      ...options,
      headers: { host: name, origin: `https://${name}`, ...options.headers },
    })
  return { ...testApp, proxy, send, port }
}

async function answerTo(sender: ReturnType<typeof request>, body: Iterable<string> = []) {
  const answered: Promise<IncomingMessage[]> = once(sender, 'response')
  await pipeline(Readable.from(body), sender)
  const [answer] = await answered
  if (!answer) throw new Error('No answer')
  return answer
}

describe.each(Object.entries(proxies))('%s with its file of deploy/', (_name, kind) => {
  test('signs in, streams and imports as without it', async (context) => {
    if (!isInstalled(kind)) return context.skip(`${kind.program} or openssl is not installed`)
    const { databases, proxy, send, signIn, app, port } = await behind(kind)
    // An application still being looked for is no failure of any of this.
    await expect.poll(async () => (await answerTo(send('/readyz'))).statusCode).toBe(200)

    const { username, id } = await makeUser(databases, { role: 'admin' })
    const session = await answerTo(
      send('/api/session', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': '192.0.2.66',
          'x-forwarded-proto': 'http',
          'x-request-id': 'made-up-by-a-stranger',
        },
      }),
      [JSON.stringify({ username, password: testPassword })],
    )
    expect([session.statusCode, await json(session)]).toMatchObject([200, { username }])
    const [cookie = ''] = session.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=Lax$/)
    const { rows } = await databases.customPlanPool.query('select * from sessions where user_id = $1', [id])
    expect(JSON.stringify(rows)).toContain(browser)
    expect(JSON.stringify(rows)).not.toContain('192.0.2.66')
    // The proxy's own id, not the application's and not the stranger's.
    expect(session.headers['x-request-id']).toMatch(/^[0-9a-f-]{32,36}$/)

    const headers = { cookie: cookie.split(';')[0] ?? '' }
    const stream = await answerTo(send('/api/products/events', { headers }))
    let streamed = ''
    stream.setEncoding('utf8').on('data', (chunk) => {
      streamed += chunk
    })
    await expect.poll(() => streamed).toContain('retry: 2000')
    const direct = await signIn('admin')
    await app.inject({
      method: 'POST',
      url: '/api/products/import?availability=In%20stock',
      headers: { authorization: `Bearer ${direct.token}`, 'content-type': 'text/csv' },
      payload: `asin,title,price\n${nextAsin()},Lantern,9.99\n`,
    })
    await expect.poll(() => streamed).toContain('event: deals')
    stream.destroy()

    const rowsOfText = Array.from({ length: 12_000 }, () => `${nextAsin()},${'Lantern '.repeat(50)},9.99\n`)
    const imported = await answerTo(
      send('/api/products/import?dry_run=true', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'text/csv' },
      }),
      ['asin,title,price\n', ...rowsOfText],
    )
    expect([imported.statusCode, await json(imported)]).toMatchObject([
      200,
      { received: 12_000, created: 12_000 },
    ])

    expect((await answerTo(send('/metrics'))).statusCode).toBe(404)
    expect(await redirected(proxy)).toMatch(/^https:\/\/deals\.example\.com(:\d+)?\/amazon-haul$/)
    const scraper = { authorization: `Bearer ${metricsToken}` }
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { headers: scraper })).status).toBe(200)
    const elsewhere = await answerTo(send('/', { headers: { host: 'evil.example' } }))
    // Caddy has no site of that name; the others pass it on, and Dealdeck refuses.
    expect([200, 421]).toContain(elsewhere.statusCode)
    expect(elsewhere.headers['set-cookie']).toBeUndefined()
  })
})

describe.each(Object.entries(proxies))('%s', (_name, kind) => {
  test('writes down no address that opens something to whoever has it', async (context) => {
    if (!isInstalled(kind)) return context.skip(`${kind.program} or openssl is not installed`)
    const { proxy, send } = await behind(kind)
    await expect.poll(async () => (await answerTo(send('/readyz'))).statusCode).toBe(200)
    const secret = 'x'.repeat(43)
    for (const path of [`/feeds/${secret}.atom`, `/unsubscribe/7-${secret}`, '/api/session?search=lantern'])
      expect((await answerTo(send(path))).statusCode).toBeGreaterThanOrEqual(400)
    const [answer]: IncomingMessage[] = await once(
      plainRequest({
        ...{ host: '127.0.0.1', port: proxy.http, path: `/feeds/${secret}.rss`, headers: { host: name } },
        agent: false,
      }).end(),
      'response',
    )
    answer?.resume()
    // Without a log of its own there is none to look at.
    if (kind.program !== 'caddy')
      for (const line of ['/readyz', '/feeds/-', '/unsubscribe/-', '/api/session'])
        await expect.poll(() => proxy.logged()).toContain(` ${line} `)
    expect(await proxy.logged()).not.toMatch(new RegExp(`${secret}|lantern`))
  })
})

/** Longer than any of the files takes to throw out whoever says no when asked, in milliseconds. */
const askedMs = 5_000

describe.each(Object.entries(proxies))('%s while the database is away', (_name, kind) => {
  test('goes on asking the process, which lets a built-in account in and tells the others what is wrong', async (context) => {
    if (!isInstalled(kind)) return context.skip(`${kind.program} or openssl is not installed`)
    const direct = await testDatabases()
    const [keeper, member] = [await makeUser(direct, { role: 'admin' }), await makeUser(direct)]
    const link = await openWeakLink(direct.url)
    const databases = openDatabases(link.url, () => undefined)
    whenDone(async () => {
      await databases.close()
      await link.close()
    })
    const builtInAccounts = [{ username: keeper.username, role: 'admin' as const }]
    const { send } = await behind(kind, { databases, builtInAccounts, log: pino({ level: 'silent' }) })
    const statusOf = async (path: string) => (await answerTo(send(path))).statusCode
    await expect.poll(() => statusOf('/readyz'), { timeout: 10_000 }).toBe(200)
    const signIn = (username: string) =>
      answerTo(send('/api/session', { method: 'POST', headers: { 'content-type': 'application/json' } }), [
        JSON.stringify({ username, password: testPassword }),
      ])
    const before = await signIn(member.username)
    const cookieOf = ({ headers }: IncomingMessage) => headers['set-cookie']?.[0]?.split(';')[0] ?? ''

    link.cut()
    await expect.poll(() => statusOf('/readyz')).toBe(503)
    await sleep(askedMs)
    const keeperIn = await signIn(keeper.username)
    expect([keeperIn.statusCode, await json(keeperIn)]).toMatchObject([200, { is_fallback: true }])
    const own = await answerTo(send('/api/session', { headers: { cookie: cookieOf(keeperIn) } }))
    expect([own.statusCode, await json(own)]).toMatchObject([200, { username: keeper.username }])
    const headers = { cookie: cookieOf(before) }
    for (const answer of [
      await signIn(member.username),
      await answerTo(send('/api/products?search=lantern', { headers })),
    ])
      expect([answer.statusCode, await json(answer)]).toEqual([
        503,
        {
          code: 'DATABASE_UNAVAILABLE',
          message: 'The database can not be reached. Please try again in a moment.',
        },
      ])

    link.mend()
    await expect.poll(() => statusOf('/readyz'), { timeout: 10_000 }).toBe(200)
    expect((await signIn(member.username)).statusCode).toBe(200)
  })
})

/** Where somebody is sent who comes without TLS. */
async function redirected({ http }: ProxyPorts): Promise<string | undefined> {
  const options = { host: '127.0.0.1', port: http, path: '/amazon-haul', headers: { host: name } }
  const [answer]: IncomingMessage[] = await once(plainRequest({ ...options, agent: false }).end(), 'response')
  expect([301, 308]).toContain(answer?.statusCode)
  answer?.resume()
  return answer?.headers.location
}
