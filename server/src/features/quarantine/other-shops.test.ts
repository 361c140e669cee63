import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { kindThat, makeSource, rowsOf, runNow, testBox, testSources } from '../../../testing/sources.ts'
import type { RunContext, SourceDocument } from '../sources/kinds/source-kind.ts'
import { hasUntidyRows, tidyRows } from './actions.ts'

let document: SourceDocument = { body: [], isWhole: true, listsAll: false }
const hand = async (context: RunContext) => {
  await context.hand(document)
  return { state: 'done' as const }
}
const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [kindThat(hand)], secrets: testBox },
})
const { headers } = await signIn('admin')
const deps = testSources(databases, hand)

type Row = Record<string, unknown>
/** What became of a list that a source had at this time. */
async function poll(source: number, rows: object[], more: Partial<SourceDocument> = {}) {
  document = { body: rows, isWhole: true, listsAll: false, ...more }
  return runNow(deps, source)
}
const priced = (asin: string, price: number, more: Row = {}): Row => ({
  ...rowsOf([asin], () => price)[0],
  ...more,
})
const inEuros = (asin: string, price: number, more: Row = {}) =>
  priced(asin, price, { currency: 'EUR', ...more })
type Held = { id: number; asin: string; rule: string; reason: string; old: Row | null; new: Row }
const waiting = async (source: number): Promise<Held[]> =>
  (await app.inject({ url: `/api/quarantine?source=${source}&limit=200`, headers })).json().items
const decide = async (what: 'release' | 'refuse', rows: readonly { id: number }[], more: object = {}) => {
  const payload = { ids: rows.map(({ id }) => id), ...more }
  return (await app.inject({ method: 'POST', url: `/api/quarantine/${what}`, headers, payload })).json()
}
const query = async (sql: string, values: unknown[] = []) =>
  (await databases.durablePool.query(sql, values)).rows
const dealOf = async (asin: string) =>
  (await query('select price, original_price, product_url, title from deals where asin = $1', [asin]))[0]
const priceOf = async (asin: string) => (await dealOf(asin))?.price

test.each<[string, Row, string, string]>([
  ['a column', { price: 19.99, currency: 'EUR' }, 'currency', 'Its price is in EUR, not in USD.'],
  ['its cell', { price: '£19.99' }, 'currency', 'Its price is in GBP, not in USD.'],
  [
    'the name of its column',
    { price: undefined, price_eur: 19.99 },
    'currency',
    'Its price is in EUR, not in USD.',
  ],
  [
    'its link',
    { price: 19.99, url: 'https://www.amazon.de/dp/B0ABCD1234' },
    'marketplace',
    'It is of amazon.de,',
  ],
  ['a column of shops', { price: 19.99, marketplace: 'amazon.ca' }, 'marketplace', 'It is of amazon.ca,'],
])('a row that is another shop’s by %s waits, beside what is stored', async (_, stated, rule, reason) => {
  const source = await makeSource(databases)
  const [asin = '', own = ''] = nextAsins(2)
  // Fifty times as much, in other money: nobody says of it that the price is far below what it was.
  await poll(source, [priced(asin, 999)])
  const run = await poll(source, [
    priced(asin, 19.99, stated),
    ...(rule === 'currency' ? [] : [priced(own, 5)]),
  ])
  expect(run).toMatchObject({ held: 1, rejected: 0, updated: 0 })
  expect(await waiting(source)).toMatchObject([
    {
      ...{ asin, rule, reason: expect.stringContaining(reason) },
      old: { price: 999, ...(rule === 'currency' ? { currency: 'USD' } : { marketplace: 'amazon.com' }) },
      new: { price: 19.99, [rule]: expect.stringMatching(/^(?:EUR|GBP|amazon\.(?:de|ca))$/) },
    },
  ])
  expect(await priceOf(asin)).toBe(999)
})

