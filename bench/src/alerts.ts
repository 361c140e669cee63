import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Random, seededRandom } from '../../tools/sample-deals/random.ts'
import {
  type ImportRow,
  importDeals,
  makeSessions,
  newDeals,
  priceOf,
  signIn,
  someDeals,
  startWith,
} from './application.ts'
import { TitleMaker } from './made-titles.ts'
import type { Program } from './processes.ts'
import { Receiver } from './receiver.ts'
import { atLeast, atMost, median, percentile, type Report } from './report.ts'
import { startScratch, type Workshop, withClient } from './scratch.ts'
import { readSteadily } from './steady.ts'

const [alerts, alertsEach, readers] = [10_000, 10, 50]
const perSecond = 500
const rowsPerImport = 50
const everyMs = (rowsPerImport / perSecond) * 1000
const repriced = 20_000
const warmUpMs = 5_000
const singles = 60
/** So often it is asked how far the matcher is; each look takes the machine's time from what is measured, and counts as its lag. */
const lookEveryMs = 20

/**
 * Ten thousand saved searches with alerts while deals change, half of them new prices and half new deals, beside readers: how far the
 * matcher is behind, and how soon a single match is written down for sending.
 */
export const measureAlerts = (workshop: Workshop): Promise<Report> => measure(workshop, false)

/** The same, served by one process while another one does the work in the background. */
export const measureAlertsApart = (workshop: Workshop): Promise<Report> => measure(workshop, true)

async function measure(workshop: Workshop, isApart: boolean): Promise<Report> {
  // One of its own: who saves searches here would be there twice.
  const scratch = await startScratch(Math.min(workshop.rows, 100_000))
  const receiver = await Receiver.start()
  const programs: Program[] = []
  try {
    const { url } = scratch
    await withClient(url, (client) => makeAlerts(client, receiver.url))
    // As the group's: those of members reach no address of this machine.
    const working = { FETCH_ALLOW: '127.0.0.1/32' }
    const app = await startWith(url, isApart ? { WORKERS: 'off' } : working)
    programs.push(app)
    if (isApart) programs.push(await startWith(url, { ...working, SEARCH_INDEX: 'off' }))
    const cookies = await makeSessions(url, readers)
    const admin = await signIn(app.url)
    return await withClient(url, async (client) => {
      const old = await someDeals(client, repriced)
      const crowd = { admin, cookies, old, others: programs.slice(1) }
      await keepGoing(app, client, crowd, warmUpMs)
      const before = await countMatches(client)
      const sentBefore = receiver.uids.length
      const ms = workshop.sizes.minutes * 60_000
      const found = await keepGoing(app, client, crowd, ms)
      const matches = (await countMatches(client)) - before
      const sent = receiver.uids.length - sentBefore
      const alone = await matchOneByOne(app, client, receiver, admin)
      return reportOf({ ...found, matches, sent, alone }, isApart)
    })
  } finally {
    await Promise.all(programs.map((program) => program.stop()))
    receiver.close()
    await scratch.stop()
  }
}

/** Searches in tens, as people save them: words of a title, often below a price; each ten have a destination at this address. */
async function makeAlerts(client: pg.Client, receiver: string): Promise<void> {
  const random = seededRandom(20_260_202)
  const titles = new TitleMaker()
  const asked = Array.from({ length: alerts }, () => question(titles.title(random), random))
  await client.query(
    `with members as (
       insert into users (username, password_hash) select 'saver ' || n, '' from generate_series(1, $2::int) n returning id
     ), numbered as (
       select id, row_number() over (order by id) - 1 as nth from members
     ), made as (
       insert into saved_searches (owner_id, name, question, made_at_revision, is_shared)
       select id, question, question, 0, true from unnest($1::text[]) with ordinality as given (question, position)
         join numbered on nth = (position - 1) / $3::int returning id, owner_id
     ), hooks as (
       insert into destinations (kind, name, settings, state)
       select 'webhook', 'Hook ' || id, json_build_object('url', $4::text), 'ok' from members returning id, name
     )
     insert into alerts (destination_id, search_id) select h.id, m.id from made m join hooks h on h.name = 'Hook ' || m.owner_id`,
    [asked, Math.ceil(alerts / alertsEach), alertsEach, receiver],
  )
}

