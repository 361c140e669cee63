import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsin, nextAsins } from '../../../testing/factories.ts'
import {
  kindThat,
  makeHeldRow,
  makeSource,
  rowsOf,
  runNow,
  testBox,
  testSources,
} from '../../../testing/sources.ts'
import type { RunContext, SourceDocument } from '../sources/kinds/source-kind.ts'
import { hideStaleDeals } from '../sources/running/listing.ts'

let document: SourceDocument = { body: [], isWhole: true, listsAll: false }
const hand = async (context: RunContext) => {
  await context.hand(document)
  return { state: 'done' as const }
}
const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [kindThat(hand)], secrets: testBox },
})
const { headers } = await signIn('admin')
const lasting = testSources(databases, hand)
const retention = {
  ...{ history: false, hiddenAfterHours: 24, refreshAfterHours: 1 },
  ...{ asOf: 'as of {time}', disclaimer: '' },
}
const fleeting = testSources(databases, hand, { kinds: [kindThat(hand, retention)] })

/** What became of a list that a source had at this time. */
async function poll(source: number, rows: object[], deps = lasting) {
  document = { body: rows, isWhole: true, listsAll: false }
  return runNow(deps, source)
}
const priced = (asin: string, price: number, more: object = {}) =>
  rowsOf([asin], () => price).map((row) => ({ ...row, ...more }))
const waiting = async (source: number): Promise<{ id: number; new: { price: number } }[]> =>
  (await app.inject({ url: `/api/quarantine?source=${source}&limit=200`, headers })).json().items
const decide = async (what: 'release' | 'refuse', rows: { id: number }[], more: object = {}) => {
  const payload = { ids: rows.map(({ id }) => id), ...more }
  return (await app.inject({ method: 'POST', url: `/api/quarantine/${what}`, headers, payload })).json()
}
const query = async (sql: string, values: unknown[] = []) =>
  (await databases.durablePool.query(sql, values)).rows
const priceOf = async (asin: string) =>
  (await query('select price from deals where asin = $1', [asin]))[0]?.price

test('nobody lets through, or trusts, what they were not shown', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(source, priced(asin, 100))
  await poll(source, priced(asin, 4))
  const shown = await waiting(source)
  // Seen again as it was, it is what was shown.
  await poll(source, priced(asin, 4))
  expect((await waiting(source)).map(({ id }) => id)).toEqual(shown.map(({ id }) => id))
  await poll(source, priced(asin, 0.02))
  expect(await decide('release', shown, { trust: true })).toMatchObject({ decided: 0, gone: 1 })
  expect(await decide('refuse', shown)).toMatchObject({ decided: 0, gone: 1 })
  expect([await priceOf(asin), (await waiting(source)).map(({ new: { price } }) => price)]).toEqual([
    100,
    [0.02],
  ])
  expect(await query('select trusted_rules from sources where id = $1', [source])).toEqual([
    { trusted_rules: [] },
  ])
  // What isn't compared side by side is let through too.
  const newest = await waiting(source)
  await poll(source, priced(asin, 0.02, { image_url: 'https://m.media-amazon.com/images/I/41abc.jpg' }))
  expect(await decide('release', newest)).toMatchObject({ decided: 0, gone: 1 })
})

