import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { either } from './extent.ts'
import { Installation } from './installation.ts'
import { head, RawConnection } from './raw-connection.ts'
import { eventsOf } from './stream-reader.ts'

const readers = either(10, 100)
/** Events of seven kilobytes each: far more than a reader may leave unread, and than the system keeps for it. */
const events = 4_000

test(`${readers} clients that never read their stream are cut off, the memory stays bounded, and a reader hears everything`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off' })
  await installation.start()
  const client = await installation.administrator()
  // As a large import leaves them.
  await installation.query(
    `insert into feed_events (revision, changed)
     select n, array(select n * 1000 + m from generate_series(1, 1000) m) from generate_series(1, $1::int) n`,
    [events],
  )
  await installation.query('update feed_state set revision = $1', [events])
  await installation.query("select pg_notify('dealdeck_deals', $1)", [String(events)])
  // It has told nobody of them, for nobody listens yet.
  await sleep(3_000)
  const memory = async () =>
    Number(
      /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${installation.process?.child.pid}/status`, 'utf8'))?.[1],
    ) * 1024
  const before = await memory()
  const { host } = new URL(installation.origin)
  const silent = Array.from({ length: readers }, () => {
    const raw = new RawConnection(installation.origin)
    raw.socket.pause()
    raw.socket.write(head('GET /api/products/events', { host, cookie: client.cookie, 'last-event-id': 0 }))
    return raw
  })
  // Meanwhile somebody who reads, and comes back as a browser does.
  const late = AbortSignal.timeout(90_000)
  let [bytes, heard, last] = [0, 0, 0]
  while (last < events && !late.aborted) {
    for await (const event of eventsOf(client, late, last)) {
      bytes += event.length
      if (/^event: deals$/m.test(event)) heard += 1
      last = Number(/^id: (\d+)$/m.exec(event)?.[1] ?? last)
      if (last === events) break
    }
  }
  expect(heard).toBe(events)
  await sleep(22_000)
  const after = await memory()
  // Whoever begins to read finds the end of the connection, not of the events.
  const taken = await Promise.all(
    silent.map(async (raw) => {
      let length = 0
      raw.socket.on('data', (text: string) => {
        length += text.length
      })
      raw.socket.resume()
      return [await raw.secondsOpen(20), length] as const
    }),
  )
  console.log(
    `A reader took ${Math.round(bytes / 1e6)} MB in ${heard} events; the others at most ${Math.round(
      Math.max(...taken.map(([, length]) => length)) / 1e6,
    )} MB; memory grew by ${Math.round((after - before) / 1e6)} MB`,
  )
  expect(taken.filter(([seconds]) => seconds === Number.POSITIVE_INFINITY)).toEqual([])
  expect(Math.max(...taken.map(([, length]) => length))).toBeLessThan(bytes)
  expect(after - before).toBeLessThan(either(300_000_000, 700_000_000))
})