/** Nobody saves a search for words that most titles have. */
const common = new Set(new TitleMaker().commonWords.slice(0, 300))

function question(title: string, random: Random): string {
  const all = title.toLowerCase().match(/\p{L}[\p{L}\p{M}\p{N}]{3,}/gu) ?? []
  const words = [...new Set(all.filter((word) => !common.has(word)))]
  const word = words.length > 0 ? random.pick(words) : 'zirconium'
  const others = words.filter((one) => one !== word)
  const other = others.length > 0 ? random.pick(others) : 'lantern'
  const price = `price:<${random.between(5, 40)}`
  const kind = random.next()
  if (kind < 0.6) return `${word} ${other} ${price}`
  if (kind < 0.75) return `${word} ${other} off:>=${random.between(3, 9)}0`
  if (kind < 0.9) return `(${word} OR ${other}) ${others[1] ?? 'brass'} ${price} -used`
  if (kind < 0.95) return `brand:"${word}" ${price}`
  return `asin:B0${String(random.between(10_000_000, 99_999_999))}`
}

const countMatches = async (client: pg.Client) =>
  (await client.query<{ count: number }>('select count(*)::int as count from alert_matches')).rows[0]
    ?.count ?? 0

type Crowd = { admin: string; cookies: string[]; old: ImportRow[]; others: Program[] }
type Found = { seconds: number; changes: number; lags: number[]; readMs: number[]; memory: number[] }

async function keepGoing(app: Program, client: pg.Client, crowd: Crowd, ms: number): Promise<Found> {
  const until = performance.now() + ms
  const committed: { revision: number; at: number }[] = []
  let isOver = false
  const changing = change(app, client, crowd, until, committed).finally(() => {
    isOver = true
  })
  const [{ changes, seconds }, lags, reads] = await Promise.all([
    changing,
    watchLag(client, committed, () => isOver),
    readSteadily(app, crowd.cookies, ms, crowd.others),
  ])
  return { seconds, changes, lags, ...reads }
}

const titles = new TitleMaker()
const random = seededRandom(20_260_203)
let turn = 0

/** One import after the other at its appointed time; notes the revision of each as soon as it is answered. */
async function change(
  app: Program,
  client: pg.Client,
  { admin, old }: Crowd,
  until: number,
  committed: { revision: number; at: number }[],
) {
  const start = performance.now()
  let [changes, imports] = [0, 0]
  for (let due = start; due < until; due += everyMs) {
    await sleep(Math.max(0, due - performance.now()))
    const rows: ImportRow[] = newDeals(rowsPerImport / 2).map((row) => ({
      ...row,
      title: titles.title(random),
    }))
    for (let count = rowsPerImport / 2; count > 0; count -= 1) {
      const deal = old[turn % old.length]
      const price = priceOf(turn * 13)
      // Another price than it has, or there would be nothing to change.
      if (deal) deal.price = price === deal.price ? price + 1 : price
      rows.push(...(deal ? [{ ...deal }] : []))
      turn += 1
    }
    changes += (await importDeals(app.url, admin, rows)).changes
    imports += 1
    const answered = performance.now()
    const { rows: states } = await client.query<{ revision: number }>('select revision from feed_state')
    committed.push({ revision: states[0]?.revision ?? 0, at: answered })
  }
  return { changes, seconds: Math.max(imports * everyMs, performance.now() - start) / 1000 }
}

