import type { FeedQuery } from '../../server/src/features/deals/searching/conditions.ts'
import { type Application, makeReaders, startSignedIn } from './application.ts'
import { type Directus, prepareDirectus } from './directus.ts'
import { toPath } from './feed-cases.ts'
import { connections } from './feed-http.ts'
import { rateOfStatement } from './pgbench.ts'
import type { Program } from './processes.ts'
import { atLeast, type Figure, median, type Report } from './report.ts'
import { rateOfOnePage, rateOfPages } from './request-rate.ts'
import type { Workshop } from './scratch.ts'

const rounds = 5
const limit = 50
/** Of each in a round; the slower one gets as many as it answers in about as long. */
const requests = { app: 100 * connections, directus: 20 * connections }
const repeats = { app: 1_000 * connections, directus: 100 * connections }
const target = 14

/** What a `Deal` consists of; Directus makes no link. */
const fields = [
  ...[
    'id',
    'asin',
    'title',
    'price',
    'original_price',
    'discount_percentage',
    'rating',
    'review_count',
    'image_url',
  ],
  ...['product_url', 'availability', 'prime_eligible', 'first_seen', 'last_updated', 'posted_to_discord'],
  ...['discord_timestamp', 'is_sample'],
]

/** The application with sessions of many members, who ask it by turns. */
type Readers = Application & { cookies: string[] }
type Round = { app: number; directus: number }

/**
 * The feed's first page below a price from the application and from Directus, by turns, on the same rows: each page
 * only once, then the same page again and again, which both answer from memory. Beside them what the database itself
 * can do with the application's statement.
 */
export async function measurePeers(workshop: Workshop): Promise<Report> {
  const { url } = await workshop.filled(workshop.rows)
  const directus = await prepareDirectus(url)
  try {
    const app = { ...(await startSignedIn(url)), cookies: await makeReaders(url) }
    try {
      const uncached = await measureUncached(app, directus)
      const cached = await measureCached(app, directus)
      const most = await rateOfStatement(url, connections)
      return reportOf(uncached, cached, most)
    } finally {
      await app.stop()
    }
  } finally {
    await directus.remove()
  }
}

async function measureUncached(app: Readers, directus: Directus): Promise<Round[]> {
  const peer = await directus.start(false)
  try {
    await compareAnswers(app, peer)
    let price = 3_000
    const next = (count: number, path: (query: FeedQuery) => string) =>
      Array.from({ length: count }, () => path(question(price++ / 100)))
    return await takeTurns({
      app: () => rateOf(app, next(requests.app, toPath), app.cookies),
      directus: () => rateOf(peer, next(requests.directus, toItems), []),
    })
  } finally {
    await peer.stop()
  }
}

async function rateOf(program: Program, paths: string[], cookies: string[]): Promise<number> {
  const options = { connections, amount: paths.length, status: 200, cookies } as const
  return (await rateOfPages(program.url, paths, {}, options)).perSecond
}

async function measureCached(app: Readers, directus: Directus): Promise<Round[]> {
  const peer = await directus.start(true)
  try {
    const ask = (address: string, amount: number, cookies: string[]) =>
      rateOfOnePage(address, { 'accept-encoding': 'gzip' }, { connections, amount, status: 200, cookies })
    const query = question(30)
    // The first one of both fills the cache.
    await fetch(peer.url + toItems(query))
    return await takeTurns({
      app: () => ask(app.url + toPath(query), repeats.app, app.cookies),
      directus: () => ask(peer.url + toItems(query), repeats.directus, []),
    })
  } finally {
    await peer.stop()
  }
}

/** Whoever goes first in a round warms the machine for the other, so they take turns at it too. */
async function takeTurns(ask: Record<keyof Round, () => Promise<number>>): Promise<Round[]> {
  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) measured.push({ app: await ask.app(), directus: await ask.directus() })
    else {
      const directus = await ask.directus()
      measured.push({ app: await ask.app(), directus })
    }
  }
  return measured
}

function question(max_price: number): FeedQuery {
  return { sort: 'newest', min_price: undefined, max_price, prime_only: false, search: '', limit }
}

/** The same question as Directus takes it. */
function toItems({ max_price }: FeedQuery): string {
  const parameters = new URLSearchParams({
    'filter[is_visible][_eq]': 'true',
    'filter[price][_lte]': String(max_price),
    sort: '-first_seen,-id',
    limit: String(limit),
    fields: fields.join(','),
  })
  return `/items/deals?${parameters}`
}

/** Throws when the two don't answer with the same deals: then their times say nothing about each other. */
async function compareAnswers(app: Application, peer: Program): Promise<void> {
  const query = question(29.5)
  const ours = await idsOf(app.url + toPath(query), 'items', { cookie: app.cookie })
  const theirs = await idsOf(peer.url + toItems(query), 'data', {})
  if (ours.length !== limit || ours.join() !== theirs.join())
    throw new Error(`The application and Directus answer differently: ${ours} and ${theirs}`)
}

async function idsOf(address: string, list: string, headers: Record<string, string>): Promise<number[]> {
  const response = await fetch(address, { headers })
  const body = await response.text()
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${body.slice(0, 500)}`)
  const { [list]: items } = JSON.parse(body)
  return items.map((item: { id: number | string }) => Number(item.id))
}

function reportOf(uncached: Round[], cached: Round[], most: number | undefined): Report {
  const middle = (turns: Round[], name: keyof Round) => median(turns.map((turn) => turn[name]))
  const ratio = (turns: Round[]) => median(turns.map(({ app, directus }) => app / directus))
  const perSecond = (name: string, value: number): Figure => ({ name, value, unit: 'requests/s' })
  const limitFigures: Figure[] =
    most === undefined
      ? [
          {
            name: 'the statement alone',
            value: '',
            unit: '',
            note: 'no pgbench here: apt-get install postgresql-contrib',
          },
        ]
      : [
          {
            name: 'the statement alone, by pgbench',
            value: most,
            unit: 'statements/s',
            note: `${connections} clients`,
          },
          {
            name: 'application, nothing cached / statement',
            value: middle(uncached, 'app') / most,
            unit: '×',
          },
        ]
  return {
    title: `The first page beside Directus, ${connections} connections`,
    figures: [
      perSecond('Directus, nothing cached', middle(uncached, 'directus')),
      perSecond('the application, nothing cached', middle(uncached, 'app')),
      atLeast(
        'application / Directus, nothing cached',
        ratio(uncached),
        target,
        '×',
        `median of ${rounds} rounds`,
      ),
      perSecond('Directus, the same page cached', middle(cached, 'directus')),
      perSecond('the application, the same page cached', middle(cached, 'app')),
      atLeast('application / Directus, cached', ratio(cached), target, '×', `median of ${rounds} rounds`),
      ...limitFigures,
    ],
    details: { uncached, cached, most },
  }
}
