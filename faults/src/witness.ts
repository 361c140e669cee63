import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import { either } from './extent.ts'
import { eventsOf, summary } from './stream-reader.ts'

type Row = Record<string, unknown>
type Ask = (sql: string) => Promise<Row[]>
type Stamp = { epoch: string; revision: number }

const priced = {
  sql: "select concat_ws(' ', asin, price::float) as item from deals where is_visible",
  item: ({ asin, price }: Row) => `${asin} ${price}`,
}
/** What a reader asks for, and which things of the database the items of the answer must be, `most` of them. */
const pages: Record<string, { sql: string; item: (item: Row) => string; most: number }> = {
  '/api/products?limit=100': { ...priced, most: 100 },
  '/api/products?limit=10&sort=price': { ...priced, most: 10 },
  '/api/amazon_filters': {
    sql: "select concat_ws(' ', id, name) as item from amazon_filters",
    item: ({ id, name }) => `${id} ${name}`,
    most: 1_000,
  },
}

/** What all readers together have received, from whichever process. */
export class Observations {
  readonly events = new Map<string, string>()
  /** Each page with its tag, as it was answered. */
  readonly bodies: { path: string; tag: string; body: string }[] = []
  readonly cursors = new Set<string>()
  readonly problems: string[] = []
}

/** One reader of one process, who keeps everything that could be held against what the same process says later. */
export class Witness {
  readonly client: Client
  readonly #observations: Observations
  #id: string | undefined
  #last: Stamp | undefined

  constructor(client: Client, observations: Observations) {
    this.client = client
    this.#observations = observations
  }

  /** The revision it knows. */
  get revision(): number | undefined {
    return this.#last?.revision
  }

  /** Listens to the feed, coming back whenever its stream ends, and asks for each page now and then. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#listen(signal), this.#read(signal)])
  }

  async #listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for await (const event of eventsOf(this.client, signal, this.#id)) this.#hear(event)
      await sleep(50)
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const path of Object.keys(pages)) {
        const answer = await this.client.get(path).catch(() => undefined)
        const body = await answer?.text().catch(() => undefined)
        if (!answer?.ok || body === undefined) continue
        this.#observations.bodies.push({ path, tag: answer.headers.get('etag') ?? '', body })
        const { next_cursor } = JSON.parse(body)
        if (next_cursor) this.#observations.cursors.add(next_cursor)
      }
      await sleep(100)
    }
  }

  /** Asks once more for each page, as having the newest one it was answered with; that is an old one by now. */
  askAgain(): Promise<void>[] {
    return Object.keys(pages).map(async (path) => {
      const tag = this.#observations.bodies.findLast((known) => known.path === path)?.tag ?? ''
      const { status } = await this.client.get(path, { 'if-none-match': tag })
      if (status === 304)
        this.#observations.problems.push(`${path} was still ${tag} for a process that slept`)
    })
  }

  #hear(event: string): void {
    const id = /^id: (.*)$/m.exec(event)?.[1]
    const [, name, data = ''] = /^event: (deals|reset)\ndata: (.*)$/m.exec(event) ?? []
    this.#id = id ?? this.#id
    if (id === undefined) return
    const stamp = stampOf(id)
    if (name === 'deals') {
      const before = this.#last
      if (before && (stamp.epoch !== before.epoch || stamp.revision !== before.revision + 1))
        this.#observations.problems.push(
          `${id} came after ${before.epoch}-${before.revision} without a reset`,
        )
      const content = summary(JSON.parse(data))
      const known = this.#observations.events.get(id)
      if (known !== undefined && known !== content)
        this.#observations.problems.push(`${id} was told as ${known} and as ${content}`)
      this.#observations.events.set(id, content)
    }
    // Opening a stream sends a stamp alone: without one before, that is where this reader begins.
    if (name !== undefined || this.#last === undefined) this.#last = stamp
  }
}

