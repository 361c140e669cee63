import { expect, test } from 'vitest'
import { either } from './extent.ts'
import { watched } from './figures.ts'
import { Installation } from './installation.ts'
import { head, RawConnection } from './raw-connection.ts'
import { restOf, returnsToRest } from './rest.ts'

/** What an attacker has plenty of. */
const connections = either(20, 200)
/** Within so many seconds every slow connection must be over. */
const limit = 45

function* endless(piece: string): Generator<string> {
  for (;;) yield piece
}

test(`${connections} clients of each kind that drip their headers or bodies are cut off, and others don't notice`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off', ...watched })
  await installation.start()
  const client = await installation.administrator()
  const { host } = new URL(installation.origin)
  const common = { host, origin: installation.origin, 'content-type': 'application/json' }
  const kinds: Record<string, [start: string, piece: string]> = {
    headers: [`GET / HTTP/1.1\r\nhost: ${host}\r\n`, 'x-more: 1\r\n'],
    'a body': [head('POST /api/session', { ...common, 'content-length': 60_000 }), ' '],
    'a body without a length': [
      head('POST /api/signup', { ...common, 'transfer-encoding': 'chunked' }),
      '1\r\n \r\n',
    ],
    'a body nobody wants': [head('POST /api/nowhere', { ...common, 'content-length': 60_000 }), ' '],
    'a body of a stranger': [
      head('POST /api/products/import', { ...common, 'content-length': 9_000_000 }),
      ' ',
    ],
    nothing: ['', ''],
  }
  for (let warming = 0; warming < 100; warming++) await client.get('/api/products')
  const before = await restOf(installation)
  const opened = Object.entries(kinds).flatMap(([kind, [start, piece]]) =>
    Array.from({ length: connections }, () => {
      const raw = new RawConnection(installation.origin)
      raw.socket.write(start)
      if (piece !== '') void raw.drip(endless(piece), 1_000)
      return { kind, raw }
    }),
  )
  // Beside them the application answers as ever.
  let slowest = 0
  const lasting = opened.map(async ({ kind, raw }) => ({ kind, seconds: await raw.secondsOpen(limit) }))
  const all = Promise.all(lasting)
  for (let isOver = false; !isOver; ) {
    const begin = performance.now()
    expect((await client.get('/api/products')).status).toBe(200)
    slowest = Math.max(slowest, performance.now() - begin)
    isOver = await Promise.race([
      all.then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, 500, false)),
    ])
  }
  const longest = Object.groupBy(await all, ({ kind }) => kind)
  const seconds = Object.entries(longest).map(([kind, list = []]) => [
    kind,
    Math.round(Math.max(...list.map((one) => one.seconds))),
  ])
  console.log(
    `Cut off after, in seconds: ${JSON.stringify(seconds)}; slowest answer to others ${Math.round(slowest)} ms`,
  )
  expect(seconds.filter(([, longest]) => !(Number(longest) < limit))).toEqual([])
  expect(slowest).toBeLessThan(5_000)
  console.log(await returnsToRest(installation, before))
  // Nobody who reads the log learns of it: it is no fault of ours, and there may be thousands.
  expect(installation.process?.output).not.toMatch(/"level":[56]0/)
})
