import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { revisionHeader } from '@dealdeck/contract/preloads'
import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../testing/app.ts'
import { makeDeal } from '../../testing/factories.ts'
import { hostSessionCookie } from '../platform/http/access.ts'

type Headers = Record<string, unknown>

const metricsToken = 'a-token-of-some-length'

/** What is missing of the headers every answer must have, whoever asked for whatever. */
function missing(headers: Headers): string[] {
  const policy = String(headers['content-security-policy'])
  const type = String(headers['content-type'])
  const has: [string, boolean][] = [
    ['nosniff', headers['x-content-type-options'] === 'nosniff'],
    ['referrer-policy', headers['referrer-policy'] === 'no-referrer'],
    ['corp', headers['cross-origin-resource-policy'] === 'same-origin'],
    ['default-src', /(^|;)default-src '(self|none)'(;|$)/.test(policy)],
    ['object-src', policy.includes("object-src 'none'")],
    ['base-uri', policy.includes("base-uri 'none'")],
    ['frame-ancestors', policy.includes("frame-ancestors 'none'")],
    ['scripts', !/script-src[^;]*(unsafe|\*|data:|https?:)/.test(policy)],
    // What has no body needs no type, and pictures other than SVG have no characters.
    ['charset', !/^(text|application\/json|image\/svg)/.test(type) || /; charset=utf-8/.test(type)],
    ['type', type !== 'undefined' || Number(headers['content-length'] ?? 0) === 0],
    ['cors', headers['access-control-allow-origin'] === undefined],
    ['server', headers.server === undefined && headers['x-powered-by'] === undefined],
  ]
  return has.filter(([, isThere]) => !isThere).map(([name]) => name)
}

/** The session as it is named over http and over https. */
const bothCookies = ({ headers, token }: SignedIn) => ({
  ...headers,
  cookie: `${headers.cookie}; ${hostSessionCookie}=${token}`,
})

/**
 * The tag of a page that is the same when it is asked for again. One made before the process hears of changes is tagged by its bytes, and
 * later ones by their revision, which they name.
 */
async function unchangedTag(app: TestApp['app'], headers: SignedIn['headers']) {
  for (let left = 100; ; left -= 1) {
    const page = await app.inject({ url: '/api/products', headers })
    const { etag } = page.headers
    const again = await app.inject({ url: '/api/products', headers: { ...headers, 'if-none-match': etag } })
    const isSettled = again.statusCode === 304 && page.headers[revisionHeader] !== undefined
    // Then what is asked says what is wrong.
    if (isSettled || left === 0) return etag
    await sleep(20)
  }
}

async function kindsOfAnswer({ app, databases, signIn }: TestApp) {
  const deal = await makeDeal(databases)
  const headers = bothCookies(await signIn('user'))
  const admin = bothCookies(await signIn('admin'))
  const etag = await unchangedTag(app, headers)
  const asked = [
    {
      name: 'an unchanged page',
      status: 304,
      url: '/api/products',
      headers: { ...headers, 'if-none-match': etag },
    },
    { name: 'data', status: 200, url: `/api/products/${deal.id}`, headers },
    { name: 'a kept page', status: 200, url: '/api/products', headers },
    {
      name: 'a packed page',
      status: 200,
      url: '/api/products',
      headers: { ...headers, 'accept-encoding': 'gzip' },
    },
    { name: 'a wrong question', status: 400, url: '/api/products?limit=x', headers },
    { name: 'a stranger’s page', status: 401, url: '/api/products' },
    { name: 'a stranger', status: 401, url: '/api/session' },
    { name: 'a user among administrators', status: 403, url: '/api/users', headers },
    {
      name: 'another site',
      status: 403,
      url: '/api/session',
      method: 'DELETE',
      headers: { ...headers, origin: 'https://elsewhere.example' },
    },
    { name: 'nothing of the API', status: 404, url: '/api/nothing' },
    { name: 'nothing', status: 404, url: '/nothing' },
    { name: 'a missing asset', status: 404, url: '/assets/x.js' },
    { name: 'an address nobody can read', status: 400, url: '/%E0%A4' },
    {
      name: 'a body of no known kind',
      status: 415,
      url: '/api/session',
      method: 'POST',
      headers: { 'content-type': 'x/y' },
      payload: 'x',
    },
    {
      name: 'a body too large',
      status: 413,
      url: '/api/session',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      payload: `"${'x'.repeat(70_000)}"`,
    },
    { name: 'a file', status: 200, url: '/api/amazon_filters/export?format=csv', headers: admin },
    { name: 'a picture', status: 200, url: '/sample-images/mug-ink.svg' },
    {
      name: 'half a picture',
      status: 206,
      url: '/sample-images/mug-ink.svg',
      headers: { range: 'bytes=0-9' },
    },
    { name: 'a head', status: 200, url: '/sample-images/mug-ink.svg', method: 'HEAD' },
    { name: 'the documentation', status: 200, url: '/api/docs' },
    { name: 'the document', status: 200, url: '/api/openapi.json' },
    { name: 'health', status: 200, url: '/healthz' },
    { name: 'figures', status: 200, url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } },
    { name: 'another name', status: 421, url: '/', headers: { host: 'evil.example' } },
    { name: 'no one name', status: 400, url: '/', headers: { host: 'a, b' } },
    { name: 'TRACE', status: 404, url: '/', method: 'TRACE' },
  ]
  return asked
}

