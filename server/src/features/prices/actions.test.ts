import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal, nextAsin, nextAsins } from '../../../testing/factories.ts'
import { findUntrueVerdicts } from '../../../testing/verdict-check.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Databases } from '../../platform/database/database.ts'
import { readSettings } from '../../platform/settings.ts'
import { withDealWrites } from '../deals/actions.ts'
import { storeVerdicts } from '../deals/writing/verdicts.ts'
import { importBody } from '../ingest/actions.ts'
import { sentBodies } from '../ingest/reading/limits.ts'
import { markAll, refreshVerdicts } from './actions.ts'
import { verdictFollower } from './jobs.ts'
import { hasDue, hasUnmarked, readDue } from './queries.ts'
import type { RefreshedPiece } from './refresh-pauses.ts'
import { judgeHistory, toStored } from './rules.ts'

const settings = readSettings({})
const forGood = new AbortController().signal
const depsOf = (databases: Databases) => ({ databases, settings, clock: systemClock })

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
async function hand(databases: Databases, rows: object[]) {
  const stated = rows.map((row) => ({ title: 'Copper kettle', availability: 'In stock', ...row }))
  const options = { ...{ dry_run: false, map: '', availability: '' }, source: 'test', limits: sentBodies }
  const deps = { databases, marketplace: settings.MARKETPLACE, clock: systemClock }
  await importBody(deps, Readable.from([Buffer.from(JSON.stringify(stated))]), options)
}
const daily = (asin: string, from: number, to: number, price: number) =>
  Array.from({ length: from - to + 1 }, (_, at) => ({ asin, price, observed_at: daysAgo(from - at) }))

/** An application that does work in the background. */
async function working() {
  const { app, databases } = await buildTestApp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { customPlanPool: pool } = databases
  const query = async (sql: string) => (await pool.query(sql)).rows
  await expect.poll(() => query('select from price_state where next_deal is not null')).toEqual([])
  const kindOf = async (asin: string) => {
    const [row] = await query(`select verdict::json->>'kind' as kind from deals where asin = '${asin}'`)
    return row?.kind
  }
  // In one statement: a verdict stored between two would be a change that is not followed yet.
  const settled = async () => {
    const rows = await query(
      `select from followers, feed_state where name = '${verdictFollower}' and position = revision
         and not exists (select from price_verdicts where due_at <= clock_timestamp())`,
    )
    return rows.length === 1
  }
  return { databases, pool, query, kindOf, settled }
}

test('a deal has its verdict soon after an import, another one after the next, and then nothing happens any more', async () => {
  const { databases, query, kindOf, settled } = await working()
  const asin = nextAsin()
  await hand(databases, daily(asin, 60, 1, 20))
  await expect.poll(() => kindOf(asin)).toBe('unchanged')
  await hand(databases, [{ asin, price: 30, observed_at: daysAgo(0.1) }])
  await expect.poll(() => kindOf(asin)).not.toBe('unchanged')
  await expect.poll(settled).toBe(true)
  const before = await query('select revision from feed_state')
  // Open pages are told of each verdict: an import and its verdict make two changes.
  expect(before).toEqual([{ revision: 4 }])
  // Known late, it changes nothing of the deal but what its price is worth.
  await hand(databases, daily(asin, 90, 61, 40))
  await expect
    .poll(async () => (await query('select watched_since from price_verdicts'))[0].watched_since.getTime())
    .toBeLessThan(Date.now() - 89 * 86_400_000)
  await expect.poll(settled).toBe(true)
  // Between two that were known, not even when it was first seen is another.
  await hand(
    databases,
    [30.5, 30.4].map((days) => ({ asin, price: 18, observed_at: daysAgo(days) })),
  )
  await expect.poll(() => query('select low_90::float8 as low from price_verdicts')).toEqual([{ low: 18 }])
  await expect.poll(settled).toBe(true)
  expect(await findUntrueVerdicts(query)).toEqual([])
})

