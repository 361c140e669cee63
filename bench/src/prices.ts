import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { withDealWrites } from '../../server/src/features/deals/actions.ts'
import { listDeals } from '../../server/src/features/deals/queries.ts'
import { markAll, refreshVerdicts } from '../../server/src/features/prices/actions.ts'
import { judge } from '../../server/src/features/prices/judging/judge.ts'
import { noPauses } from '../../server/src/features/prices/refresh-pauses.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { type Databases, openDatabases } from '../../server/src/platform/database/database.ts'
import { readSettings } from '../../server/src/platform/settings.ts'
import { startFilledVersion, timeAskedPages } from './asked-pages.ts'
import { beside } from './beside.ts'
import { someShop } from './feed-cases.ts'
import { commitOf, type Version } from './one-version.ts'
import { atMost, median, percentile, type Report } from './report.ts'
import { startScratch, type Workshop, writeOut } from './scratch.ts'

const manyPoints = 1_000
/** Of each deal of a filled database. */
export const fewPoints = 20
const [judgings, pages] = [500, 300]
const settings = readSettings({})
const signal = new AbortController().signal
const day = 86_400_000

/**
 * What verdicts cost: the figures of one deal, a day of those that fall due, and pages that carry them or are read while all are
 * marked due.
 */
export async function measurePrices(workshop: Workshop): Promise<Report> {
  const { rows, sizes } = workshop
  const bare = await workshop.filled(rows)
  const filled = await startScratch(rows)
  const others: Version[] = []
  // What a statement has to complain of it throws; a connection that is cut at the end is no fault.
  const [without, databases] = [openDatabases(bare.url, () => {}), openDatabases(filled.url, () => {})]
  try {
    await fillPoints(databases)
    const alone = await refresh(databases, () => sleep(2_000))
    const first = await refresh(databases)
    await databases.durablePool.query('update price_verdicts set due_at = now()')
    await databases.durablePool.query('vacuum (analyze) deals, price_verdicts')
    const again = await refresh(databases)
    await databases.durablePool.query('vacuum (analyze) deals, price_verdicts')
    if (sizes.against !== undefined) others.push(await startFilledVersion(sizes.against, rows))
    // One database alone would be at it while pages of all are asked for.
    await writeOut(bare.url, filled.url, ...others.map(({ databaseUrl }) => databaseUrl))
    const [plain = 0, judged = 0] = await timePages(without, databases)
    const [bareAsked = 0, asked = 0, before] = await timeAskedPages([bare.url, filled.url], others)
    await Promise.all(others.splice(0).map((other) => other.stop()))
    const marking = await timeWhileMarking(databases)
    const perMillion = (seconds: number) => (seconds / rows) * (1_000_000 / 60)
    return {
      title: `Prices of ${rows.toLocaleString('en-US')} deals`,
      ...(before === undefined ? {} : { command: `prices --against FOLDER --rows ${rows}` }),
      figures: [
        atMost(`figures and verdict of ${manyPoints} points`, judgingTime(), 1, 'ms p50'),
        atMost(
          `a million verdicts of ${fewPoints} points, due again`,
          perMillion(again.seconds),
          10,
          'min',
          'without pauses',
        ),
        { name: 'the same the first time', value: perMillion(first.seconds), unit: 'min' },
        atMost(
          'longest wait of a writer while verdicts due again are found out',
          again.waited,
          50,
          'ms',
          `p99 ${again.rare.toFixed(1)} ms, p50 ${again.usual.toFixed(2)} ms; ${alone.waited.toFixed(0)} ms where it is alone`,
        ),
        atMost(
          'the same the first time, when each deal is written',
          first.waited,
          200,
          'ms',
          `p99 ${first.rare.toFixed(1)} ms, p50 ${first.usual.toFixed(2)} ms`,
        ),
        atMost(
          'page with verdicts / without, nothing cached',
          asked / bareAsked,
          1.1,
          '×',
          `${asked.toFixed(2)} ms p50, of it the database ${(judged / plain).toFixed(2)} ×`,
        ),
        ...(before === undefined
          ? []
          : [
              atMost(
                'the same ÷ that of the other version',
                asked / before,
                1.1,
                '×',
                `${before.toFixed(2)} ms p50 at ${await commitOf(sizes.against ?? '')}`,
              ),
            ]),
        atMost(
          'feed page while verdicts are marked',
          marking.rare,
          20,
          'ms p99',
          `${marking.pages} pages, ${marking.usual.toFixed(2)} ms p50`,
        ),
      ],
      details: { alone, first, again, marking },
    }
  } finally {
    await Promise.allSettled([without.close(), databases.close(), ...others.map((other) => other.stop())])
    await filled.stop()
  }
}

