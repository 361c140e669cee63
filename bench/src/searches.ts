import { setTimeout } from 'node:timers/promises'
import { longerForMs } from '../../server/src/features/prices/refresh-pauses.ts'
import { type Random, seededRandom } from '../../tools/sample-deals/random.ts'
import { makeReaders, signIn, startApplication } from './application.ts'
import { madeDeals } from './made-deals.ts'
import { madeQuestion } from './made-questions.ts'
import { madeSearch } from './made-titles.ts'
import { atLeast, atMost, type Figure, type Report } from './report.ts'
import { type Rate, rateOfPages } from './request-rate.ts'
import { startScratch, type Workshop, withClient } from './scratch.ts'

const sorts = ['newest', 'discount', 'price', 'discord', 'updated']
const [searchesOfOne, searchesOfMany, readers] = [600, 3_200, 16]
/** An import in so many bodies. */
const bodies = 10

/** What is wanted of searches among so many deals; times in milliseconds. */
const targets = {
  small: { deals: 100_000, p95: 6, slowest: 40, perSecond: 800, p99: 120 },
  large: { p95: 15, slowest: 100, perSecond: 400, p99: 120 },
}

/**
 * Searches as people type them over HTTP, over all sorts, none twice: by one reader, by sixteen, and by one who begins
 * right after an import; all of a program that has run for a while.
 */
export async function measureSearches(workshop: Workshop): Promise<Report> {
  const { deals, ...small } = targets.small
  const ofSmall = await measureSize((await workshop.filled(deals)).url, deals, small)
  const afterImport = [
    ...(await measureAfterImport(deals, small)),
    ...(await measureAfterImport(deals, small, { isInHalves: true })),
  ]
  const ofLarge = await measureSize((await workshop.filled(workshop.rows)).url, workshop.rows, targets.large)
  const found = [...ofSmall, ...afterImport, ...ofLarge]
  return {
    title:
      'Searches over HTTP of a program that has answered a thousand, titles and questions like real ones',
    figures: found,
  }
}

type Target = { p95: number; slowest: number; perSecond: number; p99: number }

async function measureSize(url: string, rows: number, target: Target): Promise<Figure[]> {
  const app = await startApplication(url)
  try {
    const [cookies, paths] = [await makeReaders(url), await madePaths(url)]
    const [reader = ''] = cookies
    await untilIndexed(app.url)
    await warmUp(app.url, paths, reader)
    const one = await asOne(app.url, paths.take(searchesOfOne), reader)
    const options = { connections: readers, amount: searchesOfMany, status: 200, cookies } as const
    const many = await rateOfPages(app.url, paths.take(searchesOfMany), {}, options)
    const fields = await asOne(app.url, paths.take(searchesOfOne, madeQuestion), reader)
    const name = (what: string) => `${rows.toLocaleString('en-US')} deals: ${what}`
    const note = `p50 ${many.p50.toFixed(1)} ms`
    return [
      ...ofOne(name('one reader'), one, target),
      ...ofOne(name('one reader who asks for fields too'), fields, target),
      atLeast(name(`${readers} readers`), many.perSecond, target.perSecond, 'searches/s', note),
      atMost(name(`${readers} readers`), many.p99, target.p99, 'ms p99'),
    ]
  } finally {
    await app.stop()
  }
}

/**
 * One reader right after an import of so many deals; or of their second half, while the verdicts of the first are still being found out:
 * by then the minute of longer pauses that the first had is over, and the second must have its own.
 */
