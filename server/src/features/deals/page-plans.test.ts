import { dealPageSchema } from '@dealdeck/contract/deals'
import { parseQuestion } from '@dealdeck/query/parsing'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { findPlan, listDeals, pageStatement } from './queries.ts'
import { narrowed } from './searching/asking.ts'
import type { FeedQuery } from './searching/conditions.ts'
import type { PagePlan } from './searching/plan.ts'
import { readPriceSpread, shareOfPrices } from './searching/price-shares.ts'
import { rowStatement } from './searching/statements.ts'

const databases = await testDatabases()
const { genericPlanPool, customPlanPool, durablePool } = databases
const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
const plain: FeedQuery = {
  ...{ sort: 'newest', search: '', min_price: undefined, max_price: undefined, prime_only: false, limit: 50 },
}
const seen = new Date('2026-03-04T05:06:00Z')
/** Of deals in the middle of each list. */
const keys = {
  newest: seen.toISOString(),
  discount: '90',
  price: '12.34',
  discord: '-infinity',
  updated: seen.toISOString(),
  best: '12.34',
} as const
const sorts = ['newest', 'discount', 'price', 'discord', 'updated', 'best'] as const

const scan: PagePlan = { kind: 'sort-scan', isGeneric: true }
const scanned = sorts.flatMap((sort) => {
  const cursor = { sort, key: keys[sort], id: 7_000 }
  return [
    { sort },
    { sort, cursor },
    { sort, cursor, max_price: 30, min_price: 2 },
    { sort, prime_only: true },
    ...(sort === 'discount'
      ? [
          { sort, min_discount: 40 },
          { sort, discounted_only: true, cursor },
        ]
      : []),
  ].map((more) => ({ ...plain, ...more }))
})
// Prices from 1 to 100, half of them below 10.
const fill = `
  insert into deals (asin, title, title_folded, price, original_price, product_url, availability, prime_eligible,
    first_seen, last_updated)
  select 'B0' || lpad(n::text, 8, '0'), 'a lantern ' || n, 'a lantern ' || n, round(10 ^ (n % 200 / 100.0), 2), 200,
    'https://www.amazon.com/', 'In stock', n % 5 < 2, seen, seen
  from generate_series(1, 20000) n, lateral (select $1::timestamptz + (n - 10000) * interval '1 minute' as seen) t`

test('a connection that planned its pages on an empty table walks the index of their sort when it is full', async () => {
  const client = await genericPlanPool.connect()
  try {
    const statements = scanned.map((query) => pageStatement(scan, query, shop, true))
    for (const { pool } of statements) expect(pool).toBe('genericPlanPool')
    for (const [at, { text }] of statements.entries()) await client.query(`prepare page_${at} as ${text}`)
    const plans = async () => {
      const found: string[] = []
      for (const [at, { values }] of statements.entries()) {
        const given = values.map((value) => client.escapeLiteral(String(value)))
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(
          `explain (costs off) execute page_${at} (${given})`,
        )
        found.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      }
      return found
    }
    const empty = await plans()
    await durablePool.query(fill, [seen])
    const grown = await plans()
    await durablePool.query('analyze deals')
    for (const found of [empty, grown, await plans()]) {
      for (const [at, { sort }] of scanned.entries()) {
        expect(found[at]).toMatch(new RegExp(`Index (Only )?Scan (Backward )?using deals_${sort}`))
        expect(found[at]).not.toMatch(/Sort|Seq Scan/)
      }
    }
    // One plan for all values, or it would have been made for these.
    expect(empty[0]).toBe(grown[0])
    expect(grown[2]).toContain('$')
  } finally {
    client.release()
  }
})

