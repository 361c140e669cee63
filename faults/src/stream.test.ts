import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { streamsPerMember } from '../../server/src/platform/live/event-stream.ts'
import { either } from './extent.ts'
import { readMetrics } from './figures.ts'
import { Installation } from './installation.ts'
import { head, RawConnection } from './raw-connection.ts'
import { eventsOf } from './stream-reader.ts'

const readers = either(10, streamsPerMember - 1)
/** Events of seven kilobytes each: far more than a reader may leave unread, and than the system keeps for it. */
const events = 4_000

test(`${readers} clients that never read their stream are cut off, the memory stays bounded, and a reader misses nothing`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off' })
  await installation.start()
  const client = await installation.administrator()
  const memory = async () =>
    Number(
      /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${installation.process?.child.pid}/status`, 'utf8'))?.[1],
    ) * 1024
  const figure = async (name: string) => (await readMetrics(installation.origin))(name)
  const before = await memory()
  const { host } = new URL(installation.origin)
  const silent = Array.from({ length: readers }, () => {
    const raw = new RawConnection(installation.origin)
    raw.socket.pause()
    raw.socket.write(head('GET /api/products/events', { host, cookie: client.cookie }))
    return raw
  })
  await expect.poll(() => figure('dealdeck_open_streams')).toBe(readers)
  // Meanwhile somebody who reads, and comes back as a browser does.
  const late = AbortSignal.timeout(90_000)
  let [bytes, heard, resets, missed, last] = [0, 0, 0, 0, 0]
  let stamp: string | undefined
  const reading = (async () => {
    while (last < events && !late.aborted) {
      for await (const event of eventsOf(client, late, stamp)) {
        stamp = /^id: (\S+)$/m.exec(event)?.[1] ?? stamp
        const id = Number(stamp?.split('-').at(-1) ?? last)
        bytes += event.length
        if (/^event: reset$/m.test(event)) resets += 1
        else if (/^event: deals$/m.test(event)) {
          heard += 1
          if (id !== last + 1) missed += 1
        }
        last = id
        if (last === events) break
      }
    }
  })()
  await expect.poll(() => figure('dealdeck_open_streams')).toBe(readers + 1)
  // As a large import leaves them.
  await installation.query(
    `insert into feed_events (revision, changed)
     select n, array(select n * 1000 + m from generate_series(1, 1000) m) from generate_series(1, $1::int) n`,
    [events],
  )
  await installation.query('update feed_state set revision = $1', [events])
  await installation.query("select pg_notify('dealdeck_deals', $1)", [String(events)])
  await reading
  expect([last, missed]).toEqual([events, 0])
  // At the second heartbeat at the latest.
  await expect.poll(() => figure('dealdeck_open_streams'), { timeout: 40_000 }).toBe(0)
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
    `A reader took ${Math.round(bytes / 1e6)} MB in ${heard} events and ${resets} resets; the others at most ${Math.round(
      Math.max(...taken.map(([, length]) => length)) / 1e6,
    )} MB; memory grew by ${Math.round((after - before) / 1e6)} MB`,
  )
  expect(taken.filter(([seconds]) => seconds === Number.POSITIVE_INFINITY)).toEqual([])
  expect(Math.max(...taken.map(([, length]) => length))).toBeLessThan(events * 7_000)
  expect(after - before).toBeLessThan(300_000_000)
})