test('let through it is a deal of this shop, and is not asked about again at this price', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  const url = `https://www.amazon.de/dp/${asin}`
  const rows = (price: string) => [priced(asin, 0, { price, list_price: '29,99 €', url })]
  await poll(source, rows('19,99 €'))
  const [held] = await waiting(source)
  expect(held?.reason).toBe(
    'Its price is in EUR, not in USD, and it is of amazon.de, not of amazon.com. Let through, 19.99 counts as $19.99, and its ASIN as amazon.com’s.',
  )
  expect(await decide('release', held ? [held] : [])).toEqual({
    decided: 1,
    gone: 0,
    unchanged: 0,
    unreadable: 0,
  })
  expect(await dealOf(asin)).toMatchObject({
    ...{ price: 19.99, original_price: 29.99, product_url: `https://www.amazon.com/dp/${asin}` },
  })
  const imports = await query(
    `select i.rejected, i.created from imports i join price_points p on p.import_id = i.id join deals d on d.id = p.deal_id where asin = $1`,
    [asin],
  )
  expect(imports).toEqual([{ rejected: 0, created: 1 }])
  expect(await poll(source, rows('19,99 €'))).toMatchObject({ held: 0, unchanged: 1, text: null })
  expect(await poll(source, rows('18,99 €'))).toMatchObject({ held: 1, updated: 0 })
  // What another source says of it nobody has let through.
  expect(await poll(await makeSource(databases), rows('19,99 €'))).toMatchObject({ held: 1 })
  const forgotten = `update quarantine set decided_at = now() - interval '91 days' where state = 'passed' and source_id = $1`
  await query(forgotten, [source])
  expect(await hasUntidyRows(databases)).toBe(true)
  await tidyRows(databases)
  expect(await poll(source, rows('19,99 €'))).toMatchObject({ held: 1 })
})

test('many are let through at once, and a trusted rule holds none any more', async () => {
  const source = await makeSource(databases)
  const [seen = '', next = '', swiss = '', elsewhere = ''] = nextAsins(4)
  await poll(source, [inEuros(seen, 20), inEuros(next, 30)])
  expect(await decide('release', await waiting(source), { trust: true })).toMatchObject({
    decided: 2,
    unchanged: 0,
  })
  expect([await priceOf(seen), await priceOf(next)]).toEqual([20, 30])
  const link = { marketplace: 'amazon.de' }
  const rows = [inEuros(seen, 21), priced(swiss, 40, { currency: 'CHF' }), inEuros(elsewhere, 9, link)]
  expect(await poll(source, rows)).toMatchObject({ held: 1, created: 1, updated: 1 })
  expect(await waiting(source)).toMatchObject([{ asin: elsewhere, rule: 'marketplace' }])
  // Trusted, it is looked at as any other.
  expect(await poll(source, [inEuros(seen, 0.5)])).toMatchObject({ held: 1 })
  expect(await waiting(source)).toMatchObject(
    [{ asin: elsewhere }, { asin: seen, rule: 'price_low' }].reverse(),
  )
})

test('what was refused is left out in that currency, and only in that one', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(source, [inEuros(asin, 20)])
  expect(await decide('refuse', await waiting(source))).toMatchObject({ decided: 1 })
  expect(await poll(source, [inEuros(asin, 20)])).toMatchObject({ held: 0, refused_before: 1, created: 0 })
  expect(await poll(source, [priced(asin, 20, { currency: 'CHF' })])).toMatchObject({
    held: 1,
    refused_before: 0,
  })
  await poll(source, [priced(asin, 500)])
  expect(await poll(source, [priced(asin, 20)])).toMatchObject({ held: 1, refused_before: 0 })
})

const later = new Date(Date.now() + 60_000).toISOString()
test.each([
  ['first', false],
  ['last', false],
  ['first, and trusted', true],
  ['last, and trusted', true],
])('of one item the row of this shop stays: the other one %s', async (where, isTrusted) => {
  const source = await makeSource(databases, { ...(isTrusted && { trusted_rules: ['currency'] }) })
  const [asin = ''] = nextAsins(1)
  // Even where it was seen later.
  const rows = [inEuros(asin, 20, { observed_at: later }), priced(asin, 25, { currency: 'USD' })]
  const run = await poll(source, where.startsWith('first') ? rows : rows.reverse())
  expect(run).toMatchObject({
    ...{ received: 2, created: 1, held: 0, rejected: 0 },
    notes: ['Rows left out for another of the same item: 1.'],
  })
  expect([await priceOf(asin), await waiting(source)]).toEqual([25, []])
})

test('a row of another shop that is trusted stays before one that is not', async () => {
  const source = await makeSource(databases, { trusted_rules: ['currency'] })
  const [asin = ''] = nextAsins(1)
  const rows = [inEuros(asin, 20), priced(asin, 25, { marketplace: 'amazon.ca', observed_at: later })]
  expect(await poll(source, rows)).toMatchObject({ created: 1, held: 0 })
  expect(await priceOf(asin)).toBe(20)
})

test('what waits as another shop’s says nothing of how large the documents of its source are', async () => {
  const source = await makeSource(databases)
  const own = nextAsins(40)
  await poll(source, rowsOf(own))
  const elsewhere = nextAsins(3).map((asin) => inEuros(asin, 25))
  const short = [...rowsOf(own.slice(0, 10), () => 21), ...elsewhere]
  expect(await poll(source, short)).toMatchObject({ held: 13, updated: 0 })
  const held = await waiting(source)
  expect(held.map(({ rule }) => rule).sort()).toEqual([
    ...Array(3).fill('currency'),
    ...Array(10).fill('shrunk'),
  ])
  await decide(
    'release',
    held.filter(({ rule }) => rule === 'currency'),
  )
  expect(
    (await query(`select baseline -> 'sizes' as sizes from sources where id = $1`, [source]))[0],
  ).toEqual({ sizes: [40] })
})