test('what a service lets nobody keep is let through without history, and hidden in time', async () => {
  const source = await makeSource(databases)
  const [odd = '', late = '', other = ''] = nextAsins(3)
  const given = { original_price: 99 }
  await poll(source, [...priced(odd, 4, given), ...priced(late, 4, given)], fleeting)
  const held = await waiting(source)
  expect(held).toHaveLength(2)
  // Of the same source, under other terms.
  await query(`update quarantine set deal = deal || '{"hide_at": "2020-01-01T00:00:00Z"}' where asin = $1`, [
    late,
  ])
  await poll(source, priced(other, 4, given))
  await decide('release', await waiting(source))
  expect([await priceOf(odd), await priceOf(late), await priceOf(other)]).toEqual([4, undefined, 4])
  const points = `select d.asin from price_points p join deals d on d.id = p.deal_id where d.asin = any($1)`
  expect(await query(points, [[odd, other]])).toEqual([{ asin: other }])
  const hours = `select asin, hide_at = listed_at + interval '24 hours' as is_in_time from source_deals where asin = any($1)`
  expect(await query(hours, [[odd, other]])).toEqual([{ asin: odd, is_in_time: true }])
  await query(`update deals set observed_at = observed_at - interval '25 hours' where asin = any($1)`, [
    [odd, other],
  ])
  await query(
    `update source_deals set listed_at = listed_at - interval '25 hours', hide_at = hide_at - interval '25 hours'`,
  )
  await hideStaleDeals(databases, new AbortController().signal)
  const shown = await query('select is_visible from deals where asin = any($1) order by asin = $2 desc', [
    [odd, other],
    odd,
  ])
  expect(shown.map(({ is_visible }) => is_visible)).toEqual([false, true])
})

test('the size of a held document counts once all of it is decided and some was let through', async () => {
  const source = await makeSource(databases)
  const all = nextAsins(100)
  const sizes = async () => (await query('select baseline from sources where id = $1', [source]))[0]?.baseline
  await poll(source, rowsOf(all))
  const short = rowsOf(all.slice(0, 40), () => 15)
  await poll(source, short)
  const [first, ...rest] = await waiting(source)
  if (!first) throw new Error('Nothing waits')
  await decide('release', [first])
  expect(await sizes()).toMatchObject({ sizes: [100], is_doubtful: true })
  expect(
    await poll(
      source,
      rowsOf(all.slice(0, 40), (at) => (at < 12 ? 15 : 20)),
    ),
  ).toMatchObject({ updated: 0 })
  expect((await waiting(source)).length).toBeGreaterThan(8)
  await poll(source, short)
  // In parts, at once, and the last of it refused.
  const [last, one, two, ...others] = await waiting(source)
  if (!last || !one || !two) throw new Error('Too few wait')
  await decide('release', others)
  await Promise.all([decide('release', [one]), decide('release', [two])])
  expect(await sizes()).toMatchObject({ sizes: [100] })
  await decide('refuse', [last])
  expect(await sizes()).toMatchObject({ sizes: [100, 40], is_doubtful: true })
  expect(rest.length).toBe(39)
})

test('a held document of which all is refused is no measure', async () => {
  const source = await makeSource(databases)
  const all = nextAsins(60)
  await poll(source, rowsOf(all))
  await poll(
    source,
    rowsOf(all.slice(0, 20), () => 15),
  )
  await decide('refuse', await waiting(source))
  const [{ baseline } = { baseline: null }] = await query('select baseline from sources where id = $1', [
    source,
  ])
  expect(baseline).toMatchObject({ sizes: [60] })
})

test('a price near one that was let through passes', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(source, priced(asin, 100))
  await query(
    `insert into price_verdicts (deal_id, due_at, typical) select id, now() + interval '1 day', 100 from deals where asin = $1
     on conflict (deal_id) do update set typical = 100`,
    [asin],
  )
  await poll(source, priced(asin, 9))
  await decide('release', await waiting(source))
  for (const price of [8.99, 9.01, 9.5]) {
    expect(await poll(source, priced(asin, price))).toMatchObject({ held: 0, updated: 1 })
    expect(await priceOf(asin)).toBe(price)
  }
})

test('all of a group are decided by one request, but not what nobody has seen by then', async () => {
  const source = await makeSource(databases)
  const ids: number[] = []
  for (const rule of ['price_low', 'price_low', 'title', 'price_low'])
    ids.push(await makeHeldRow(databases, source, { rule }))
  const [, newest = 0] = ids
  const ask = async (what: string, payload: object) =>
    (await app.inject({ method: 'POST', url: `/api/quarantine/${what}`, headers, payload })).json()
  const group = { source, rule: 'price_low', newest }
  expect(await ask('release', { group, ids })).toMatchObject({
    code: 'INVALID_INPUT',
    fields: { ids: expect.any(String) },
  })
  expect(await ask('refuse', {})).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await ask('release', { group, trust: true })).toEqual({
    decided: 2,
    gone: 0,
    unchanged: 0,
    unreadable: 0,
  })
  expect((await waiting(source)).map(({ id }) => id)).toEqual(ids.slice(2).toReversed())
  expect(await query('select trusted_rules from sources where id = $1', [source])).toEqual([
    { trusted_rules: ['price_low'] },
  ])
  expect(await ask('refuse', { group: { ...group, newest: ids.at(-1) } })).toEqual({
    decided: 1,
    gone: 0,
    unchanged: 0,
    unreadable: 0,
  })
  expect(await ask('refuse', { group })).toEqual({ decided: 0, gone: 0, unchanged: 0, unreadable: 0 })
})

