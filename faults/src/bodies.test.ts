import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Client } from './client.ts'
import { either } from './extent.ts'
import { Installation } from './installation.ts'
import { head, RawConnection } from './raw-connection.ts'

/** How large a body is in all, in bytes. */
const size = either(20_000_000, 1_000_000_000)
/** How much memory the application may take at its highest, in bytes: what a body would pass that is kept whole, in the full form. */
const memoryLimit = 800_000_000

/** Too large; or the connection ends while the rest is still under way, which may take the answer with it. */
const refusals = [413, 0]

function* endless(start: string, repeated: string, end: string, bytes = size): Generator<Buffer> {
  const piece = Buffer.alloc(1_000_000, repeated)
  yield Buffer.from(start)
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece
  yield Buffer.from(end)
}

const texts: Record<string, () => Generator<Buffer>> = {
  'one line of CSV': () => endless('asin,title,price\n', 'x', ''),
  'one quoted cell': () => endless('asin,title,price\nB000000000,"', 'x', ''),
  'one line of NDJSON': () => endless('{"asin":"B000000000","title":"', 'x', '"}\n'),
  'one text of an array': () => endless('[{"asin":"B000000000","title":"', 'x', '"}]'),
  'one nesting': () => endless('', '[{"a":', ''),
  'nothing but spaces': () => endless('', ' ', ''),
  'nothing but zeros': () => endless('', '\0', ''),
  // Rows cost time, not memory.
  'rows of nothing': () => endless('[', '{},', '{}]', size / 20),
}

/** The highest resident memory of the application so far, in bytes; 0 where the system doesn't say. */
async function peakMemory({ process }: Installation): Promise<number> {
  const status = await readFile(`/proc/${process?.child.pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}

async function send(client: Client, body: Readable, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${client.origin}/api/products/import`, {
    method: 'POST',
    headers: { cookie: client.cookie, origin: client.origin, ...headers },
    // Node's own stream is one of the kinds that fetch takes, only its types don't say so.
    body: Readable.toWeb(body) as unknown as ReadableStream,
    duplex: 'half',
  } as RequestInit) // The types of fetch lack `duplex`, which a stream as body needs.
  await response.arrayBuffer()
  return response.status
}

test(`imports of ${size / 1e6} MB of nonsense, packed too, end with an answer, in little memory, beside others`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off' })
  await installation.start()
  const client = await installation.administrator()
  let slowest = 0
  const ended = new AbortController()
  const others = (async () => {
    while (!ended.signal.aborted) {
      const begin = performance.now()
      expect((await client.get('/api/products')).status).toBe(200)
      slowest = Math.max(slowest, performance.now() - begin)
      await sleep(20)
    }
  })()
  for (const [what, text] of Object.entries(texts)) {
    const plain = await send(client, Readable.from(text()), { 'content-type': 'text/csv' })
    expect([200, 400, 415, 422], `${what}: ${plain}`).toContain(plain)
    const gzip = Readable.from(text()).pipe(createGzip({ level: 1 }))
    const packed = await send(client, gzip, { 'content-type': 'text/csv', 'content-encoding': 'gzip' })
    // Nonsense packs so well that it is refused for that.
    expect([plain, 413], what).toContain(packed)
  }
  ended.abort()
  await others
  const peak = await peakMemory(installation)
  console.log(
    `Highest memory ${Math.round(peak / 1e6)} MB, slowest answer to others ${Math.round(slowest)} ms`,
  )
  expect(peak).toBeLessThan(memoryLimit)
  expect(slowest).toBeLessThan(5_000)
})

test(`${size / 1e6} MB to ordinary routes are refused at once, whatever they say of themselves`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off' })
  await installation.start()
  const { host } = new URL(installation.origin)
  const common = { host, origin: installation.origin, 'content-type': 'application/json' }
  const before = await peakMemory(installation)

  const stated = new RawConnection(installation.origin)
  stated.socket.write(head('POST /api/session', { ...common, 'content-length': size }))
  void stated.pour(endless('{"username":"', 'x', '"}'))
  expect(refusals).toContain(await stated.status())

  const chunked = new RawConnection(installation.origin)
  chunked.socket.write(head('POST /api/signup', { ...common, 'transfer-encoding': 'chunked' }))
  const chunk = Buffer.concat([Buffer.from('f4240\r\n'), Buffer.alloc(1_000_000, ' '), Buffer.from('\r\n')])
  void chunked.pour(Array.from({ length: size / 1_000_000 }, () => chunk))
  expect(refusals).toContain(await chunked.status())

  const bomb = await Readable.from(endless('', ' ', ''))
    .pipe(createGzip({ level: 1 }))
    .toArray()
  const packed = new RawConnection(installation.origin)
  const length = bomb.reduce((sum: number, part: Buffer) => sum + part.length, 0)
  packed.socket.write(
    head('POST /api/session', { ...common, 'content-encoding': 'gzip', 'content-length': length }),
  )
  void packed.pour(bomb)
  expect(refusals).toContain(await packed.status())

  expect((await peakMemory(installation)) - before).toBeLessThan(200_000_000)
  const client = await installation.administrator()
  expect((await client.get('/api/session')).status).toBe(200)
})
