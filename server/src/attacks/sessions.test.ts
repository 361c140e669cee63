import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '@dealdeck/contract/api'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildTestApp, type TestApp } from '../../testing/app.ts'
import { makeUser, testPassword } from '../../testing/factories.ts'
import { contractRoutes } from '../platform/http/contract-routes.ts'

type Headers = Record<string, string>
const ours: Headers = { host: 'localhost', origin: 'http://localhost' }

async function signIn({ app }: TestApp, username: string, headers: Headers = {}) {
  const payload = { username, password: testPassword }
  const response = await app.inject({ method: 'POST', url: '/api/session', payload, headers })
  const [given = '', device = ''] = [response.headers['set-cookie'] ?? []].flat()
  return { status: response.statusCode, given, device, cookie: given.split(';')[0] ?? '' }
}

const statusOf = async ({ app }: TestApp, headers: Headers) =>
  (await app.inject({ url: '/api/session', headers })).statusCode

test('a session is never one the browser brought along, and replaces the one it had', async () => {
  const testApp = await buildTestApp()
  const { username } = await makeUser(testApp.databases)
  const planted = `dealdeck_session=${'A'.repeat(43)}`
  const first = await signIn(testApp, username, { ...ours, cookie: planted })
  expect(first.cookie).not.toBe(planted)
  expect(await statusOf(testApp, { cookie: planted })).toBe(401)
  const second = await signIn(testApp, username, { ...ours, cookie: first.cookie })
  expect(second.cookie).not.toBe(first.cookie)
  expect(await statusOf(testApp, { cookie: first.cookie })).toBe(401)
  expect(await statusOf(testApp, { cookie: second.cookie })).toBe(200)
})

test('a token is worth nothing after signing out, as a cookie and as a bearer', async () => {
  const testApp = await buildTestApp()
  const { headers, token } = await testApp.signIn('user')
  const bearer = { authorization: `Bearer ${token}` }
  expect([await statusOf(testApp, headers), await statusOf(testApp, bearer)]).toEqual([200, 200])
  const answer = await testApp.app.inject({ method: 'DELETE', url: '/api/session', headers })
  expect([answer.statusCode, String(answer.headers['set-cookie'])]).toEqual([
    204,
    expect.stringMatching(/^dealdeck_session=; .*(Expires=Thu, 01 Jan 1970|Max-Age=0)/),
  ])
  expect([await statusOf(testApp, headers), await statusOf(testApp, bearer)]).toEqual([401, 401])
})

test('a cookie in use is renewed with its session, so that only thirty days without use end both', async () => {
  let now = new Date()
  const days = (count: number) => new Date(now.getTime() + count * 86_400_000)
  const testApp = await buildTestApp({ clock: () => now })
  const { username } = await makeUser(testApp.databases)
  const { cookie } = await signIn(testApp, username)
  const ask = async (headers: Headers) => {
    const answer = await testApp.app.inject({ url: '/api/products', headers })
    return [answer.statusCode, answer.headers['set-cookie']]
  }
  const forget = () => vi.setSystemTime(Date.now() + 5_000)
  vi.useFakeTimers({ toFake: ['Date'], now })
  onTestFinished(() => void vi.useRealTimers())
  // Just opened, it is as long as it can be.
  expect(await ask({ cookie })).toEqual([200, undefined])
  for (let turn = 0; turn < 3; turn++) {
    now = days(29)
    forget()
    const renewed = `${cookie}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`
    expect(await ask({ cookie })).toEqual([200, renewed])
  }
  now = days(1)
  forget()
  // A script keeps no cookies.
  const authorization = `Bearer ${cookie.replace('dealdeck_session=', '')}`
  expect(await ask({ authorization })).toEqual([200, undefined])
  now = days(31)
  forget()
  expect((await ask({ cookie }))[0]).toBe(401)
})

test('after a new password every other token is worth nothing, and the old password too', async () => {
  const testApp = await buildTestApp()
  const { username } = await makeUser(testApp.databases)
  const stolen = await signIn(testApp, username)
  const own = await signIn(testApp, username)
  const payload = { current_password: testPassword, new_password: 'quite another' }
  const headers = { ...ours, cookie: own.cookie }
  const change = await testApp.app.inject({ method: 'POST', url: '/api/profile/password', headers, payload })
  expect(change.statusCode).toBe(204)
  expect(await statusOf(testApp, { cookie: stolen.cookie })).toBe(401)
  expect(await statusOf(testApp, { cookie: own.cookie })).toBe(200)
  expect((await signIn(testApp, username)).status).toBe(401)
})

