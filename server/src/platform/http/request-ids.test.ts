import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { testDatabases } from '../../../testing/database.ts'
import { readTrustedProxies, trusts } from './trusted-proxies.ts'

const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
const { app, signIn } = await buildTestApp({
  log,
  settings: { TRUSTED_PROXIES: '10.9.0.0/16' },
})
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

async function idOf(given: Record<string, string>, url = '/healthz', remoteAddress = '127.0.0.1') {
  const answer = await app.inject({ url, headers: given, remoteAddress })
  return String(answer.headers['x-request-id'])
}

test('every answer names its request, also of the feed, of refusals and of what the router refuses', async () => {
  const { headers } = await signIn('user')
  const urls = [
    '/',
    '/api/products',
    '/api/products/1',
    '/api/session',
    '/api/nothing',
    '/api/%ff',
    '/metrics',
  ]
  const ids = await Promise.all(urls.map((url) => idOf(headers, url)))
  for (const id of ids) expect(id).toMatch(uuid)
  expect(new Set(ids).size).toBe(urls.length)
})

test('a trusted proxy gives the id, and nobody else', async () => {
  const given = { 'x-request-id': '4f0d.proxy-7:1' }
  expect(await idOf(given)).toBe('4f0d.proxy-7:1')
  expect(await idOf(given, '/healthz', '10.9.1.2')).toBe('4f0d.proxy-7:1')
  expect(await idOf(given, '/healthz', '10.8.1.2')).toMatch(uuid)
})

test.each(['', 'two words', 'x'.repeat(101), '{"a":1}', 'é'])(
  'what is no id is replaced: %j',
  async (given) => {
    expect(await idOf({ 'x-request-id': given })).toMatch(uuid)
  },
)

test('a failure is found in the log by the id of its answer, and holds nothing secret', async () => {
  const own = await buildTestApp({ log, databases: await testDatabases() })
  const { headers, token } = await own.signIn('user')
  await own.databases.durablePool.query('alter table deals rename column first_seen to seen')
  lines.length = 0
  const answer = await own.app.inject({
    url: '/api/products?search=lantern',
    headers: { ...headers, 'x-request-id': 'find-me-again' },
  })
  expect([answer.statusCode, answer.headers['x-request-id']]).toEqual([500, 'find-me-again'])
  const [line = '{}', ...more] = lines.filter((one) => one.includes('find-me-again'))
  expect(more).toEqual([])
  expect(JSON.parse(line)).toMatchObject({
    request_id: 'find-me-again',
    msg: 'request failed',
    method: 'GET',
    route: '/api/products',
    err: { code: '42703' },
  })
  for (const secret of [token, 'lantern']) expect(lines.join('')).not.toContain(secret)
})

test('proxies are addresses, ranges and known names; this machine is always one', () => {
  expect(readTrustedProxies('')).toEqual(['loopback'])
  expect(readTrustedProxies('loopback')).toEqual(['loopback'])
  expect(readTrustedProxies(' 10.1.2.3, fd00::/8 ,uniquelocal')).toEqual([
    ...['loopback', '10.1.2.3', 'fd00::/8', 'uniquelocal'],
  ])
  for (const wrong of ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0', 'fd00::/129', '*', 'constructor'])
    expect([wrong, readTrustedProxies(wrong)]).toEqual([wrong, undefined])

  const isTrusted = trusts(['loopback', '10.1.2.3', 'uniquelocal'])
  for (const address of [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '::ffff:127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    'fd12::1',
  ])
    expect([address, isTrusted(address)]).toEqual([address, true])
  for (const address of ['203.0.113.7', '172.32.0.1', '2001:db8::1', '::ffff:8.8.8.8', '', undefined])
    expect([address, isTrusted(address)]).toEqual([address, false])
})
