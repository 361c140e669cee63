import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type ImportRow, makeSessions, newDeals, priceOf, signIn, startWith } from './application.ts'
import { beside } from './beside.ts'
import { EventReader } from './event-reader.ts'
import { memoryOf, type Program } from './processes.ts'
import { atMost, median, percentile, type Report } from './report.ts'
import { type Workshop, withClient } from './scratch.ts'
import { readSteadily } from './steady.ts'

const sources = 200
const rowsEach = 100
/** Deals that are there already; the sources have less than half as many. */
const storedDeals = 50_000
/** Of these so many have another price at each poll. */
const repriced = 5
const everyMinutes = 5
const readers = 50
const askedNow = 30
const lookEveryMs = 2_000
const restMs = 1_500
const longestDocumentMs = 900_000

/**
 * Two hundred sources, each a server of its own that has a hundred rows every five minutes, beside readers; then one source that is asked
 * at once, until what it answered is on an open screen; and one that answers with a very large document.
 */
export async function measureSources(workshop: Workshop): Promise<Report> {
  const { url } = await workshop.filled(Math.min(workshop.rows, storedDeals))
  const servers = await Promise.all(Array.from({ length: sources }, (_, index) => SourceServer.start(index)))
  const app = await startWith(url, { FETCH_ALLOW: '127.0.0.0/8' })
  try {
    const admin = new Administrator(app, await signIn(app.url))
    const cookies = await makeSessions(url, readers)
    const ids: number[] = []
    // One after the other, as an administrator does: two hundred connections of theirs would take memory that isn't meant.
    for (const server of servers) ids.push(await admin.add(server.url, everyMinutes))
    // Until each was asked once.
    await untilPolled(servers, 1, everyMinutes * 60_000)
    const late: number[] = []
    const polls = pollsOf(servers)
    const { readMs, memory } = await withClient(url, (client) =>
      beside([() => lookForLateness(client, late)], () =>
        readSteadily(app, cookies, workshop.sizes.minutes * 60_000),
      ),
    )
    const polled = pollsOf(servers) - polls
    const [first = 0, ...others] = ids
    // What another one brings would be taken for what this one has.
    for (const id of others) await admin.change(id, { is_paused: true })
    await sleep(restMs)
    const seen = await measureSight(app, admin, first, servers[0], cookies[0] ?? '')
    await admin.change(first, { is_paused: true })
    await app.stop()
    const large = await measureLarge(url, workshop.rows)
    return {
      title: `${storedDeals.toLocaleString('en-US')} deals, ${sources} sources every ${everyMinutes} minutes, ${rowsEach} rows each, beside ${readers} readers, ${workshop.sizes.minutes} minutes`,
      figures: [
        { name: 'polls', value: polled, unit: '' },
        atMost(
          'a page of a reader',
          percentile(0.99, readMs),
          20,
          'ms p99',
          `p50 ${median(readMs).toFixed(1)} ms`,
        ),
        atMost('resident memory', Math.max(...memory) / 1_000_000, 350, 'MB'),
        atMost('the latest run', Math.max(0, ...late), 30, 's late'),
        atMost(
          'from the answer to an open screen',
          percentile(1, seen) / 1000,
          2,
          's',
          `p50 ${median(seen).toFixed(0)} ms`,
        ),
        atMost(
          `resident memory, a document of ${(large.bytes / 1_000_000).toFixed(0)} MB and ${workshop.rows.toLocaleString('en-US')} rows`,
          large.peak / 1_000_000,
          350,
          'MB',
          `${(large.ms / 1000).toFixed(0)} s, ${(large.before / 1_000_000).toFixed(0)} MB before`,
        ),
      ],
      details: { polled, seen, large },
    }
  } finally {
    await app.stop()
    for (const server of servers) server.close()
  }
}

/** A server with a list of deals, at an address of its own, so that each is another host. */
class SourceServer {
  readonly #server: Server
  readonly #host: string
  readonly #rows: ImportRow[]
  polls = 0
  /** When the last answer was complete, by this process's clock, in milliseconds. */
  answeredAt = 0

  private constructor(index: number, rows: ImportRow[]) {
    this.#host = `127.0.1.${index + 1}`
    this.#rows = rows
    this.#server = createServer((_request, response) => this.#answer(response))
    // Where no application comes up to ask it, nobody is there to close it.
    this.#server.unref()
  }

