import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../testing/app.ts'
import { testDatabases } from '../../../testing/database.ts'

const databases = await testDatabases()
const local = await buildTestApp({ databases })
const named = await buildTestApp({ databases, settings: { PUBLIC_URL: 'https://Deals.Example:8443/deals' } })

const codeOf = async ({ app }: TestApp, headers: Record<string, string>, remoteAddress = '198.51.100.7') => {
  const answer = await app.inject({ url: '/api/settings', headers, remoteAddress })
  return answer.statusCode === 200 ? 200 : `${answer.statusCode} ${answer.json().code}`
}

test.each([
  ...['localhost', 'LOCALHOST:3000', 'localhost.:3000', 'app.localhost', '127.0.0.1:3000', '[::1]:3000'],
  ...['192.168.1.5', '203.0.113.7:80', '[fe80::1]', hostname(), `${hostname().split('.')[0]}.local:3000`],
])('without PUBLIC_URL local names and addresses are answered: %s', async (host) => {
  expect(await codeOf(local, { host })).toBe(200)
})

test.each([
  ...['evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example', 'xlocalhost'],
  ...['deals.example', '127.1', '2130706433', 'notlocalhost'],
])('without PUBLIC_URL no other name is answered: %s', async (host) => {
  expect(await codeOf(local, { host })).toBe('421 FOREIGN_HOST')
})

test.each([
  ...['deals.example', 'DEALS.example:8443', 'deals.example.', 'deals.example:443'],
  ...['localhost:3000', '127.0.0.1', '[::1]:3000'],
])('with PUBLIC_URL its host and loopback are answered: %s', async (host) => {
  expect(await codeOf(named, { host })).toBe(200)
})

test.each(['evil.example', 'www.deals.example', 'deals.example.evil.example', '192.168.1.5', hostname()])(
  'with PUBLIC_URL nothing else is: %s',
  async (host) => {
    expect(await codeOf(named, { host })).toBe('421 FOREIGN_HOST')
  },
)

test.each([
  'a b',
  'deals.example, localhost',
  'localhost, localhost',
  'user@localhost',
  'localhost/x',
  '[::1',
  ':80',
])('what is no name of a host is no request: %j', async (host) => {
  expect(await codeOf(local, { host })).toBe('400 INVALID_INPUT')
})

test('what a proxy here was asked by counts too, but opens nothing', async () => {
  const asked = (host: string, forwarded: string, remoteAddress?: string) =>
    codeOf(named, { host, 'x-forwarded-host': forwarded }, remoteAddress)
  expect(await asked('127.0.0.1:3000', 'deals.example', '127.0.0.1')).toBe(200)
  expect(await asked('127.0.0.1:3000', 'evil.example', '127.0.0.1')).toBe('421 FOREIGN_HOST')
  expect(await asked('evil.example', 'deals.example', '127.0.0.1')).toBe('421 FOREIGN_HOST')
  // Of somebody who is no proxy it is hearsay.
  expect(await asked('deals.example', 'evil.example')).toBe(200)
})

test('probes and scrapers may use any name, pages and data may not', async () => {
  const token = 'a-token-of-some-length'
  const { app } = await buildTestApp({ databases, settings: { METRICS_TOKEN: token } })
  const headers = { host: 'dealdeck-1.internal:3000', authorization: `Bearer ${token}` }
  for (const url of ['/healthz', '/readyz', '/metrics'])
    expect([url, (await app.inject({ url, headers })).statusCode]).toEqual([url, 200])
  for (const url of [
    '/',
    '/tools',
    '/nothing',
    '/sample-images/mug-ink.svg',
    '/api/docs',
    '/api/products/events',
  ])
    expect([url, (await app.inject({ url, headers })).statusCode]).toEqual([url, 421])
})

test('a refusal says what to set: to a program in the one shape, to a browser as a sentence', async () => {
  const ask = async ({ app }: TestApp, accept: string) => {
    const { headers, body } = await app.inject({ url: '/', headers: { accept, host: 'deals.lan:3000' } })
    return [headers['content-type'], headers['cache-control'], body]
  }
  const message =
    'Dealdeck does not answer at deals.lan:3000. Whoever runs it sets PUBLIC_URL to the address users open, such as http://deals.lan:3000.'
  const type = 'charset=utf-8'
  expect(await ask(local, '*/*')).toEqual([
    ...[`application/json; ${type}`, 'no-store', JSON.stringify({ code: 'FOREIGN_HOST', message })],
  ])
  expect(await ask(local, 'text/html,*/*')).toEqual([`text/plain; ${type}`, 'no-store', `${message}\n`])
  // The right name is nobody's business who came by a wrong one.
  expect((await ask(named, 'text/html'))[2]).toBe(
    'Dealdeck does not answer at deals.lan:3000, only at the address in its setting PUBLIC_URL.\n',
  )
})

test.each([
  ['two of them', ['GET /api/settings HTTP/1.1', 'Host: localhost', 'Host: evil.example'], 400],
  ['the same one twice', ['GET /readyz HTTP/1.1', 'Host: localhost', 'Host: localhost'], 400],
  ['an empty one', ['GET /api/settings HTTP/1.1', 'Host:'], 400],
  ['none', ['GET /api/settings HTTP/1.1'], 400],
  ['none for a probe, as HAProxy sends it', ['GET /readyz HTTP/1.0'], 200],
  ['another one in the address', ['GET http://evil.example/api/settings HTTP/1.1', 'Host: localhost'], 421],
  ['the same in the address', ['GET http://localhost/readyz HTTP/1.1', 'Host: localhost'], 200],
])('Host headers as they come: %s', async (_what, lines, status) => {
  if (!local.app.server.listening) await local.app.listen({ host: '127.0.0.1', port: 0 })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const socket = connect((local.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  expect(Number(head.slice(9, 12))).toBe(status)
  expect(head.toLowerCase()).toContain('content-type: application/json')
  if (status !== 200) expect(JSON.parse(body.replace(/^[\da-f]+\r\n|\r\n0$/g, ''))).toHaveProperty('code')
})
