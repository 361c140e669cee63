import { createHash, randomBytes } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { contract } from '@dealdeck/contract/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contractRoutes } from '../../server/src/platform/http/contract-routes.ts'
import { runCommand } from '../../server/testing/dealdeck-process.ts'
import {
  type MalformedRequest,
  malformedRequest,
  plainPaths,
  unreadable,
} from '../../server/testing/malformed-requests.ts'
import { either } from './extent.ts'
import { growth, type Sample, sample, watched } from './figures.ts'
import { Installation } from './installation.ts'
import { type Rest, restOf, returnsToRest } from './rest.ts'

/** How many requests are sent in all, so many at a time; `server/src/malformed.test.ts` sends ten thousand without a process. */
const count = either(2_000, 100_000)
const batch = count / 20
const atOnce = 24

/** How much more at the end than in the middle is no growth. */
const tolerances = {
  rss: { ratio: 1.1, more: either(100, 20) },
  heap: { ratio: 1.05, more: either(20, 5) },
  // Connections to the database are opened when many ask at once, up to a limit of their own.
  handles: { ratio: 1, more: either(40, 10) },
  connections: { ratio: 1, more: either(30, 6) },
}

/** However it was in the middle of it. */
const nothingUnderWay = { imports: 0, turns: 0, streams: 0, busy: 0, processor: 0 }

const routes = [...contractRoutes(contract), ...plainPaths.map((path) => ({ method: 'GET', path }))]

/** A tunnel is all it asks for: Node.js hangs up, as nobody offers one. */
const connectRequest = 'CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** What a stranger says of where it comes from and where it goes to. */
const claims = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { host: 'evil.example' },
    { host: 'localhost, evil.example' },
    { host: 'user@localhost:1/path' },
    { host: 'x'.repeat(8_000) },
    { 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-for': '203.0.113.9'.repeat(200) },
    { origin: 'https://evil.example' },
    { origin: 'http://user@127.0.0.1/path' },
    { 'x-request-id': `${'a'.repeat(100)}\t"}{` },
    { connection: 'upgrade', upgrade: 'websocket' },
    { expect: '100-continue' },
    { 'transfer-encoding': 'gzip, chunked' },
    { te: 'trailers', 'x-more': 'y'.repeat(12_000) },
  ),
)

/** What never becomes a request, or more than one. */
const nonsense = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...unreadable, connectRequest),
)

/** Whoever sends a whole request has an answer by then, or no connection any more; in milliseconds. */
const patienceMs = 60_000

/** As much of a request's head as is read, and of its body, in bytes: who sends more may meet with a closed connection. */
const [mostHead, mostBody] = [16 * 1024, 64 * 1024]

/** Sends requests and counts the answers by status, 0 when there was none; keeps those that are the server’s own fault. */
class Attacker {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  readonly #origin: string
  readonly statuses: Record<number, number> = {}
  readonly faults: unknown[] = []

  constructor(origin: string) {
    this.#origin = origin
  }