test('what is let through when newer is stored is counted as what it is', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const [late = '', fine = ''] = nextAsins(2)
  const seen = { observed_at: new Date(Date.now() - 60_000) }
  await poll(one, [...priced(late, 100, seen), ...priced(fine, 100, seen)])
  await poll(one, [...priced(late, 4), ...priced(fine, 4)])
  await poll(two, priced(late, 90))
  expect(await decide('release', await waiting(one))).toEqual({
    decided: 2,
    gone: 0,
    unchanged: 1,
    unreadable: 0,
  })
  expect([await priceOf(late), await priceOf(fine)]).toEqual([90, 4])
})

test('of a source 5,000 rows wait at most, however many documents it has; those that wait already keep their place', async () => {
  const source = await makeSource(databases)
  const [known = '', one = '', two = ''] = nextAsins(3)
  await poll(
    source,
    rowsOf([known, one, two], () => 100),
  )
  await query(
    `insert into quarantine (source_id, asin, rule, reason, new, deal)
     select $1, 'X' || i, 'price_low', '', '{}', '{}' from generate_series(1, 4998) i`,
    [source],
  )
  expect(await poll(source, priced(known, 1))).toMatchObject({ text: '1 row went into quarantine.' })
  const run = await poll(
    source,
    rowsOf([known, one, two], () => 2),
  )
  expect(run.text).toBe('2 rows went into quarantine. 1 row more found no room there.')
  const [{ count } = { count: 0 }] = await query('select count(*) from quarantine where source_id = $1', [
    source,
  ])
  expect(Number(count)).toBe(5_000)
  await query('delete from quarantine where source_id = $1', [source])
})

test('a list without list prices clears none when its rows are let through, and one with them does', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const [kept = '', cleared = ''] = nextAsins(2)
  const given = { original_price: 150 }
  await poll(one, [...priced(kept, 100, given), ...priced(cleared, 100, given)])
  await poll(one, priced(kept, 4))
  await poll(two, [
    ...priced(cleared, 4, { original_price: null }),
    ...priced(nextAsin(), 4, { original_price: 5 }),
  ])
  await decide('release', [...(await waiting(one)), ...(await waiting(two))])
  const sql = 'select price, original_price from deals where asin = any($1) order by asin = $2 desc'
  expect(await query(sql, [[kept, cleared], kept])).toEqual([
    { price: 4, original_price: 150 },
    { price: 4, original_price: null },
  ])
})

test('a release that takes long says that it is at work, so that nobody takes its rows for abandoned', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(source, priced(asin, 100))
  await poll(source, priced(asin, 4))
  const [row] = await waiting(source)
  const blocker = await databases.durablePool.connect()
  try {
    await blocker.query('begin; lock table deals in share row exclusive mode')
    const released = decide('release', row ? [row] : [])
    const decidedAt = async () =>
      (
        await query(`select decided_at from quarantine where source_id = $1 and state = 'released'`, [source])
      )[0]?.decided_at?.getTime() ?? 0
    await expect.poll(decidedAt).toBeGreaterThan(0)
    const first = await decidedAt()
    await expect.poll(decidedAt, { timeout: 12_000 }).toBeGreaterThan(first)
    await blocker.query('rollback')
    expect(await released).toMatchObject({ decided: 1 })
    expect(await priceOf(asin)).toBe(4)
  } finally {
    await blocker.query('rollback')
    blocker.release()
  }
})