test('over https the cookie is bound to this host, and one planted for the whole domain is not looked at', async () => {
  const secure = await buildTestApp({ settings: { PUBLIC_URL: 'https://deals.example' } })
  const { username } = await makeUser(secure.databases)
  const headers = { host: 'deals.example', origin: 'https://deals.example' }
  const { given, device, cookie } = await signIn(secure, username, headers)
  expect(given).toMatch(
    /^__Host-dealdeck_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  expect(device).toMatch(
    /^__Host-dealdeck_device=[\w.-]{45}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect(await statusOf(secure, { cookie })).toBe(200)
  expect(await statusOf(secure, { cookie: cookie.replace('__Host-', '') })).toBe(401)
  const answer = await secure.app.inject({
    method: 'DELETE',
    url: '/api/session',
    headers: { ...headers, cookie },
  })
  expect(answer.headers['set-cookie']).toMatch(/^__Host-dealdeck_session=; .*Path=\/; .*Secure/)
  expect(await statusOf(secure, { cookie })).toBe(401)
})

test('a proxy on this machine that says https gets the same', async () => {
  const testApp = await buildTestApp()
  const { username } = await makeUser(testApp.databases)
  const { given } = await signIn(testApp, username, { 'x-forwarded-proto': 'https' })
  expect(given).toMatch(/^__Host-/)
})

test.each([
  ['https://evil.example', 403],
  ['http://localhost.evil.example', 403],
  ['http://localhost:81', 403],
  ['null', 403],
  ['', 403],
  ['file://', 403],
  ['http://localhost/', 403],
  ['http://localhost/path', 403],
  ['http://localhost?query', 403],
  ['http://localhost#part', 403],
  ['http://user@localhost', 403],
  ['http://user:password@localhost', 403],
  ['http://localhost, http://localhost', 403],
  ['ftp://localhost', 403],
  ['http://localhost', 204],
])('signing somebody out from a page of %j is answered %i', async (origin, status) => {
  const { app, signIn: open } = await buildTestApp()
  const { headers } = await open('user')
  const request = { method: 'DELETE', url: '/api/session', headers: { ...headers, origin } } as const
  expect((await app.inject(request)).statusCode).toBe(status)
})

test('where users come by https, a page of the same host over http is another site', async () => {
  const { app } = await buildTestApp({ settings: { PUBLIC_URL: 'https://deals.example' } })
  const from = async (origin: string) => {
    const headers = { host: 'deals.example', origin }
    const request = { method: 'POST', url: '/api/signup', headers, payload: {} } as const
    return (await app.inject(request)).statusCode
  }
  expect([await from('http://deals.example'), await from('https://deals.example')]).toEqual([403, 400])
})

test('a page that makes its own name mean this machine reads nothing, signs nobody up and in', async () => {
  const { app, signIn: open } = await buildTestApp()
  const { cookie } = (await open('admin')).headers
  const headers = { host: 'evil.example:3000', origin: 'http://evil.example:3000', cookie }
  for (const [method, url] of [
    ...[['GET', '/'] as const, ['GET', '/api/settings'] as const, ['GET', '/api/session'] as const],
    ...[['GET', '/api/openapi.json'] as const, ['GET', '/metrics'] as const],
    ...[
      ['POST', '/api/session'] as const,
      ['POST', '/api/signup'] as const,
      ['DELETE', '/api/session'] as const,
    ],
  ]) {
    const payload = { username: 'mallory', password: 'secret1' }
    const { statusCode } = await app.inject({ method, url, headers, ...(method === 'POST' && { payload }) })
    expect([method, url, statusCode]).toEqual([method, url, url === '/metrics' ? 403 : 421])
  }
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
  'a form of another site (%s) signs nobody in or up',
  async (type) => {
    const { app } = await buildTestApp()
    for (const url of ['/api/session', '/api/signup']) {
      const headers = { host: 'localhost', origin: 'https://evil.example', 'content-type': type }
      const payload = 'username=a&password=secret1'
      expect((await app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(403)
    }
  },
)

test('what changes something is not there for a link or a picture to ask', async () => {
  const { app, signIn: open } = await buildTestApp()
  const { headers } = await open('admin')
  const routes = contractRoutes(contract)
  const readable = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path))
  const changing = routes.filter(({ method, path }) => method !== 'GET' && !readable.has(path))
  expect(changing.length).toBeGreaterThan(8)
  for (const { path } of changing) {
    const { statusCode } = await app.inject({ url: path.replace(/\{\w+\}/g, '1'), headers })
    expect([path, statusCode === 404 || statusCode === 400]).toEqual([path, true])
  }
})

test('a request that has waited is worked on with the rights its sender has then, not those it came with', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const { user, headers } = await signIn('admin')
  const change = request(`${origin}/api/ingest_tokens`, {
    method: 'POST',
    headers: {
      ...headers,
      host: new URL(origin).host,
      origin,
      'content-type': 'application/json',
      'content-length': 16,
    },
  })
  const answer = once(change, 'response')
  change.write('{"name":"later')
  await sleep(200)
  await databases.durableDb.updateTable('users').set({ role: 'user' }).where('id', '=', user.id).execute()
  await databases.reservedPool.query('select pg_notify($1, $2)', ['dealdeck_sessions', String(user.id)])
  await sleep(600)
  change.end('"}')
  const [response] = await answer
  expect(response.statusCode).toBe(403)
})
