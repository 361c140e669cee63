import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { startWebServer } from '../../../testing/web-server.ts'
import { makeSafeFetch } from './make-safe-fetch.ts'
import type { SafeRequest, SafeResponse } from './safe-fetch.ts'

const fetch = makeSafeFetch({ allow: ['127.0.0.0/8'] })
const ask: SafeRequest = { limits: { packedBytes: 100_000, bytes: 1_000_000 } }
const impatient: SafeRequest = { limits: { ...ask.limits, totalMs: 300 } }

async function read({ body }: SafeResponse): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** A server that doesn't keep to HTTP: `talk` has the bare connection. */
async function startRawServer(talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('data', () => talk(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  whenDone(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  // A server that listens on a port has an address of this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('an answer comes as it is, whatever its status', async () => {
  const server = await startWebServer((_, response) =>
    response
      .writeHead(404, { 'content-type': 'text/plain', 'x-twice': ['a', 'b'], 'x-far': 'Caf\u00e9' })
      .end('none'),
  )
  const response = await fetch(`${server.origin}/list?page=1#part`, ask)
  expect(response).toMatchObject({ status: 404, url: `${server.origin}/list?page=1`, movedTo: undefined })
  expect(response.isPublic).toBe(false)
  expect(response.headers.get('x-twice')).toBe('a, b')
  expect(await read(response)).toBe('none')
  expect(server.asked[0]?.url).toBe('/list?page=1')
})

test('it says who asks, and where we are where that is known', async () => {
  const server = await startWebServer((_, response) => response.end())
  const publicUrl = 'https://deals.example'
  await read(await fetch(server.origin, ask))
  await read(await makeSafeFetch({ allow: ['127.0.0.1'], publicUrl })(server.origin, ask))
  const agents = server.asked.map(({ headers }) => headers['user-agent'])
  expect(agents[0]).toMatch(/^Dealdeck\/\d+\.\d+\.\d+$/)
  expect(agents[1]).toBe(`${agents[0]} (+https://deals.example)`)
})

test('a body is sent with its headers', async () => {
  const received: string[] = []
  const server = await startWebServer(async (request, response) => {
    for await (const piece of request) received.push(String(piece))
    response.end('{}')
  })
  const headers = { 'Content-Type': 'application/json' }
  await read(await fetch(server.origin, { ...ask, method: 'POST', body: '{"a":1}', headers }))
  expect(server.asked[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
  expect(received.join('')).toBe('{"a":1}')
})

test.each(['Host', 'transfer-encoding', 'Connection', 'proxy-authorization'])(
  '%s is ours to set',
  async (name) => {
    await expect(fetch('http://127.0.0.1/', { ...ask, headers: { [name]: 'a' } })).rejects.toMatchObject({
      failure: 'address',
    })
  },
)

test('a header can’t bring another one along', async () => {
  const secretHeaders = { 'x-key': 'a\r\nx-other: b' }
  await expect(fetch('http://127.0.0.1/', { ...ask, secretHeaders })).rejects.toMatchObject({
    failure: 'address',
  })
})

describe('packed answers', () => {
  const text = 'Invented kettle, 1.7 l. '.repeat(1_000)
  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s', async (packing, bytes) => {
    const { origin } = await startWebServer((_, response) =>
      response.writeHead(200, { 'content-encoding': packing }).end(bytes),
    )
    expect(await read(await fetch(origin, ask))).toBe(text)
  })

  test.each([
    ['zstd', zstdCompressSync(text)],
    ['gzip, gzip', gzipSync(gzipSync(text))],
    ['gzip', Buffer.from(text)],
    ['gzip', gzipSync(text).subarray(0, 60)],
    ['br', Buffer.from(text)],
    ['deflate', Buffer.from(text)],
  ])('%s that can’t be unpacked', async (packing, bytes) => {
    const { origin } = await startWebServer((_, response) =>
      response.writeHead(200, { 'content-encoding': packing }).end(bytes),
    )
    await expect(fetch(origin, ask).then(read)).rejects.toMatchObject({ failure: 'packing' })
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(50_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(50_000_000))],
  ])('a %s of fifty megabytes is read no further than allowed', async (packing, bytes) => {
    const { origin } = await startWebServer((_, response) =>
      response.writeHead(200, { 'content-encoding': packing }).end(bytes),
    )
    let count = 0
    const reading = async () => {
      for await (const piece of (await fetch(origin, ask)).body) count += piece.byteLength
    }
    await expect(reading()).rejects.toMatchObject({ failure: 'size' })
    expect(count).toBeLessThanOrEqual(ask.limits.bytes)
  })

  test('an answer without a body may name a packing', async () => {
    const { origin } = await startWebServer((_, response) =>
      response.writeHead(304, { 'content-encoding': 'gzip', etag: '"1"' }).end(),
    )
    const response = await fetch(origin, ask)
    expect([response.status, await read(response)]).toEqual([304, ''])
  })
})

describe('limits', () => {
  test('a body without an end is cut', async () => {
    const left: Promise<unknown>[] = []
    const { origin } = await startWebServer((_, response) => {
      left.push(once(response, 'close'))
      const more = () => {
        while (response.write(Buffer.alloc(10_000)));
      }
      response.on('drain', more)
      more()
    })
    await expect(fetch(origin, ask).then(read)).rejects.toMatchObject({ failure: 'size' })
    await Promise.all(left)
  })

  test('a body that says to be too large is not begun', async () => {
    const { origin } = await startWebServer((_, response) =>
      response.writeHead(200, { 'content-length': 100_001 }).write('a'),
    )
    await expect(fetch(origin, ask).then(read)).rejects.toMatchObject({ failure: 'size' })
  })

  test('a body that doesn’t come on', async () => {
    const { origin } = await startWebServer((_, response) => response.write('a'))
    await expect(fetch(origin, impatient).then(read)).rejects.toMatchObject({ failure: 'time' })
  })

  test('a body that comes byte by byte', async () => {
    const { origin } = await startWebServer((_, response) => {
      const timer = setInterval(() => response.write('a'), 20)
      response.on('close', () => clearInterval(timer))
    })
    await expect(fetch(origin, impatient).then(read)).rejects.toMatchObject({ failure: 'time' })
  })

  test('our own time with an answer doesn’t count', async () => {
    const { origin } = await startWebServer((_, response) => response.end('a'.repeat(90_000)))
    const response = await fetch(origin, impatient)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(await read(response)).toHaveLength(90_000)
  })

  test('headers that don’t come, or not to their end', async () => {
    const quick = makeSafeFetch({ allow: ['127.0.0.1'], connectMs: 100, headersMs: 100 })
    const silent = await startRawServer(() => {})
    await expect(quick(silent, ask)).rejects.toMatchObject({ failure: 'time' })
    const dripping = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    await expect(quick(dripping, ask)).rejects.toMatchObject({ failure: 'time' })
  })

  test('headers without an end', async () => {
    const endless = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${`x-a: ${'b'.repeat(1_000)}\r\n`.repeat(100)}`)
    })
    await expect(fetch(endless, ask)).rejects.toMatchObject({ failure: 'size' })
  })

  test('a name server that is silent', async () => {
    const quick = makeSafeFetch({
      allow: [],
      resolve: () => new Promise(() => {}),
      connectMs: 50,
      headersMs: 50,
    })
    await expect(quick('http://shop.example/', ask)).rejects.toMatchObject({ failure: 'time' })
  })
})

describe('who asks can end it', () => {
  test('before, while waiting, and while reading', async () => {
    const { origin } = await startWebServer((request, response) => {
      if (request.url === '/body') response.write('a')
    })
    const reason = new Error('Enough')
    const ended = (path: string, signal: AbortSignal) => fetch(origin + path, { ...ask, signal }).then(read)
    await expect(ended('/', AbortSignal.abort(reason))).rejects.toBe(reason)
    for (const path of ['/', '/body']) {
      const controller = new AbortController()
      const asking = ended(path, controller.signal)
      setTimeout(() => controller.abort(reason), 50)
      await expect(asking).rejects.toBe(reason)
    }
  })

  test('by leaving the rest unread, which closes the connection', async () => {
    const closed: Promise<unknown>[] = []
    const { origin } = await startWebServer((_, response) => {
      closed.push(once(response, 'close'))
      response.write('a')
    })
    const unread = await fetch(origin, ask)
    unread.cancel()
    const partly = await fetch(origin, ask)
    for await (const _ of partly.body) break
    expect(await Promise.all(closed)).toHaveLength(2)
  })

  test('also while the rest of a packed answer is waited for', async () => {
    const closed: Promise<unknown>[] = []
    const packed = gzipSync(randomBytes(50_000))
    const { origin } = await startWebServer((_, response) => {
      closed.push(once(response, 'close'))
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(packed.subarray(0, 40_000))
    })
    const { body } = await fetch(origin, { limits: { ...ask.limits, totalMs: 3_600_000 } })
    for await (const _ of body) break
    expect(await Promise.all(closed)).toHaveLength(1)
  })
})

test.each([
  ['connection', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nsecret'],
  ['connection', 'secret, and no HTTP at all\r\n\r\n'],
  ['connection', ''],
])('an answer that breaks off is a failure of the %s, without what was sent', async (failure, bytes) => {
  const address = await startRawServer((socket) => socket.end(bytes))
  const error = await fetch(address, ask)
    .then(read, (error: unknown) => Promise.reject(error))
    .catch((error) => error)
  expect(error).toMatchObject({ failure })
  expect(`${error.message}${error.stack}${JSON.stringify(error)}${error.cause}`).not.toContain('secret')
})

test('nobody listens', async () => {
  await expect(fetch('http://127.0.0.1:1/', ask)).rejects.toMatchObject({ failure: 'connection' })
})