/** Gives the deals of a database prices of 90 days, and what they say. */
export async function fillVerdicts(url: string): Promise<void> {
  const databases = openDatabases(url, () => {})
  try {
    await fillPoints(databases)
    await refreshVerdicts({ databases, settings, clock: systemClock }, signal, noPauses)
  } finally {
    await databases.close()
  }
}

/** Points of 90 days for each deal, ended by the price it has; all verdicts are due then. */
export async function fillPoints({ durablePool }: Databases): Promise<void> {
  await durablePool.query(`
    insert into price_points (deal_id, seen_at, price, original_price, confirmed_until)
    select id, now() - (${fewPoints} - n) * interval '4.5 days', round(price * (1 + ((id * 7 + n * n) % 5) * 0.1 * (n < ${fewPoints})::int), 2),
      original_price, now() - (${fewPoints} - n) * interval '4.5 days' + interval '4 days' * (n < ${fewPoints})::int
    from deals cross join generate_series(1, ${fewPoints}) as n order by id, n`)
  await durablePool.query(
    'insert into price_verdicts (deal_id, due_at) select id, now() from deals order by id',
  )
  await durablePool.query('vacuum (analyze) price_points, price_verdicts')
}

/** Refreshes what is due, or does something else, while somebody writes now and then. Seconds of work, and milliseconds that writer waited. */
async function refresh(
  databases: Databases,
  work: () => Promise<unknown> = () =>
    refreshVerdicts({ databases, settings, clock: systemClock }, signal, noPauses),
) {
  // Else the disk would still be at what has filled the database, and whoever makes a file longer would wait for that.
  await promisify(execFile)('sync')
  const waits: number[] = []
  const write = async () => {
    const asked = performance.now()
    await withDealWrites(databases, async () => waits.push(performance.now() - asked))
    await sleep(5)
  }
  const seconds = await beside([write], async () => {
    const began = performance.now()
    await work()
    return (performance.now() - began) / 1000
  })
  return {
    seconds,
    waited: percentile(1, waits),
    rare: percentile(0.99, waits),
    usual: median(waits),
    writes: waits.length,
  }
}

const pageQuery = {
  ...{ sort: 'newest' as const, prime_only: false, search: '', limit: 50 },
  ...{ min_price: undefined, max_price: undefined },
}

/** Milliseconds of pages read while all verdicts are marked due, as often as that takes to read enough of them. */
async function timeWhileMarking(databases: Databases) {
  const read: number[] = []
  const readPage = async () => {
    const began = performance.now()
    await listDeals(databases, pageQuery, someShop)
    read.push(performance.now() - began)
  }
  let marked = 0
  const times = await beside([readPage], async () => {
    while (read.length < pages) {
      await databases.durablePool.query('update price_state set next_deal = 0')
      await markAll({ databases, settings, clock: systemClock }, signal)
      marked += 1
    }
    // What ends behind the last marking was not beside it.
    return [...read]
  })
  return {
    marked,
    pages: times.length,
    usual: median(times),
    rare: percentile(0.99, times),
  }
}

/** Milliseconds of what the database and this process do for a page of each, asked for by turns. */
async function timePages(...all: Databases[]): Promise<number[]> {
  const times = all.map((): number[] => [])
  for (let run = -30; run < pages; run++)
    for (const [at, databases] of all.entries()) {
      const began = performance.now()
      await listDeals(databases, pageQuery, someShop)
      if (run >= 0) times[at]?.push(performance.now() - began)
    }
  return times.map((of) => median(of))
}

function judgingTime(): number {
  const now = Date.now()
  const points = Array.from({ length: manyPoints }, (_, at) => ({
    seenAt: now - (manyPoints - at) * (day / 3),
    confirmedUntil: now - (manyPoints - at) * (day / 3) + day / 4,
    price: 20 + ((at * at) % 13),
    listPrice: 40,
    ...{ importId: 1, isWrong: false },
  }))
  const options = { formatMoney: String, listPrice: 40 }
  const times: number[] = []
  for (let run = -50; run < judgings; run++) {
    const began = performance.now()
    judge(points, now + run, options)
    if (run >= 0) times.push(performance.now() - began)
  }
  return median(times)
}