test('rows of other shops are no rows of a document, and end nothing', async () => {
  const source = await makeSource(databases)
  const own = nextAsins(25)
  const [first = ''] = own
  await poll(source, rowsOf(own))
  const sizes = async () =>
    (await query(`select baseline -> 'sizes' as sizes from sources where id = $1`, [source]))[0]?.sizes
  // Many prices that seem to have changed, an end, and far more rows than usual.
  const over = own.map((asin) => inEuros(asin, 25, { deal_state: 'expired' }))
  const others = nextAsins(200).map((asin) => inEuros(asin, 25))
  for (let count = 0; count < 3; count++) await poll(source, rowsOf(own))
  const run = await poll(source, [...rowsOf(own), ...over, ...others])
  expect(run).toMatchObject({ held: 200, unchanged: 25, text: '200 rows went into quarantine.' })
  expect(await sizes()).toEqual([25, 25, 25, 25, 25])
  expect((await query('select is_visible from deals where asin = $1', [first]))[0]).toEqual({
    is_visible: true,
  })
  // None is one that only others list and this one ends.
  expect(await poll(source, over)).toMatchObject({
    held: 25,
    text: expect.stringMatching(/^All 25 rows were held/),
  })
  expect((await waiting(source)).every(({ rule }) => rule === 'currency')).toBe(true)
  // Trusted they are rows like any other, of which there are as many more.
  await decide('release', await waiting(source), { trust: true })
  expect(await sizes()).toBeNull()
})

test('a list of everything neither lists nor leaves out what it has of another shop', async () => {
  const source = await makeSource(databases)
  const [first = '', elsewhere = '', ...own] = nextAsins(5)
  const listed = async () =>
    query('select asin, missed from source_deals where source_id = $1 and asin = any($2) order by asin', [
      source,
      [first, elsewhere],
    ])
  const all = { listsAll: true }
  await poll(source, rowsOf([first, ...own]), all)
  for (let count = 0; count < 3; count++) {
    const rows = [...rowsOf(own), inEuros(first, 20), inEuros(elsewhere, 20)]
    expect(await poll(source, rows, all)).toMatchObject({ ended: 0, held: 2 })
  }
  expect(await listed()).toEqual([{ asin: first, missed: 0 }])
  expect(await poll(source, rowsOf(own), all)).toMatchObject({ ended: 0 })
  expect(await poll(source, rowsOf(own), all)).toMatchObject({ ended: 1 })
})

test('what finds no room to wait in, or can’t be held, is no deal either', async () => {
  const source = await makeSource(databases)
  const [late = '', own = '', other = ''] = nextAsins(3)
  await query(
    `insert into quarantine (source_id, asin, rule, reason, new, deal) select $1, 'B0Y' || lpad(at::text, 7, '0'), 'currency', '', '{}', '{}' from generate_series(1, 5000) at`,
    [source],
  )
  const run = await poll(source, [inEuros(late, 20), priced(own, 20, { currency: 'USD' })])
  expect(run).toMatchObject({ held: 1, rejected: 0, created: 1 })
  expect(run.text).toMatch(/ 1 row more found no room there\.$/)
  await query(
    `create function no_room() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
  )
  await query('create trigger no_room before insert on quarantine execute function no_room()')
  const failing = await makeSource(databases)
  const quiet = testSources(databases, hand, { log: pino({ level: 'silent' }) })
  document = {
    body: [inEuros(late, 20), priced(other, 20, { currency: 'USD' })],
    isWhole: true,
    listsAll: false,
  }
  await expect(runNow(quiet, failing)).resolves.toMatchObject({ state: 'failed', created: 0 })
  await query('drop function no_room cascade')
  expect([await priceOf(late), await priceOf(own), await priceOf(other)]).toEqual([undefined, 20, undefined])
})

test('who hands in a file or a list has such rows refused', async () => {
  const [asin = ''] = nextAsins(1)
  const payload = [inEuros(asin, 20), priced(asin, 20, { marketplace: 'amazon.de' })]
  const response = await app.inject({ method: 'POST', url: '/api/products/import', headers, payload })
  expect(response.json()).toMatchObject({
    ...{ created: 0, rejected_total: 2 },
    rejected_by_reason: { 'another currency: EUR': 1, 'another marketplace: amazon.de': 1 },
  })
  expect(await query('select from quarantine where asin = $1', [asin])).toEqual([])
})