test('imports and verdicts beside each other end in what the points say', async () => {
  const { databases, query, settled } = await working()
  const asins = nextAsins(60)
  for (let day = 9; day > 0; day--)
    await hand(
      databases,
      asins.map((asin, at) => ({ asin, price: 10 + ((at * day) % 7), observed_at: daysAgo(day) })),
    )
  await expect.poll(settled, { timeout: 20_000 }).toBe(true)
  expect(await query('select from deals where verdict is null')).toEqual([])
  expect(await findUntrueVerdicts(query)).toEqual([])
  await databases.durablePool.query('update price_points set price = price + 1')
  expect((await findUntrueVerdicts(query)).length).toBeGreaterThan(59)
})

test('whose changes are not marked yet is not compared, and everybody else is', async () => {
  const databases = await testDatabases()
  const query = async (sql: string) => (await databases.customPlanPool.query(sql)).rows
  const [marked = '', unmarked = ''] = nextAsins(2)
  await hand(
    databases,
    [marked, unmarked].flatMap((asin) => daily(asin, 60, 1, 20)),
  )
  await query('insert into price_verdicts (deal_id, due_at) select id, now() from deals')
  expect(await refreshVerdicts(depsOf(databases), forGood)).toEqual({ judged: 2, changed: 2 })
  await query(`insert into followers (name, position) select '${verdictFollower}', revision from feed_state`)
  await query('update price_state set next_deal = null')
  await hand(databases, [{ asin: unmarked, price: 30, observed_at: daysAgo(0.1) }])
  await query('update price_points set price = price + 1')
  expect(new Set((await findUntrueVerdicts(query)).map((line) => line.slice(0, 10)))).toEqual(
    new Set([marked]),
  )
  // Seen again, and no more.
  await query(
    'update feed_events set confirmed = (select array_agg(id) from deals) where revision > (select position from followers)',
  )
  expect(await findUntrueVerdicts(query)).toEqual([])
  await query("update feed_events set confirmed = '{}'")
  expect(await findUntrueVerdicts(query)).not.toEqual([])
  await query('update price_state set next_deal = 0')
  expect(await findUntrueVerdicts(query)).toEqual([])
  await query('update price_state set next_deal = null')
  await query('delete from deal_changes')
  expect(await findUntrueVerdicts(query)).toEqual([])
  await query('delete from followers')
  expect(await findUntrueVerdicts(query)).toEqual([])
})

test('all deals are marked once what happens is followed, and a deal that is gone leaves nothing', async () => {
  const databases = await testDatabases()
  const pool = databases.customPlanPool
  const { id } = await makeDeal(databases)
  expect(await hasUnmarked(pool, verdictFollower)).toBe(false)
  await databases.durablePool.query('insert into followers (name, position) values ($1, 0)', [
    verdictFollower,
  ])
  expect(await hasUnmarked(pool, verdictFollower)).toBe(true)
  await markAll(depsOf(databases), forGood)
  expect(await hasUnmarked(pool, verdictFollower)).toBe(false)
  await databases.durablePool.query('insert into price_verdicts (deal_id, due_at) values (999, now())')
  expect(await refreshVerdicts(depsOf(databases), forGood)).toEqual({ judged: 1, changed: 0 })
  const { rows } = await pool.query('select deal_id from price_verdicts')
  expect(rows).toEqual([{ deal_id: id }])
  await databases.durablePool.query('delete from deals')
  expect((await pool.query('select from price_verdicts')).rowCount).toBe(0)
})

test('where many verdicts are due, no writer is left to tidy the index of words', async () => {
  const databases = await testDatabases()
  const { durablePool: pool } = databases
  for (let made = 0; made < 50; made++) await makeDeal(databases)
  await pool.query("update deals set title_folded = title_folded || ' ' || id")
  await pool.query(
    "insert into price_verdicts (deal_id, due_at) select id, now() - id * interval '1 ms' from deals",
  )
  const pieces: RefreshedPiece[] = []
  const pauses = {
    after(piece: RefreshedPiece) {
      pieces.push(piece)
      return 0
    },
  }
  expect(await refreshVerdicts(depsOf(databases), forGood, pauses)).toEqual({ judged: 50, changed: 0 })
  expect(pieces.map(({ changed, dueAt }) => [changed, dueAt.length])).toEqual([
    [0, 20],
    [0, 20],
  ])
  // The last ones first.
  expect(Math.min(...(pieces[0]?.dueAt ?? []))).toBeGreaterThan(Math.max(...(pieces[1]?.dueAt ?? [])))
  expect(Math.abs(Date.now() - (pieces[0]?.dueAt[0] ?? 0))).toBeLessThan(60_000)
  expect(Math.min(...pieces.map(({ tookMs }) => tookMs))).toBeGreaterThan(0)
  const { rows } = await pool.query("select gin_clean_pending_list('deals_words')::int as pages")
  expect(rows).toEqual([{ pages: 0 }])
})