/** What is wrong with what this process says to whoever comes back with something received at any time. */
export async function judge(client: Client, observations: Observations, ask: Ask): Promise<string[]> {
  const problems: string[] = []
  for (const [path, { sql, item, most }] of Object.entries(pages)) {
    const now = await (await client.get(path)).text()
    const shown = itemsOf(now).map(item)
    const there = new Set((await ask(sql)).map((row) => row.item))
    if (shown.length !== Math.min(there.size, most) || !shown.every((one) => there.has(one)))
      problems.push(`${path} shows ${shown.length} items that are not the ${there.size} there are`)
    const old = new Map(
      observations.bodies.filter((known) => known.path === path).map(({ tag, body }) => [tag, body]),
    )
    for (const [tag, body] of someOf([...old])) {
      const { status } = await client.get(path, { 'if-none-match': tag })
      if (status !== 200 && !(status === 304 && body === now))
        problems.push(`${path} is answered with ${status} to ${tag}, which was something else`)
    }
  }
  return [
    ...problems,
    ...(await judgeEvents(client, observations, ask)),
    ...(await judgeCursors(client, observations)),
  ]
}

/** An old id is followed by a reset, or by all events since, as the database has them. */
async function judgeEvents(client: Client, { events }: Observations, ask: Ask): Promise<string[]> {
  const rows = await ask('select revision, added, changed, removed from feed_events')
  const kept = new Map(rows.map((row) => [Number(row.revision), summary(row)]))
  const [state] = await ask('select revision from feed_state')
  const newest = Number(state?.revision)
  const problems: string[] = []
  for (const id of someOf([...events.keys()])) {
    const { epoch, revision } = stampOf(id)
    const heard: string[] = []
    let isReset = false
    const over = new AbortController()
    const late = setTimeout(() => over.abort(), 5_000)
    const isAll = () => isReset || revision + heard.length >= newest
    for await (const event of eventsOf(client, over.signal, id)) {
      const data = /^event: deals\ndata: (.*)$/m.exec(event)?.[1]
      isReset ||= /^event: reset$/m.test(event)
      if (data !== undefined) heard.push(`${/^id: (.*)$/m.exec(event)?.[1]} ${summary(JSON.parse(data))}`)
      if (isAll()) break
    }
    clearTimeout(late)
    over.abort()
    const missed = heard.map((_, n) => `${epoch}-${revision + 1 + n} ${kept.get(revision + 1 + n)}`)
    const isTrue = events.get(id) === kept.get(revision) && missed.join() === heard.join() && isAll()
    if (!isReset && !isTrue)
      problems.push(`${id} was told as ${events.get(id)}, is ${kept.get(revision)}, and goes on`)
  }
  return problems
}

/** What follows an old cursor is the end of the list as it is now. */
async function judgeCursors(client: Client, { cursors }: Observations): Promise<string[]> {
  const walk = async (cursor: string | undefined, sort: string) => {
    const ids: unknown[] = []
    let next = cursor
    do {
      const page = await client.get(`/api/products?limit=200${sort}${next ? `&cursor=${next}` : ''}`)
      if (!page.ok) return undefined
      const { items, next_cursor } = Object(await page.json())
      ids.push(...items.map(({ id }: Row) => id))
      next = next_cursor
    } while (next)
    return ids.join()
  }
  const whole = [await walk(undefined, ''), await walk(undefined, '&sort=price')]
  const problems: string[] = []
  for (const cursor of someOf([...cursors])) {
    const rests = [await walk(cursor, ''), await walk(cursor, '&sort=price')]
    if (!rests.some((rest, n) => rest !== undefined && whole[n]?.endsWith(rest)))
      problems.push(`After the cursor ${cursor} comes what is not in the list`)
  }
  return problems
}

/** The last ones, and some from before: asking for each takes a while. */
const someOf = <T>(all: T[]): T[] =>
  all.filter((_, n) => n % Math.ceil(all.length / either(5, 25)) === 0 || n >= all.length - 5)

function stampOf(id: string): Stamp {
  const [epoch = '', revision] = id.split('-')
  return { epoch, revision: Number(revision) }
}

function itemsOf(body: string): Row[] {
  const answer = JSON.parse(body)
  return Array.isArray(answer) ? answer : answer.items
}