test.each(['', 'https://deals.example'])(
  'every kind of answer has the headers, for users of %j',
  async (url) => {
    // A verdict that is found between two of these makes a page that was unchanged another one.
    const testApp = await buildTestApp({
      settings: { PUBLIC_URL: url, METRICS_TOKEN: metricsToken, WORKERS: 'off' },
    })
    const asked = await kindsOfAnswer(testApp)
    const answers: unknown[][] = []
    for (const { name, status, ...request } of asked) {
      // The names of methods above are Fastify's own; the literal only widens them.
      const response = await testApp.app.inject(request as { method: 'GET'; url: string })
      const hsts = response.headers['strict-transport-security']
      answers.push([name, response.statusCode, missing(response.headers), hsts])
    }
    const yearAndBelow = url === '' ? undefined : 'max-age=31536000; includeSubDomains'
    expect(answers).toEqual(asked.map(({ name, status }) => [name, status, [], yearAndBelow]))
  },
)

test('the live stream and bytes that are no HTTP are answered with them too', async () => {
  const { app, signIn } = await buildTestApp({ settings: { PUBLIC_URL: 'https://deals.example' } })
  const { cookie } = bothCookies(await signIn('user'))
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const ended = new AbortController()
  const stream = await fetch(`${origin}/api/products/events`, { headers: { cookie }, signal: ended.signal })
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(missing(Object.fromEntries(stream.headers))).toEqual([])
  expect(stream.headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
  expect(stream.headers.get('strict-transport-security')).toMatch(/^max-age=31536000;/)
  ended.abort()
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.end('nonsense\r\n\r\n')
  const head = (await text(socket)).split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? []
  const answer = Object.fromEntries(head.map((line) => line.split(/: (.*)/, 2)))
  expect(missing(answer)).toEqual([])
  expect(answer['strict-transport-security']).toMatch(/^max-age=31536000;/)
})

test('only what may be a page is let do what a page does', async () => {
  const testApp = await buildTestApp()
  const { headers } = await testApp.signIn('user')
  const policyOf = async (url: string) =>
    String((await testApp.app.inject({ url, headers })).headers['content-security-policy'])
  expect(await policyOf('/api/docs')).toMatch(/^default-src 'self';.*script-src 'self';/)
  expect(await policyOf('/api/products')).toMatch(/^default-src 'none';/)
  expect(await policyOf('/api/products?limit=x')).toMatch(/^default-src 'none';/)
})

test('an unexpected failure tells nothing of its cause, its place or what we are made of', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { headers, user } = await signIn('admin')
  const logged: unknown[] = []
  console.error = (line) => logged.push(JSON.parse(line))
  await databases.durablePool.query('alter table blacklisted_words rename column word to hidden_secret')
  const response = await app.inject({ url: '/api/blacklisted_words', headers })
  expect([response.statusCode, response.json()]).toEqual([
    500,
    { code: 'INTERNAL', message: 'Something went wrong. Please try again.' },
  ])
  expect(missing(response.headers)).toEqual([])
  expect(logged).toMatchObject([{ msg: 'request failed', route: '/api/blacklisted_words', by: user.id }])
})

test('TRACE gives nothing back', async () => {
  const { app } = await buildTestApp()
  const request = { url: '/api/session', headers: { cookie: 'dealdeck_session=secret' } }
  // `inject` names no TRACE, but passes it on. No page of ours sends one: with a cookie and no origin it is refused.
  const response = await app.inject({ ...request, method: 'TRACE' as 'GET' })
  expect([response.statusCode, response.body.includes('secret')]).toEqual([403, false])
})

test('figures of the process are for this machine, asked directly and by its own name', async () => {
  const { app, databases } = await buildTestApp()
  const ask = async (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    (await app.inject({ url: '/metrics', headers: { host: 'localhost:3000', ...headers }, remoteAddress }))
      .statusCode
  expect(await ask({})).toBe(200)
  expect(await ask({ host: '[::1]:3000' }, '::1')).toBe(200)
  expect(await ask({ host: '127.0.0.1' }, '::ffff:127.0.0.1')).toBe(200)
  expect(await ask({}, '198.51.100.1')).toBe(403)
  expect(await ask({ 'x-forwarded-for': '127.0.0.1' }, '198.51.100.1')).toBe(403)
  // Through a proxy on this machine, whatever it or the caller claims.
  for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'])
    expect([name, await ask({ [name]: '127.0.0.1' })]).toEqual([name, 403])
  // A proxy that says nothing at all, but gives itself away, or is there by the settings' own word.
  const named = await buildTestApp({ databases, settings: { PUBLIC_URL: 'https://deals.example' } })
  const silent = { url: '/metrics', headers: { host: '127.0.0.1:3000' } }
  expect((await app.inject(silent)).statusCode).toBe(200)
  expect((await named.app.inject(silent)).json()).toEqual({
    code: 'FORBIDDEN',
    message: 'With PUBLIC_URL set, metrics are served only with the token of METRICS_TOKEN.',
  })
  // A proxy that says nothing but the name it was asked by, or a page whose name was made to mean this machine.
  expect(await ask({ host: 'deals.example' })).toBe(403)
  expect(await ask({ host: 'localhost.evil.example' })).toBe(403)
})
