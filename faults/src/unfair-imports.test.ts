import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Client } from './client.ts'
import { either } from './extent.ts'
import { watched } from './figures.ts'
import { Imports } from './imports.ts'
import { Installation } from './installation.ts'
import { head, RawConnection } from './raw-connection.ts'
import { restOf, returnsToRest } from './rest.ts'

/** What is packed into a bomb, in megabytes. */
const packedMegabytes = either(400, 4_295)
/** How many senders hang up, and how many rows each would have brought. */
const hangUps = either(4, 16)
const rowsOfEach = either(10_000, 100_000)

/** Gzip in gzip of one letter: nine kilobytes of it are four gigabytes. */
async function bomb(): Promise<Buffer> {
  const piece = Buffer.alloc(1_000_000, 'x')
  const pieces = Readable.from(Array.from({ length: packedMegabytes }, () => piece))
  return gzipSync(Buffer.concat(await pieces.pipe(createGzip()).toArray()))
}

/** A new token, and how to remove it. */
async function makeToken(client: Client, name: string): Promise<{ token: string; remove(): Promise<void> }> {
  const made = await client.change('POST', '/api/ingest_tokens', { name })
  if (made.kind !== 'acknowledged') throw new Error(`Making a token: ${JSON.stringify(made)}`)
  const { id, token } = Object(made.body)
  return {
    token,
    async remove() {
      const { kind } = await client.change('DELETE', `/api/ingest_tokens/${id}`)
      expect(kind).toBe('acknowledged')
    },
  }
}

const rows = (count: number, letter: string) =>
  Array.from({ length: count }, (_, at) => {
    const asin = `B0${letter}${at.toString(36).toUpperCase().padStart(7, '0')}`
    return `${JSON.stringify({ asin, title: `Enamel kettle ${at}`, price: 5, availability: 'In stock' })}\n`
  }).join('')

/** An import by hand: its head, and what follows it as it is. */
function begin(installation: Installation, token: string, length: number): RawConnection {
  const { host } = new URL(installation.origin)
  const raw = new RawConnection(installation.origin)
  const headers = { host, authorization: `Bearer ${token}`, 'content-length': length }
  raw.socket.write(head('POST /api/products/import', headers))
  return raw
}

test('who imports unfairly is ended, keeps nobody else from importing, and leaves no trace', async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off', ...watched })
  await installation.start()
  const client = await installation.administrator()
  const say = (what: string) => console.log(what)
  // As large as what follows, so that the memory before is that of an application in use.
  const own = new Imports('K', rowsOfEach)
  for (let at = 0; at < 2; at++) await own.once(client)
  await sleep(1_000)
  const before = await restOf(installation)

  const packed = await bomb()
  const { token: bomber, remove } = await makeToken(client, 'bomber')
  const bombs = Array.from({ length: 9 }, () => {
    const raw = begin(installation, bomber, packed.length)
    raw.socket.write(packed)
    return raw
  })
  const began = performance.now()
  const answers = await Promise.all(bombs.map((raw) => raw.status()))
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  // Two of nine at once, six that wait, and the ninth is too much.
  expect(answers.toSorted()).toEqual([...Array(8).fill(413), 429])
  say(
    `9 bombs of ${packed.length} bytes answered after ${seconds} s, ${await returnsToRest(installation, before)}`,
  )

  const body = rows(rowsOfEach, 'X')
  for (let at = 0; at < hangUps; at++) {
    const raw = begin(installation, bomber, body.length)
    const sending = raw.pour([Buffer.from(body)])
    // Sooner or later: while it is read, staged, merged, swept.
    await sleep((at + 1) * either(100, 250))
    raw.socket.destroy()
    await sending
  }
  say(`${hangUps} senders of ${rowsOfEach} rows hung up, ${await returnsToRest(installation, before)}`)

  const endless = begin(installation, bomber, body.length * 1_000)
  const pouring = endless.pour(
    (function* () {
      for (;;) yield Buffer.from(body)
    })(),
  )
  await sleep(1_000)
  await remove()
  expect([401, 0]).toContain(await endless.status())
  endless.socket.destroy()
  await pouring
  say(`A token was removed while it sent, ${await returnsToRest(installation, before)}`)

  const drips = await Promise.all(
    Array.from({ length: 3 }, async (_, at) => {
      const raw = begin(installation, (await makeToken(client, `drip ${at}`)).token, 9_000_000)
      void raw.drip(
        Array.from({ length: 1_000 }, () => ' '.repeat(51)),
        100,
      )
      return raw
    }),
  )
  await sleep(500)
  const patient = performance.now()
  await own.once(client)
  const waited = (performance.now() - patient) / 1_000
  expect(waited).toBeLessThan(30)
  for (const raw of drips) raw.socket.destroy()
  say(
    `An import beside three of 510 bytes a second took ${waited.toFixed(1)} s, ${await returnsToRest(installation, before)}`,
  )

  // Nothing that was acknowledged is lost, and what was broken off is whole chunks.
  expect(await own.check(installation)).toEqual([])
  expect(installation.process?.output).not.toMatch(/"level":[56]0/)
})
