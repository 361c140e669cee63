import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { buildTestApp } from '../../testing/app.ts'
import { whenDone } from '../../testing/cleanup.ts'
import { listening } from '../../testing/streams.ts'

test('a network that makes up tokens has one of them looked up at a time, and takes nobody else’s connection', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { reservedPool } = databases
  const member = await signIn('user')
  const ask = (headers: Record<string, string>) => app.inject({ url: '/api/session', headers })
  // Until then no session can be looked up.
  const held = await databases.durablePool.connect()
  whenDone(async () => void held.release(true))
  await held.query('begin; lock table sessions in access exclusive mode')
  const strangers = Array.from({ length: 200 }, (_, at) => {
    const token = randomBytes(32).toString('base64url')
    return ask(at % 2 ? { authorization: `Bearer ${token}` } : { cookie: `dealdeck_session=${token}` })
  })
  const own = ask({ cookie: member.headers.cookie, 'x-forwarded-for': '192.0.2.7' })
  const waiting = async () => {
    const { rows } = await reservedPool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.n
  }
  await expect.poll(waiting).toBe(2)
  expect([reservedPool.waitingCount, (await app.inject('/readyz')).statusCode]).toEqual([0, 200])
  await held.query('rollback')
  expect((await own).statusCode).toBe(200)
  const statuses = (await Promise.all(strangers)).map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([401]))
})

test('a connection that sends thousands of requests without waiting is closed', async () => {
  const testApp = await buildTestApp()
  const socket = connect(await listening(testApp), '127.0.0.1')
  socket.on('error', () => undefined)
  const request = () =>
    `GET /api/session HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${randomBytes(32).toString('hex')}\r\n\r\n`
  socket.write(Array.from({ length: 20_000 }, request).join(''))
  socket.resume()
  await vi.waitUntil(() => socket.closed, { timeout: 15_000 })
  // Nothing of one that takes no answers is kept for ever either.
  expect(testApp.app.server.timeout).toBe(60_000)
})

// Node.js throws away what comes in behind such a request: the rest would be an answer to nobody's question.
test.each(['/healthz', '/%'])(
  'a request for another protocol is answered, and ends its connection: %s',
  async (path) => {
    const socket = connect(await listening(await buildTestApp()), '127.0.0.1')
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\n'
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${upgrade}\r\nGET /healthz HTTP/1.1\r\n`)
    const answer = await text(socket)
    expect(answer).toMatch(path === '/%' ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 200 /)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
  },
)