/** Milliseconds from the answer to each import until the matcher had dealt with it, the last one's too. */
async function watchLag(
  client: pg.Client,
  committed: readonly { revision: number; at: number }[],
  isOver: () => boolean,
): Promise<number[]> {
  const lags: number[] = []
  while (!isOver() || lags.length < committed.length) {
    const position = await readPosition(client)
    const now = performance.now()
    for (let next = committed[lags.length]; next && next.revision <= position; next = committed[lags.length])
      lags.push(Math.max(0, now - next.at))
    await sleep(lookEveryMs)
  }
  return lags
}

const readPosition = async (client: pg.Client) =>
  (await client.query<{ position: number }>("select position from followers where name = 'alerts'")).rows[0]
    ?.position ?? 0

/**
 * Milliseconds from the answer to an import of one deal that matches until its message is written down, and until it has arrived, one after
 * the other.
 */
async function matchOneByOne(app: Program, client: pg.Client, receiver: Receiver, admin: string) {
  const took: { queued: number[]; arrived: number[] } = { queued: [], arrived: [] }
  await client.query(
    `with changed as (update saved_searches set question = 'zyxquark' where id = (select min(id) from saved_searches))
     insert into peace (time_zone, follows_device, most_an_hour, most_at_once, digest_at, digest_weekday)
     values ('UTC', false, 1000, 100, '08:00', 1)`,
  )
  for (let count = 0; count < singles; count += 1) {
    const before = await countMatches(client)
    const rows = newDeals(1).map((row) => ({ ...row, title: `Zyxquark ${count}` }))
    const arrived = receiver.next()
    await importDeals(app.url, admin, rows)
    const answered = performance.now()
    while ((await countMatches(client)) === before) await sleep(1)
    const queued = performance.now() - answered
    const arrivedMs = (await arrived) - answered
    if (count >= 10) {
      took.queued.push(queued)
      took.arrived.push(arrivedMs)
    }
    await sleep(50)
  }
  return took
}

type Alone = Awaited<ReturnType<typeof matchOneByOne>>

function reportOf(found: Found & { matches: number; sent: number; alone: Alone }, isApart: boolean): Report {
  const { seconds, changes, lags, readMs, memory, matches, sent, alone } = found
  const half = memory.slice(memory.length / 4, memory.length / 2)
  const last = memory.slice((memory.length * 3) / 4)
  const megabytes = (values: number[]) => (median(values) / 1_000_000).toFixed(0)
  return {
    title: `${alerts.toLocaleString('en-US')} searches with alerts, ${readers} readers, ${(seconds / 60).toFixed(1)} minutes${isApart ? ', two processes' : ''}`,
    figures: [
      atLeast(
        'changes',
        changes / seconds,
        perSecond * 0.99,
        '/s',
        `${changes.toLocaleString('en-US')} in all`,
      ),
      { name: 'matches', value: matches / seconds, unit: '/s' },
      { name: 'messages that arrived', value: sent / seconds, unit: '/s' },
      atMost(
        'the matcher is behind',
        percentile(0.99, lags),
        500,
        'ms p99',
        `slowest ${percentile(1, lags).toFixed(0)} ms`,
      ),
      { name: 'the same, in the middle', value: median(lags), unit: 'ms p50' },
      atMost(
        'a page of a reader',
        percentile(0.99, readMs),
        25,
        'ms p99',
        `p50 ${median(readMs).toFixed(1)} ms`,
      ),
      atMost(
        'memory, last quarter / second quarter',
        median(last) / median(half),
        1.1,
        '×',
        `${megabytes(half)} MB, then ${megabytes(last)} MB`,
      ),
      {
        name: 'from the answer of an import to what is to be sent',
        value: median(alone.queued),
        unit: 'ms p50',
      },
      atMost('to the message at its receiver', median(alone.arrived), 150, 'ms p50'),
      atMost('the same', percentile(0.99, alone.arrived), 1_000, 'ms p99'),
    ],
    details: { lags: [0.5, 0.9, 0.99, 1].map((part) => percentile(part, lags)), memory, alone },
  }
}
