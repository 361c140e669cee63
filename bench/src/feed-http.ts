import { randomBytes } from 'node:crypto'
import autocannon from 'autocannon'
import type { FeedQuery } from '../../server/src/features/deals/queries.ts'
import { toPath } from './feed-cases.ts'
import { type Program, runNode, runScript, startServer } from './processes.ts'
import { atLeast, median, type Report } from './report.ts'
import { type Workshop, withClient } from './scratch.ts'

const connections = 16
const rounds = 7
const requestsPerRound = 100 * connections
const repeats = 20 * requestsPerRound

/**
 * Requests a second of the feed route, uncached, against a bare server that runs the same statements: by turns, the
 * same pages for both, and no page twice. Then the same page again and again, and the same page unchanged.
 */
export async function measureFeed(workshop: Workshop): Promise<Report> {
  const { url } = await workshop.filled(workshop.rows)
  const password = randomBytes(12).toString('hex')
  const bare = await startServer(runNode(['bench/src/bare-server.ts'], { DATABASE_URL: url }))
  const settings = {
    ...{ DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'error', SAMPLE_DEALS: 'off' },
    ...{ ADMIN_USERNAME: 'bench', ADMIN_PASSWORD: password },
  }
  const app = await startServer(runScript('start', ['--no-web'], settings))
  try {
    const headers = { cookie: await signIn(app, password) }
    const pages = await distinctPages(url, rounds * requestsPerRound)
    const uncached: { bare: number; app: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const paths = pages.slice(round * requestsPerRound, (round + 1) * requestsPerRound)
      // Whoever goes first in a round warms the database for the other, so they take turns at it too.
      const first = round % 2 === 0 ? await rate(bare, paths, {}) : await rate(app, paths, headers)
      const second = round % 2 === 0 ? await rate(app, paths, headers) : await rate(bare, paths, {})
      uncached.push(round % 2 === 0 ? { bare: first, app: second } : { bare: second, app: first })
    }
    const onePage = pages.slice(0, 1)
    const etag = (await fetch(app.url + onePage[0], { headers })).headers.get('etag') ?? ''
    const plain = await rate(app, onePage, headers, repeats)
    // As every browser asks; uncompressed, half of the time goes into carrying 30 KB from one process to the other.
    const cached = await rate(app, onePage, { ...headers, 'accept-encoding': 'gzip' }, repeats)
    const unchanged = await rate(app, onePage, { ...headers, 'if-none-match': etag }, repeats)
    return reportOf(uncached, { plain, cached, unchanged })
  } finally {
    await Promise.all([app.stop(), bare.stop()])
  }
}

function reportOf(
  uncached: { bare: number; app: number }[],
  { plain, cached, unchanged }: Record<'plain' | 'cached' | 'unchanged', number>,
): Report {
  const bare = median(uncached.map((round) => round.bare))
  const app = median(uncached.map((round) => round.app))
  const ratio = median(uncached.map((round) => round.app / round.bare))
  return {
    title: `Feed over HTTP, ${connections} connections`,
    figures: [
      { name: 'bare node:http + pg, nothing cached', value: bare, unit: 'requests/s' },
      { name: 'the application, nothing cached', value: app, unit: 'requests/s' },
      atLeast('application / bare', ratio, 0.9, '×', `median of ${rounds} rounds`),
      { name: 'the same page at the same revision', value: cached, unit: 'requests/s', note: 'compressed' },
      atLeast('same page / bare', cached / bare, 8, '×'),
      { name: 'the same page, not compressed', value: plain, unit: 'requests/s' },
      { name: 'the same page, answered with 304', value: unchanged, unit: 'requests/s' },
    ],
    details: { uncached, plain, cached, unchanged },
  }
}

async function signIn(app: Program, password: string): Promise<string> {
  const response = await fetch(`${app.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url },
    body: JSON.stringify({ username: 'bench', password }),
  })
  if (!response.ok) throw new Error(`Signing in failed: ${response.status} ${await response.text()}`)
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** Paths of pages that begin at places all over the list, each with a price limit of its own. */
async function distinctPages(url: string, count: number): Promise<string[]> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ key: string; id: number }>(
      `select key, id from (
         select first_seen::text as key, id, row_number() over (order by first_seen desc, id desc) as place
         from deals where is_visible
       ) as places where place % greatest(1, (select count(*) from deals where is_visible) / $1) = 0 limit $1`,
      [Math.min(count, 5_000)],
    ),
  )
  return Array.from({ length: count }, (_, index) => {
    const place = rows[index % rows.length]
    if (!place) throw new Error('No pages to ask for')
    const query: FeedQuery = {
      ...{ sort: 'newest', min_price: undefined, prime_only: false, search: '', limit: 50 },
      max_price: (3_000 + index) / 100,
      cursor: { sort: 'newest', key: place.key, id: Number(place.id) },
    }
    return toPath(query)
  })
}

/**
 * Requests a second over all connections. Of many paths each connection asks for its own share, once; one path is asked
 * for `amount` times, in the client's plainest way, which is still the slower end of the line.
 */
async function rate(
  program: Program,
  paths: string[],
  headers: Record<string, string>,
  amount = paths.length,
): Promise<number> {
  let client = 0
  const result = await autocannon({
    url: paths.length === 1 ? program.url + paths[0] : program.url,
    ...{ connections, amount, headers },
    // It ends with a sample, of which by itself it takes one a second: every rate was a fraction of the same numbers.
    sampleInt: 10,
    setupClient: (connection) => {
      if (paths.length === 1) return
      const offset = client++
      connection.setRequests(
        paths
          .filter((_path, index) => index % connections === offset)
          .map((path) => ({ method: 'GET', path, headers })),
      )
    },
  })
  const failed = result.errors + result.timeouts + result['4xx'] + result['5xx']
  if (failed > 0)
    throw new Error(
      `${failed} of ${amount} requests to ${program.url} failed: ${JSON.stringify(result.statusCodeStats)}`,
    )
  return amount / result.duration
}