test('a deal of today carries no verdict and tells nobody of it, one of before does', async () => {
  const databases = await testDatabases()
  const day = 86_400_000
  const carried: unknown[] = []
  for (const age of [0.5 * day, 1.5 * day]) {
    const { id } = await makeDeal(databases)
    await databases.durablePool.query('delete from price_points where deal_id = $1', [id])
    await databases.durablePool.query(
      'insert into price_points (deal_id, seen_at, price) values ($1, $2, 5)',
      [id, new Date(Date.now() - age)],
    )
    await databases.durablePool.query('insert into price_verdicts (deal_id, due_at) values ($1, now())', [id])
    const { changed } = await refreshVerdicts(depsOf(databases), forGood)
    const { rows } = await databases.customPlanPool.query(
      `select verdict::json ->> 'short' as short, round(extract(epoch from due_at - now()) / 3600)::int as hours
       from deals join price_verdicts on deal_id = id where id = $1`,
      [id],
    )
    carried.push([changed, rows[0].short, rows[0].hours])
  }
  // It is looked at once its first day is over, and then as soon as it can be judged.
  expect(carried).toEqual([
    [0, null, 12],
    [1, 'Too early to judge', 36],
  ])
})

test('a verdict of points that others have overtaken is not stored', async () => {
  const databases = await testDatabases()
  const { id } = await makeDeal(databases)
  const mark = () =>
    databases.durablePool.query(
      `insert into price_verdicts (deal_id, due_at) values ($1, clock_timestamp())
       on conflict (deal_id) do update set due_at = excluded.due_at`,
      [id],
    )
  await mark()
  const [due] = await readDue(databases.customPlanPool, 10)
  if (!due?.history) throw new Error('nothing is due')
  const judgement = judgeHistory(due.history, Date.now(), settings.MARKETPLACE)
  const store = () =>
    withDealWrites(databases, (writes) => storeVerdicts(writes, [toStored(id, due.was_due, judgement)]))
  await mark()
  expect(await store()).toEqual({ judged: 0, changed: 0 })
  expect(await hasDue(databases.customPlanPool)).toBe(true)
})

test('as time goes by a verdict is due again, and what reads the same is not told', async () => {
  const databases = await testDatabases()
  const asin = nextAsin()
  await hand(databases, daily(asin, 60, 1, 20))
  await databases.durablePool.query(
    'insert into price_verdicts (deal_id, due_at) select id, now() from deals',
  )
  expect(await refreshVerdicts(depsOf(databases), forGood)).toEqual({ judged: 1, changed: 1 })
  const { rows } = await databases.customPlanPool.query(
    "select due_at between now() + interval '59 minutes' and now() + interval '8 days' as is_later from price_verdicts",
  )
  expect(rows).toEqual([{ is_later: true }])
  await databases.durablePool.query('update price_verdicts set due_at = now()')
  expect(await refreshVerdicts(depsOf(databases), forGood)).toEqual({ judged: 1, changed: 0 })
})

test('a verdict that is being marked due is left to the next piece, without waiting', async () => {
  const databases = await testDatabases()
  const { id } = await makeDeal(databases)
  await databases.durablePool.query('insert into price_verdicts (deal_id, due_at) values ($1, now())', [id])
  const [due] = await readDue(databases.customPlanPool, 10)
  if (!due?.history) throw new Error('nothing is due')
  const judgement = judgeHistory(due.history, Date.now(), settings.MARKETPLACE)
  const store = () =>
    withDealWrites(databases, async (writes) => {
      await writes.client.query("set local lock_timeout = '5s'")
      return storeVerdicts(writes, [toStored(id, due.was_due, judgement)])
    })
  const marking = await databases.durablePool.connect()
  onTestFinished(() => marking.release())
  await marking.query('begin')
  await marking.query('select from price_verdicts for update')
  expect((await store()).judged).toBe(0)
  await marking.query('rollback')
  expect((await store()).judged).toBe(1)
})