async function measureAfterImport(
  rows: number,
  target: Target,
  { isInHalves = false } = {},
): Promise<Figure[]> {
  const scratch = await startScratch(0)
  const app = await startApplication(scratch.url)
  try {
    const cookie = await signIn(app.url)
    const [reader = ''] = await makeReaders(scratch.url)
    await untilIndexed(app.url, 0)
    for (const [at, body] of importBodies(rows).entries()) {
      if (isInHalves && at === bodies / 2) await refreshingFor(scratch.url, longerForMs + 5_000)
      const answer = await fetch(`${app.url}/api/products/import?availability=In%20stock`, {
        method: 'POST',
        headers: { origin: app.url, cookie, 'content-type': 'application/x-ndjson' },
        body,
      })
      if (!answer.ok) throw new Error(`An import answered ${answer.status}: ${await answer.text()}`)
      // As above: the program has run for a while, and only the deals are new.
      if (at === 0) await warmUp(app.url, await madePaths(scratch.url), reader)
    }
    const paths = await madePaths(scratch.url)
    const one = await asOne(app.url, paths.take(searchesOfOne), reader)
    const name = isInHalves
      ? `right after the second half of ${rows.toLocaleString('en-US')}, amid the verdicts of the first: one reader`
      : `right after ${rows.toLocaleString('en-US')} were imported: one reader`
    return ofOne(name, one, target)
  } finally {
    await app.stop()
    await scratch.stop()
  }
}

/** Lets the verdicts of what was imported be found out for so many milliseconds. */
async function refreshingFor(url: string, ms: number): Promise<void> {
  await setTimeout(ms)
  await withClient(url, async (client) => {
    const { rows } = await client.query('select from price_verdicts where due_at <= now() limit 1')
    if (rows.length === 0) throw new Error('All verdicts were found out sooner than the next import came.')
  })
}

/** So many made deals as the bodies of imports: texts, since looking after so many objects would be counted as a search's time. */
function importBodies(rows: number): string[] {
  const lines = Array.from(madeDeals(rows), (deal) => JSON.stringify(deal))
  return Array.from({ length: bodies }, (_, at) =>
    lines.slice((at * rows) / bodies, ((at + 1) * rows) / bodies).join('\n'),
  )
}

function ofOne(name: string, { p50, p95, slowest }: Rate, target: Target): Figure[] {
  return [
    atMost(name, p95, target.p95, 'ms p95', `p50 ${p50.toFixed(1)} ms`),
    atMost(name, slowest, target.slowest, 'ms slowest'),
  ]
}

/** All by the same session: one of its own for each search would have to be looked up. */
const asOne = (origin: string, paths: string[], cookie: string): Promise<Rate> =>
  rateOfPages(origin, paths, { cookie }, { connections: 1, amount: paths.length, status: 200 })

/**
 * The first searches are compiled while they run, and find each word for the first time. After a hundred of them compiling still took a
 * sixth of the processor time of the next six hundred.
 */
async function warmUp(origin: string, paths: Paths, cookie: string): Promise<void> {
  await asOne(origin, paths.take(1_000), cookie)
}

type Paths = { take(count: number, make?: typeof madeSearch): string[] }

/** Addresses of searches, each asked only once. */
async function madePaths(url: string): Promise<Paths> {
  const titles = await withClient(url, async (client) => {
    const { rows } = await client.query<{ title: string }>(
      'select title from deals order by md5(asin) limit 5000',
    )
    return rows.map(({ title }) => title)
  })
  const random: Random = seededRandom(4_711)
  const made = new Set<string>()
  const path = (make: typeof madeSearch) => {
    const parameters = new URLSearchParams({
      q: make(titles, random),
      sort: random.pick(sorts),
      limit: '50',
    })
    return `/api/products?${parameters}`
  }
  return {
    take(count, make = madeSearch) {
      const end = made.size + count
      // Of two letters there are only so many: what is asked again is given another limit.
      while (made.size < end) {
        const one = path(make)
        made.add(made.has(one) ? `${one.slice(0, -2)}${random.between(30, 49)}` : one)
      }
      return [...made].slice(end - count)
    },
  }
}

/** Waits until searches are answered from memory. */
export async function untilIndexed(origin: string, least = 1): Promise<void> {
  const headers = { cookie: await signIn(origin) }
  for (;;) {
    await fetch(`${origin}/api/products?q=${Math.random()}`, { headers })
    const figures = await (await fetch(`${origin}/metrics`)).text()
    const fromMemory = /^dealdeck_searches_total\{by="memory"\} (\d+)/m.exec(figures)
    const deals = /^dealdeck_search_deals (\d+)/m.exec(figures)
    if (Number(fromMemory?.[1] ?? 0) > 0 && Number(deals?.[1] ?? 0) >= least) return
    await setTimeout(200)
  }
}