  static async start(index: number): Promise<SourceServer> {
    const server = new SourceServer(index, newDeals(rowsEach))
    await new Promise<void>((resolve) => server.#server.listen(0, server.#host, resolve))
    return server
  }

  get url(): string {
    // A server that listens on an address has one.
    const { port } = this.#server.address() as AddressInfo
    return `http://${this.#host}:${port}/deals.ndjson`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #answer(response: ServerResponse): void {
    this.polls += 1
    const start = (this.polls * repriced) % rowsEach
    for (const row of this.#rows.slice(start, start + repriced)) row.price = priceOf(this.polls * 7 + start)
    response.setHeader('content-type', 'application/x-ndjson')
    response.on('finish', () => {
      this.answeredAt = performance.now()
    })
    response.end(this.#rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  }
}

const pollsOf = (servers: readonly SourceServer[]) => servers.reduce((sum, { polls }) => sum + polls, 0)

async function untilPolled(servers: readonly SourceServer[], count: number, ms: number): Promise<void> {
  const until = performance.now() + ms
  while (servers.some(({ polls }) => polls < count)) {
    if (performance.now() > until) throw new Error('Not all sources were asked in time')
    await sleep(200)
  }
}

/** Who looks after sources. */
class Administrator {
  readonly #app: Program
  readonly #cookie: string

  constructor(app: Program, cookie: string) {
    this.#app = app
    this.#cookie = cookie
  }

  async add(url: string, minutes: number): Promise<number> {
    const interval = { interval_from: minutes, interval_to: minutes }
    const added = await this.#send('POST', '', { kind: 'address', name: url, settings: { url }, ...interval })
    // The contract's Source.
    return (added as { id: number }).id
  }

  async change(id: number, change: object): Promise<void> {
    await this.#send('PATCH', `/${id}`, change)
  }

  async run(id: number): Promise<void> {
    await this.#send('POST', `/${id}/run`, undefined)
  }

  async lastRun(id: number): Promise<{ state: string; received: number; text: string | null } | undefined> {
    // The contract's SourceRunPage.
    const page = (await this.#send('GET', `/${id}/runs`, undefined)) as {
      items: { state: string; received: number; text: string | null }[]
    }
    return page.items[0]
  }

  async #send(method: string, path: string, body: object | undefined): Promise<unknown> {
    const response = await fetch(`${this.#app.url}/api/sources${path}`, {
      method,
      headers: { cookie: this.#cookie, origin: this.#app.url, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} sources${path} answered ${response.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Notes how much too late the latest source is, in seconds, and waits for the next look. */
async function lookForLateness(client: pg.Client, found: number[]): Promise<void> {
  const { rows } = await client.query<{ late: number | null }>(
    `select extract(epoch from max(now() - next_run_at))::float8 as late from sources
     where not is_paused and running_id is null and next_run_at < now()`,
  )
  found.push(rows[0]?.late ?? 0)
  await sleep(lookEveryMs)
}

/** How long it takes from a source's complete answer until an open screen is told, in milliseconds. */
async function measureSight(
  app: Program,
  admin: Administrator,
  id: number,
  server: SourceServer | undefined,
  cookie: string,
): Promise<number[]> {
  if (!server) throw new Error('There is no source')
  const screen = new EventReader(app.url, cookie)
  const took: number[] = []
  try {
    await screen.opened
    while (took.length < askedNow) {
      const [before, answered] = [screen.revisions.length, server.answeredAt]
      await admin.run(id)
      while (server.answeredAt === answered || screen.revisions.length === before) await sleep(2)
      took.push(performance.now() - server.answeredAt)
      // A run is over before the next is asked for, and so are the verdicts about what it has brought.
      await sleep(restMs)
    }
  } finally {
    screen.close()
  }
  return took
}

/** The highest memory while a document of so many rows is read, in bytes; and how large it is and how long that took. */
async function measureLarge(url: string, rows: number) {
  // Reading is meant, and not the million deals that searches are answered from afterwards.
  const app = await startWith(url, { FETCH_ALLOW: '127.0.0.0/8', SEARCH_INDEX: 'off' })
  const admin = new Administrator(app, await signIn(app.url))
  let bytes = 0
  const server = createServer(async (_request, response) => {
    response.setHeader('content-type', 'application/x-ndjson')
    for (let left = rows; left > 0; left -= 1_000) {
      const piece = newDeals(Math.min(1_000, left))
        .map((row) => `${JSON.stringify(row)}\n`)
        .join('')
      bytes += piece.length
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.2.1', resolve))
  // A server that listens on an address has one.
  const { port } = server.address() as AddressInfo
  const before = await memoryOf(app.process)
  const began = performance.now()
  let peak = before
  try {
    const id = await admin.add(`http://127.0.2.1:${port}/all.ndjson`, 1_440)
    for (;;) {
      peak = Math.max(peak, await memoryOf(app.process))
      const run = await admin.lastRun(id)
      if (run && run.state !== 'running') {
        if (run.received < rows) throw new Error(`The large document ended as ${run.state}: ${run.text}`)
        return { before, peak, bytes, ms: performance.now() - began }
      }
      if (performance.now() - began > longestDocumentMs) throw new Error('The large document takes too long')
      await sleep(100)
    }
  } finally {
    server.close()
    server.closeAllConnections()
    await app.stop()
  }
}
