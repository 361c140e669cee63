import type pg from 'pg'
import { findPlan, listDeals, pageStatement } from '../../server/src/features/deals/queries.ts'
import type { FeedQuery } from '../../server/src/features/deals/searching/conditions.ts'
import { type Databases, openDatabases } from '../../server/src/platform/database/database.ts'
import { atPage, countMatches, type FeedCase, feedCases, someShop } from './feed-cases.ts'
import { atMost, type Figure, median, type Report } from './report.ts'
import type { Workshop } from './scratch.ts'

const smallRows = 10_000
const runs = 150
const deepPage = 1_000

type Measured = {
  name: string
  matches: number
  page: number
  smallPage: number
  smallMs: number
  largeMs: number
  ratio: number
  targetMs: number
  /** Null where the two answer with different numbers of deals. */
  targetRatio: number | null
  hasSeqScan: boolean
  query: FeedQuery
}

/**
 * The feed's own statement in a large and a small database, asked by turns so that both suffer the same neighbours.
 * A time is that of its round trips on one connection of each pool, planning included where the application plans.
 */
export async function measureDatabase(workshop: Workshop): Promise<Report> {
  const [small, large] = [await workshop.filled(smallRows), await workshop.filled(workshop.rows)]
  const fail = (error: Error) => {
    throw error
  }
  const [smallPools, largePools] = [openDatabases(small.url, fail), openDatabases(large.url, fail)]
  const [smallClients, largeClients] = [await connect(smallPools), await connect(largePools)]
  try {
    const measured: Measured[] = []
    for (const feedCase of feedCases())
      measured.push(...(await measureCase(feedCase, smallClients, largeClients)))
    const worst = measured.toSorted((a, b) => b.largeMs / b.targetMs - a.largeMs / a.targetMs).slice(0, 3)
    const plans: { name: string; page: number; plan: string }[] = []
    for (const { name, page, query } of worst)
      plans.push({ name, page, plan: await explain(largeClients, query) })
    return { title: title(workshop.rows), figures: figuresOf(measured), details: { measured, plans } }
  } finally {
    for (const { customPlanPool, genericPlanPool } of [smallClients, largeClients]) {
      customPlanPool.release()
      genericPlanPool.release()
    }
    await Promise.all([smallPools.close(), largePools.close()])
  }
}

type Clients = Record<'customPlanPool' | 'genericPlanPool', pg.PoolClient>

/** One connection of each pool that pages are asked for on. */
async function connect({ customPlanPool, genericPlanPool }: Databases): Promise<Clients> {
  const clients = {
    customPlanPool: await customPlanPool.connect(),
    genericPlanPool: await genericPlanPool.connect(),
  }
  // Counting and walking to page 1,000 takes longer than a page may.
  await clients.customPlanPool.query('set statement_timeout = 0')
  return clients
}

const title = (rows: number) =>
  `Deals in the database: ${rows.toLocaleString('en-US')} against ${smallRows.toLocaleString('en-US')}`

async function measureCase(feedCase: FeedCase, small: Clients, large: Clients): Promise<Measured[]> {
  const [smallMatches, matches] = [
    await countMatches(small.customPlanPool, feedCase.query),
    await countMatches(large.customPlanPool, feedCase.query),
  ]
  const measured: Measured[] = []
  for (const page of [1, deepPage]) {
    const [there, here] = [
      await atPage(small.customPlanPool, feedCase.query, page, smallMatches),
      await atPage(large.customPlanPool, feedCase.query, page, matches),
    ]
    if (page > 1 && here.page === 1) continue
    const [smallMs, largeMs] = await timeByTurns([small, there.query], [large, here.query])
    // More than a tenth of everything may take three times as long. Where the small database can't fill the page, it
    // does less work, and there is nothing to compare.
    const isSamePage = smallMatches - (there.page - 1) * there.query.limit >= there.query.limit
    const targetRatio = isSamePage ? (feedCase.query.search !== '' && matches > 100_000 ? 3 : 1.5) : null
    measured.push({
      ...{ name: feedCase.name, matches, page: here.page, smallPage: there.page, smallMs, largeMs },
      ...{ ratio: largeMs / smallMs, targetMs: 3, targetRatio, query: here.query },
      hasSeqScan: (await explain(large, here.query, '')).includes('Seq Scan'),
    })
  }
  return measured
}

async function timeByTurns(...sides: [Clients, FeedQuery][]): Promise<[number, number]> {
  const statements = sides.map(([clients, query]) => ({ clients, query, times: [0] }))
  for (let run = -5; run < runs; run++) {
    for (const { clients, query, times } of statements) {
      const start = performance.now()
      await listDeals(clients, query, someShop)
      // The first rounds only fill the caches.
      if (run >= 0) times[run] = performance.now() - start
    }
  }
  return [median(statements[0]?.times ?? []), median(statements[1]?.times ?? [])]
}

/** The plan of what a page is asked by, on the connection it is asked on. */
async function explain(clients: Clients, query: FeedQuery, options = 'analyze, buffers, '): Promise<string> {
  const { pool, text, values } = pageStatement(await findPlan(clients, query), query, someShop, true)
  const { rows } = await clients[pool].query<{ 'QUERY PLAN': string }>(
    `explain (${options}costs off) ${text}`,
    values,
  )
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

const isSteep = ({ ratio, targetRatio }: Measured) => targetRatio !== null && ratio > targetRatio

function figuresOf(measured: Measured[]): Figure[] {
  const lines = measured.map((one): Figure => {
    const isMet = one.largeMs <= one.targetMs && !isSteep(one) && !one.hasSeqScan
    const places = one.smallPage === one.page ? '' : `, page ${one.smallPage} of the small one`
    return {
      name: `${one.name}, page ${one.page}`,
      value: one.largeMs,
      unit: 'ms p50',
      target: one.targetRatio === null ? `≤ ${one.targetMs}` : `≤ ${one.targetMs}, ≤ ${one.targetRatio} ×`,
      isMet,
      note: `${one.ratio.toFixed(2)} × (${one.smallMs.toFixed(2)} ms), ${one.matches} match${places}${one.hasSeqScan ? ', SEQ SCAN' : ''}`,
    }
  })
  const slow = measured.filter((one) => one.largeMs > one.targetMs).length
  const steep = measured.filter(isSteep).length
  const scans = measured.filter((one) => one.hasSeqScan).length
  return [
    ...lines,
    atMost(`slower than their target, of ${measured.length}`, slow, 0, ''),
    atMost(`steeper than their target, of ${measured.length}`, steep, 0, ''),
    atMost('plans with a sequential scan', scans, 0, ''),
  ]
}