test('a page walks its sort while its filters let enough deals through, and else is planned for its values', async () => {
  await durablePool.query('analyze deals')
  expect(await readPriceSpread(customPlanPool)).toBeDefined()
  const kindOf = async (more: Partial<FeedQuery>) => (await findPlan(databases, { ...plain, ...more })).kind
  for (const more of [
    {},
    { prime_only: true },
    { max_price: 30 },
    { min_price: 5, max_price: 20 },
    { min_price: 3 },
  ])
    expect(await kindOf(more), JSON.stringify(more)).toBe('sort-scan')
  for (const more of [{ max_price: 0.8 }, { min_price: 90 }, { min_price: 5, max_price: 5.5 }]) {
    expect(await kindOf(more), JSON.stringify(more)).toBe('filtered')
    expect(await kindOf({ ...more, sort: 'price' })).toBe('sort-scan')
  }
})

test('the share of deals between two prices is estimated to a hundredth, also where many have the same price', async () => {
  await durablePool.query("update deals set price = 9.99 where asin like '%7'")
  await durablePool.query('analyze deals')
  const { rows } = await durablePool.query<{ price: number }>('select price from deals')
  const prices = rows.map(({ price }) => price)
  const client = await customPlanPool.connect()
  try {
    const spread = await readPriceSpread(client)
    if (!spread) throw new Error('There are no statistics of prices')
    const bounds = [0, 0.8, 1, 2.5, 5, 9.98, 9.99, 10, 25, 60, 99, Infinity]
    for (const from of bounds) {
      for (const to of bounds) {
        const share = prices.filter((price) => price >= from && price <= to).length / prices.length
        expect(Math.abs(shareOfPrices(from, to, spread) - share), `${from} to ${to}`).toBeLessThan(0.01)
      }
    }
  } finally {
    client.release()
  }
})

test('a plan for all values and one for these answer with the same page', async () => {
  for (const query of scanned) {
    const statement = rowStatement({ kind: 'filtered' }, query, 'asin')
    const { rows } = await customPlanPool.query<{ asin: string }>(statement)
    expect(rows.length, JSON.stringify(query)).toBeGreaterThan(query.limit)
    const planned = dealPageSchema.parse(JSON.parse(await listDeals(databases, query, shop)))
    expect(planned.items.map(({ asin }) => asin)).toEqual(rows.slice(0, query.limit).map(({ asin }) => asin))
  }
})

test('pages of a limit no screen asks for leave no statement behind', async () => {
  const client = await genericPlanPool.connect()
  try {
    const kept = async () => (await client.query('select from pg_prepared_statements')).rowCount
    for (const limit of [20, 50])
      await listDeals({ customPlanPool: client, genericPlanPool: client }, { ...plain, limit }, shop)
    const before = await kept()
    for (const limit of [1, 49, 51, 1_000])
      await listDeals({ customPlanPool: client, genericPlanPool: client }, { ...plain, limit }, shop)
    expect(before).toBeGreaterThanOrEqual(2)
    expect(await kept()).toBe(before)
  } finally {
    client.release()
  }
})

test('questions of any shape leave no statement behind, a text alone does', async () => {
  const client = await customPlanPool.connect()
  try {
    const pools = { customPlanPool: client, genericPlanPool: client }
    const named = async (text: string) => {
      const { question } = parseQuestion(text, { isAdministrator: true })
      await listDeals(pools, narrowed(plain, question.condition, { now: 0, midnight: 0 }), shop)
      const { rows } = await client.query<{ name: string }>(
        "select name from pg_prepared_statements where name like 'page %'",
      )
      return rows.length
    }
    await listDeals(pools, { ...plain, search: 'lantern' }, shop)
    const before = await named('lantern')
    expect(before).toBeGreaterThan(0)
    for (let terms = 2; terms < 9; terms += 1) {
      const each = (text: (n: number) => string, between: string) =>
        Array.from({ length: terms }, (_, n) => text(n)).join(between)
      const texts = [each((n) => `lantern${n}`, ' '), each((n) => `-brand:b${n}`, ' ')]
      texts.push(each((n) => `asin:B${n}`, ' or '))
      for (const text of texts) expect(await named(text), text).toBe(before)
    }
  } finally {
    client.release()
  }
})
