import { connect } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { marketplaces } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../testing/app.ts'
import { whenDone } from '../../testing/cleanup.ts'
import { listening } from '../../testing/streams.ts'
import { Body } from '../features/ingest/reading/body.ts'
import { textOf } from '../features/ingest/reading/bytes.ts'
import { JsonRows } from '../features/ingest/reading/json-rows.ts'
import { sentBodies } from '../features/ingest/reading/limits.ts'
import { FeedCache } from '../platform/http/feed-cache.ts'

const json = { 'content-type': 'application/json' }

async function poster() {
  const { app, signIn } = await buildTestApp()
  const { headers } = await signIn('admin')
  return async (url: string, payload: string | Buffer, more: Record<string, string> = json) => {
    const response = await app.inject({ method: 'POST', url, payload, headers: { ...headers, ...more } })
    return { status: response.statusCode, body: response.json() }
  }
}

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels)

test('bodies too large or too deep are refused before anybody is asked for', async () => {
  const { app } = await buildTestApp()
  const bodies: [string | Buffer, Record<string, string>, number][] = [
    [`{"username":"a","password":"${'x'.repeat(70_000)}"}`, json, 413],
    [deep('[', ']', 32_000), json, 400],
    [deep('{"a":', '}', 10_000).replace(':}', ':1}'), json, 400],
    // A hundred megabytes of nothing in a hundred kilobytes, in both ways of packing.
    [gzipSync(Buffer.alloc(100_000_000, ' ')), { ...json, 'content-encoding': 'gzip' }, 413],
    [brotliCompressSync(Buffer.alloc(100_000_000, ' ')), { ...json, 'content-encoding': 'br' }, 413],
  ]
  for (const [payload, headers, status] of bodies) {
    const { statusCode } = await app.inject({ method: 'POST', url: '/api/session', payload, headers })
    expect([payload.length, statusCode]).toEqual([payload.length, status])
  }
  expect((await app.inject('/healthz')).statusCode).toBe(200)
})

/** Sends a request, its body in pieces, and goes on until it is answered or cut; with what was answered, and whether it was cut. */
async function pour(path: string, pieces: Iterable<string>) {
  const socket = connect(await listening(await buildTestApp()), '127.0.0.1')
  whenDone(async () => void socket.destroy())
  const state = { answer: '', isClosed: false }
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      state.isClosed = true
      resolve()
    })
  })
  socket.on('data', (text) => {
    state.answer += text
  })
  socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`)
  socket.write('transfer-encoding: chunked\r\n\r\n')
  for (const piece of pieces) {
    if (state.isClosed) break
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`
    if (!socket.write(chunk))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
  }
  return state
}

const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value)

function* endlessly(piece: string) {
  for (;;) yield piece
}

test('a body in tens of thousands of pieces is not read to its end', async () => {
  const asked = await pour('/api/session', [...times(60_000, ' '), ''])
  await expect.poll(() => asked.isClosed).toBe(true)
  expect(asked.answer).toBe('')
  // Pieces as small as a network's are as good as others.
  const ordinary = await pour('/api/session', ['{', ...times(40, ' '.repeat(1_400)), '}', ''])
  await expect.poll(() => ordinary.answer).toMatch(/^HTTP\/1\.1 400 .*"fields"/s)
})

// Without a bound its sender goes on until the time for bodies is over, 20 seconds, and the test's is before.
test.each([1, 60_000])(
  'what is refused may not be sent on and on, in pieces of %i bytes',
  { timeout: 17_000 },
  async (length) => {
    const endless = await pour('/api/products/import', endlessly('x'.repeat(length)))
    expect(endless.answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(endless.isClosed).toBe(true)
  },
)

test('rows too large or too deep spoil themselves only', async () => {
  const post = await poster()
  const good = { asin: 'B0ABCD1234', title: 'Folding lantern', price: 9.99 }
  const row = (more: string) => `${JSON.stringify(good).slice(0, -1)},"note":${more}}`
  const rows = [
    row(deep('[', ']', 400_000)),
    row(deep('{"a":', '}', 100_000).replace(':}', ':1}')),
    row(`"${'x'.repeat(1_100_000)}"`),
    JSON.stringify({ ...good, asin: 'B0ABCD1235' }),
  ]
  const taken = await post('/api/products/import', `[${rows.join(',')}]`)
  expect([taken.status, taken.body.received, taken.body.rejected_total]).toEqual([200, 4, 1])
  const lines = await post('/api/products/import', rows.join('\n'))
  expect([lines.status, lines.body.received, lines.body.rejected_total]).toEqual([200, 4, 1])
})

test('a body that only ever opens is refused without being held', async () => {
  const post = await poster()
  for (const body of [`{"a":${'['.repeat(2_000_000)}`, '{"a":'.repeat(400_000), '['.repeat(2_000_000)]) {
    const { status, body: answer } = await post('/api/products/import', gzipSync(body))
    expect([status < 500, answer.received ?? 0]).toEqual([true, 0])
  }
  expect(() => new JsonRows('first').push(`{"a":${'['.repeat(1_000)}`)).toThrow('not well formed')
})

test('a packed body that grows without end is cut off', async () => {
  async function* packedTwice() {
    yield gzipSync(gzipSync(Buffer.alloc(50_000_000, '\n')))
  }
  const read = async () => {
    let length = 0
    for await (const text of textOf(packedTwice(), { limit: 1_000_000 })) length += text.length
    return length
  }
  await expect(read()).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
})

/** The processor time this thread takes for some work, in milliseconds. */
async function cost(work: () => unknown): Promise<number> {
  const began = process.threadCpuUsage()
  await work()
  return process.threadCpuUsage(began).user / 1000
}

test('names chosen to collide, and rows of nothing but names, cost what others cost', async () => {
  const [marketplace] = marketplaces
  if (!marketplace) throw new Error('There is no marketplace')
  const rowOf = (key: (at: number) => string) =>
    `{"asin":"B0ABCD1234",${Array.from({ length: 50_000 }, (_, at) => `"${key(at)}":1`).join(',')}}\n`
  const read = async (row: string) => {
    async function* source() {
      for (let count = 0; count < 4; count++) yield Buffer.from(row)
    }
    const body = new Body(source(), { marketplace, overrides: [], availability: '', limits: sentBodies })
    for await (const _ of body.batches()) await Promise.resolve()
  }
  // Numbers as names are hashed by their value: multiples of a power of two are what floods a weak table.
  expect(await cost(() => read(rowOf((at) => String(at * 1024))))).toBeLessThan(10_000)
  expect(await cost(() => read(rowOf((at) => `k${at}`)))).toBeLessThan(10_000)
})

test('ever new questions without an answer are kept within bounds', async () => {
  const cache = new FeedCache()
  const none = async () => '{"items":[],"next_cursor":null}'
  for (let at = 0; at < 100_000; at++) {
    const question = `user  /api/products?search=nothing${at}`
    // Kept from the second asking on.
    await cache.get(question, 1, none)
    await cache.get(question, 1, none)
  }
  expect(cache.size).toBeLessThan(65_536)
})
