import type { FeedQuery } from '../../server/src/features/deals/searching/conditions.ts'
import { makeReaders, startApplication } from './application.ts'
import { toPath } from './feed-cases.ts'
import { runNode, startServer } from './processes.ts'
import { atLeast, type Figure, median, type Report } from './report.ts'
import { type Rate, rateOfOnePage, rateOfPages } from './request-rate.ts'
import { type Workshop, withClient } from './scratch.ts'

export const connections = 16
const rounds = 7
const requestsPerRound = 100 * connections
const repeats = 20 * requestsPerRound

/** The feed over HTTP with a tenth, a hundredth and all of the deals of the large database. */
export async function measureFeed(workshop: Workshop): Promise<Report> {
  const sizes = [10_000, 100_000, 1_000_000, 5_000_000].filter((size) => size < workshop.rows)
  const found: Found[] = []
  for (const size of [...sizes, workshop.rows]) found.push(await measureSize(workshop, size))
  return {
    title: `Feed over HTTP, ${connections} connections`,
    figures: found.flatMap(figuresOf),
    details: found,
  }
}

type Rates = { bare: Rate; app: Rate }
type Found = { size: number; uncached: Rates[]; plain: number; cached: number; unchanged: number }

/**
 * Requests a second of the feed route, uncached, against a bare server that runs the same statements: by turns, the
 * same pages for both, and no page twice. Then the same page again and again, and the same page unchanged.
 */
async function measureSize(workshop: Workshop, size: number): Promise<Found> {
  const { url } = await workshop.filled(size)
  const bare = await startServer(runNode(['bench/src/bare-server.ts'], { DATABASE_URL: url }))
  const app = await startApplication(url)
  try {
    const cookies = await makeReaders(url)
    const pages = await distinctPages(url, rounds * requestsPerRound)
    const uncached: Rates[] = []
    for (let round = 0; round < rounds; round++) {
      const paths = pages.slice(round * requestsPerRound, (round + 1) * requestsPerRound)
      // Whoever goes first in a round warms the database for the other, so they take turns at it too.
      const options = { connections, amount: requestsPerRound, status: 200 } as const
      const ask = {
        bare: () => rateOfPages(bare.url, paths, {}, options),
        app: () => rateOfPages(app.url, paths, {}, { ...options, cookies }),
      }
      if (round % 2 === 0) uncached.push({ bare: await ask.bare(), app: await ask.app() })
      else uncached.push({ app: await ask.app(), bare: await ask.bare() })
    }
    const page = app.url + pages[0]
    const headers = { cookie: cookies[0] ?? '' }
    const etag = (await fetch(page, { headers })).headers.get('etag') ?? ''
    const ask = (more: Record<string, string>, status: 200 | 304) =>
      rateOfOnePage(page, more, { connections, amount: repeats, status, cookies })
    const plain = await ask({}, 200)
    // As every browser asks; uncompressed, half of the time goes into carrying 30 KB from one process to the other.
    const cached = await ask({ 'accept-encoding': 'gzip' }, 200)
    const unchanged = await ask({ 'if-none-match': etag }, 304)
    return { size, uncached, plain, cached, unchanged }
  } finally {
    await Promise.all([app.stop(), bare.stop()])
  }
}

function figuresOf({ size, uncached, plain, cached, unchanged }: Found): Figure[] {
  const of = (pick: (round: Rates) => number) => median(uncached.map(pick))
  const bare = of((round) => round.bare.perSecond)
  const name = (what: string) => `${size.toLocaleString('en-US')} deals: ${what}`
  const latency = (side: 'bare' | 'app') =>
    `${of((round) => round[side].p50).toFixed(1)} ms p50, ${of((round) => round[side].p99).toFixed(1)} ms p99`
  return [
    { name: name('bare node:http + pg'), value: bare, unit: 'requests/s', note: latency('bare') },
    {
      ...{ name: name('the application, nothing cached'), unit: 'requests/s', note: latency('app') },
      value: of((round) => round.app.perSecond),
    },
    atLeast(
      name('application / bare'),
      of((round) => round.app.perSecond / round.bare.perSecond),
      1.2,
      '×',
      `median of ${rounds} rounds`,
    ),
    { name: name('the same page again'), value: cached, unit: 'requests/s', note: 'compressed' },
    atLeast(name('same page / bare'), cached / bare, 10, '×'),
    { name: name('the same page, not compressed'), value: plain, unit: 'requests/s' },
    { name: name('the same page, answered with 304'), value: unchanged, unit: 'requests/s' },
  ]
}

/** Paths of pages that begin all over the list, each with a price limit of its own. */
export async function distinctPages(url: string, count: number): Promise<string[]> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ seen: Date; id: number }>(
      `select seen, id from (
         select first_seen as seen, id, row_number() over (order by first_seen desc, id desc) as place
         from deals where is_visible
       ) as places where place % greatest(1, (select count(*) from deals where is_visible) / $1) = 0 limit $1`,
      [Math.min(count, 5_000)],
    ),
  )
  return Array.from({ length: count }, (_, index) => {
    const row = rows[index % rows.length]
    if (!row) throw new Error('No pages to ask for')
    const query: FeedQuery = {
      ...{ sort: 'newest', min_price: undefined, prime_only: false, search: '', limit: 50 },
      max_price: (3_000 + index) / 100,
      cursor: { sort: 'newest', key: row.seen.toISOString(), id: Number(row.id) },
    }
    return toPath(query)
  })
}
