import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { streamsPerMember } from '../../server/src/platform/live/event-stream.ts'
import { Client } from './client.ts'
import { either } from './extent.ts'
import { readMetrics, watched } from './figures.ts'
import { Installation } from './installation.ts'
import { head, RawConnection } from './raw-connection.ts'
import { restOf, returnsToRest } from './rest.ts'
import { eventsOf } from './stream-reader.ts'

/** Streams opened and reset, by so many members, as many at once, and by when the connection is gone, in milliseconds. */
const leaving = either(1_000, 7_480)
const members = either(200, 1_000)
const leavingAtOnce = 100
const leftWithinMs = 15
/** Events that are kept, each of a thousand deals, and for how long somebody abuses them, in milliseconds. */
const keptEvents = either(1_000, 20_000)
const lastingMs = either(1_000, 10_000)

const hostile = { username: 'hostile', password: 'correct horse' }

/** An installation with an administrator and a plain member, and as many events as a large import leaves. */
async function inhabited(events: number) {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off', ...watched })
  await installation.start()
  if (events > 0) {
    await installation.query(
      `insert into feed_events (revision, changed)
       select n, array(select n * 1000 + m from generate_series(1, 1000) m) from generate_series(1, $1::int) n`,
      [events],
    )
    await installation.query('update feed_state set revision = $1', [events])
    // As one that was there all the time: it would tell nobody of all these, for nobody listens yet.
    await installation.end()
    await installation.start()
  }
  const other = await installation.administrator()
  const made = await other.change('POST', '/api/users', hostile)
  expect(made.kind).toBe('acknowledged')
  const member = await new Client(installation.origin).signIn(hostile)
  const openStreams = async () => (await readMetrics(installation.origin))('dealdeck_open_streams')
  const opened = AbortSignal.timeout(10_000)
  let epoch = ''
  for await (const event of eventsOf(member, opened)) {
    epoch = /^id: (\w+)-\d+$/m.exec(event)?.[1] ?? ''
    break
  }
  expect(epoch).not.toBe('')
  const ask = (revision?: number, cookie = member.cookie) => {
    const raw = new RawConnection(installation.origin)
    const { host } = new URL(installation.origin)
    const resume = revision !== undefined && { 'last-event-id': `${epoch}-${revision}` }
    raw.socket.write(head('GET /api/products/events', { host, cookie, ...resume }))
    return raw
  }
  return { installation, other, openStreams, ask }
}

/** Cookies of so many members: each session is looked up by its first request. */
async function cookiesOf(installation: Installation, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => randomBytes(32).toString('base64url'))
  await installation.query(
    `with given as (select token, gen_random_uuid()::text as name from unnest($1::text[]) as token),
     made as (insert into users (username, password_hash) select name, '' from given returning id, username)
     insert into sessions (token_hash, user_id, expires_at, last_used_address)
     select sha256(token::bytea), id, now() + interval '1 day', '127.0.0.1' from given join made on name = username`,
    [tokens],
  )
  return tokens.map((token) => `dealdeck_session=${token}`)
}

/** So few pages have no p99: on a busy machine it would be the longest of them. */
const leastPages = 100

/** Reads page after page until told to stop, and enough of them; returns how long each took, in milliseconds, shortest first. */
async function readPages(client: Client, signal: AbortSignal): Promise<number[]> {
  const took: number[] = []
  while (!signal.aborted || took.length < leastPages) {
    const began = performance.now()
    const answer = await client.get('/api/products')
    await answer.arrayBuffer()
    expect(answer.status).toBe(200)
    took.push(performance.now() - began)
    await sleep(5)
  }
  return took.sort((one, other) => one - other)
}

const partOf = (took: number[], part: number) =>
  Math.round(took[Math.floor((took.length - 1) * part)] ?? Number.NaN)

const textOf = (took: number[]) =>
  `${took.length} pages, p50 ${partOf(took, 0.5)} ms, p99 ${partOf(took, 0.99)} ms, longest ${partOf(took, 1)} ms`

/** What others notice of some work, until half a second after it. */
async function during(client: Client, work: () => Promise<unknown>): Promise<number[]> {
  const over = new AbortController()
  const pages = readPages(client, over.signal)
  await work()
  await sleep(500)
  over.abort()
  return pages
}

test(`${leaving} readers who leave before or while they are answered are forgotten`, async () => {
  const { installation, other, ask } = await inhabited(0)
  const staying = [ask(), ask(), ask()]
  await Promise.all(staying.map((raw) => raw.status()))
  const abuse = async () => {
    const cookies = await cookiesOf(installation, members)
    let left = 0
    const leave = async () => {
      while (left++ < leaving) {
        const raw = ask(left % 2 === 0 ? 0 : undefined, cookies[left % members])
        await sleep(Math.random() * leftWithinMs)
        raw.socket.resetAndDestroy()
      }
    }
    return during(other, () =>
      Promise.all([
        ...Array.from({ length: leavingAtOnce }, leave),
        // Work enough that what is asked comes late.
        ...Array.from({ length: 8 }, async () => {
          for (let at = 0; left < leaving; at++)
            await (await other.get(`/api/products?max_price=${at}`)).text()
        }),
      ]),
    )
  }
  // As a process that has been at work: it keeps what it keeps.
  await abuse()
  await sleep(either(1_000, 5_000))
  const before = await restOf(installation)
  expect(before.streams).toBe(staying.length)
  const took = await abuse()
  console.log(`${leaving} left, ${await returnsToRest(installation, before)}; others ${textOf(took)}`)
})

test('one member who resumes hundreds of streams from long ago, reading or not, delays nobody else', async () => {
  const { installation, other, openStreams, ask } = await inhabited(keptEvents)
  const quiet = await during(other, () => sleep(lastingMs))
  const before = await restOf(installation)
  console.log(`Quiet: ${textOf(quiet)}`)
  for (const [count, reads] of [
    [100, true],
    [400, false],
  ] as const) {
    const asked: RawConnection[] = []
    const took = await during(other, async () => {
      for (let at = 0; at < count; at++) {
        // In turn from the beginning, and from as far back as is sent again.
        const raw = ask(at % 2 === 0 ? 1 : keptEvents - 30)
        if (!reads) raw.socket.pause()
        asked.push(raw)
      }
      await sleep(lastingMs)
    })
    const open = await openStreams()
    for (const raw of asked) raw.socket.resume()
    const statuses = await Promise.all(asked.map((raw) => raw.status()))
    for (const raw of asked) raw.socket.destroy()
    const rest = await returnsToRest(installation, before)
    console.log(
      `${count} who ${reads ? 'read' : 'never read'}: ${open} open, ${rest}; others ${textOf(took)}`,
    )
    expect(open).toBe(streamsPerMember)
    expect(statuses.filter((status) => status === 200)).toHaveLength(streamsPerMember)
    expect(statuses.filter((status) => status === 429)).toHaveLength(count - streamsPerMember)
    expect(partOf(took, 0.99)).toBeLessThan(500)
  }
})