  async send(one: MalformedRequest, more: Record<string, string>): Promise<void> {
    const headers: Record<string, string> = { ...one.headers, ...more }
    // Left to itself, Node.js sends the body of a DELETE as if it were the next request.
    if (one.payload !== undefined && headers['transfer-encoding'] === undefined)
      headers['content-length'] = String(Buffer.byteLength(one.payload))
    const { status, answer } = await new Promise<{ status: number; answer: unknown }>((resolve) => {
      const nothing = (error: unknown) => resolve({ status: 0, answer: error })
      const { method } = one
      const sender = request(this.#origin + one.url, { method, agent: this.#agent, headers })
      sender.on('error', nothing).on('upgrade', nothing)
      sender.setTimeout(patienceMs, () => sender.destroy(new Error('no answer in time')))
      sender.on('response', (answer: IncomingMessage) => {
        const status = answer.statusCode ?? 0
        // A stream has no end.
        const isStream = answer.headers['content-type']?.startsWith('text/event-stream')
        if (isStream) answer.destroy()
        if (isStream) resolve({ status, answer: '' })
        else text(answer).then((body) => resolve({ status, answer: body }), nothing)
      })
      sender.end(one.payload)
    })
    const head = [one.url, ...Object.entries(headers).flat()].join('____').length
    const isLarge = head > mostHead || Buffer.byteLength(one.payload ?? '') > mostBody
    this.#note(status, isLarge, { ...one, headers, answer })
  }

  async pour(bytes: string | Buffer): Promise<void> {
    const { port, hostname } = new URL(this.#origin)
    const socket = connect(Number(port), hostname)
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer in time')))
    let answer = ''
    socket.on('data', (piece) => {
      answer += piece
    })
    socket.on('error', (error) => {
      answer ||= String(error)
    })
    socket.end(bytes)
    await new Promise((resolve) => socket.on('close', resolve))
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
    const isEmpty = /^[\r\n]*$/.test(String(bytes))
    this.#note(status, isEmpty || bytes === connectRequest, { bytes, answer })
  }

  close(): void {
    this.#agent.destroy()
  }

  #note(status: number, mayBeNone: boolean, what: unknown): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    if (status >= 500 || (status === 0 && !mayBeNone)) this.faults.push({ status, what })
  }
}

/** Makes the accounts whole again, whatever was done in their names, and gives each a new session. */
async function callers(installation: Installation): Promise<Record<string, string>[]> {
  const sessions = await Promise.all(
    (['user', 'admin'] as const).map(async (role) => {
      const token = randomBytes(32).toString('base64url')
      await installation.query(
        `with account as (
           update users set role = $2, status = 'approved', is_active = true where username = $1 returning id
         )
         insert into sessions (token_hash, user_id, expires_at) select $3, id, now() + interval '1 day' from account`,
        [`hostile-${role}`, role, createHash('sha256').update(token).digest()],
      )
      return { cookie: `dealdeck_session=${token}`, origin: installation.origin }
    }),
  )
  const token = `dd_${randomBytes(32).toString('base64url')}`
  await installation.query("insert into ingest_tokens (name, token_hash) values ('hostile', $1)", [
    createHash('sha256').update(token).digest(),
  ])
  return [
    ...[{}, ...sessions, ...sessions, { authorization: `Bearer ${token}` }],
    ...[{ authorization: 'Bearer dd_nobody' }, { cookie: 'dealdeck_session=%00; dealdeck_session=x' }],
  ]
}

test(`${count} malformed and hostile requests in a row: no fault, no restart, no growth`, async () => {
  const installation = await Installation.make(watched)
  await installation.start()
  for (const role of ['user', 'admin'])
    await runCommand(
      ['create-user', `hostile-${role}`, ...(role === 'admin' ? ['--admin'] : [])],
      installation.environment,
    )
  const { pid } = installation.process?.child ?? {}
  const servers = installation.servers()
  const attacker = new Attacker(installation.origin)
  const samples: Sample[] = []
  let before: Rest | undefined
  for (let sent = 0; sent < count; sent += batch) {
    const known = await callers(installation)
    const one = fc.tuple(malformedRequest(routes), claims, fc.constantFrom(...known))
    const work = fc.sample(
      fc.oneof(
        { weight: 12, arbitrary: one },
        { weight: 1, arbitrary: nonsense.map((bytes) => [bytes] as const) },
      ),
      batch,
    )
    const turns = work.values()
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const turn of turns) {
          if (turn.length === 1) await attacker.pour(turn[0])
          else await attacker.send(turn[0], { ...turn[2], ...turn[1] })
        }
      }),
    )
    expect(attacker.faults).toEqual([])
    samples.push(await sample(installation))
    // As a process that has been at work: what it keeps for good is there by then.
    before ??= await restOf(installation)
  }
  attacker.close()
  console.log(`Answers by status: ${JSON.stringify(attacker.statuses)}; third quarter → last quarter:`)
  expect(growth(samples, tolerances)).toEqual([])
  expect(attacker.statuses[421]).toBeGreaterThan(0)
  expect([installation.process?.child.exitCode, installation.process?.child.pid]).toEqual([null, pid])
  expect(installation.servers().sort()).toEqual(servers.sort())
  expect(installation.process?.output).not.toMatch(/"level":[56]0/)
  if (before) console.log(await returnsToRest(installation, { ...before, ...nothingUnderWay }))
})
