import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { testDatabases } from '../../../testing/database.ts'

const databases = await testDatabases()
const { app } = await buildTestApp({ databases })
const token = 'a-token-of-some-length'
const { app: guarded } = await buildTestApp({ databases, settings: { METRICS_TOKEN: token } })

const status = async (
  to: typeof app,
  headers: Record<string, string | undefined>,
  remoteAddress = '127.0.0.1',
) => (await to.inject({ url: '/metrics', headers, remoteAddress })).statusCode

test.each(['127.0.0.1:3000', 'localhost', '[::1]:3000'])('this machine may read them at %s', async (host) => {
  expect(await status(app, { host })).toBe(200)
})

test.each([
  // A proxy on this machine that says for whom it asks, or at which name it was asked.
  { 'x-forwarded-for': '203.0.113.7' },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' },
  { 'x-real-ip': '203.0.113.7' },
  { forwarded: 'for=127.0.0.1' },
  { via: '1.1 proxy' },
  { host: 'deals.example.com' },
  { host: 'localhost.example.com' },
])('a proxy on this machine does not open them to others: %o', async (headers) => {
  expect(await status(app, headers)).toBe(403)
})

test('a proxy on this machine that says nothing opens them to nobody: it speaks HTTP/1.0, or there is PUBLIC_URL', async () => {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const raw = async (version: string) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.write(`GET /metrics HTTP/${version}\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
    return (await text(socket)).slice(9, 12)
  }
  expect([await raw('1.1'), await raw('1.0')]).toEqual(['200', '403'])
  const { app: named } = await buildTestApp({ databases, settings: { PUBLIC_URL: 'http://localhost:3000' } })
  expect(await status(named, {})).toBe(403)
})

test('another machine may not read them, whatever it says', async () => {
  expect(await status(app, {}, '203.0.113.7')).toBe(403)
  expect(await status(app, { 'x-forwarded-for': '127.0.0.1' }, '203.0.113.7')).toBe(403)
})

test('with a token it is the token that opens them, from anywhere, and nothing else does', async () => {
  const authorization = `Bearer ${token}`
  expect(await status(guarded, { authorization }, '203.0.113.7')).toBe(200)
  expect(await status(guarded, { authorization, 'x-forwarded-for': '203.0.113.7' })).toBe(200)
  for (const wrong of ['', 'Bearer', 'Bearer ', `Bearer ${token}x`, `Basic ${token}`, token])
    expect([wrong, await status(guarded, { authorization: wrong })]).toEqual([wrong, 403])
  expect(await status(guarded, {})).toBe(403)
  const answer = await guarded.inject({ url: '/metrics', headers: { authorization } })
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.body).not.toContain(token)
})
