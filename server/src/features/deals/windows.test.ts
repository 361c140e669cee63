import type { DealSort } from '@dealdeck/contract/deals'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { bucketedSorts, sortBuckets } from './rules.ts'
import type { FeedQuery } from './searching/conditions.ts'
import { bucketOfPrice, bucketOfTime } from './searching/sort-buckets.ts'
import { type PageStatement, rowStatements } from './searching/statements.ts'
import { windowsFrom } from './searching/windows.ts'

const databases = await testDatabases()
const rows = 2_000
const stretch = 2 ** 16
/** Nobody has counted these deals by bucket; windows of one narrow bucket, and of some, also wide ones. */
const page = { wanted: 0.001, rare: 0.0001, shares: new Map<number, number>(), isInside: true }
const widePage = { ...page, wanted: 0.15 }

// Prices, times and ids on both sides of every kind of border, many of them equal; every third deal of each 'apple',
// 'red apple' or 'apples'. Times are in microseconds, in no order of the ids, with gaps of years.
const fill = `
  insert into deals (id, asin, title, title_folded, price, original_price, product_url, availability, prime_eligible,
    first_seen, discord_timestamp)
  overriding system value
  select 1 + n * 7919 % ${rows} * 3700, 'B0' || lpad(n::text, 8, '0'), title, title, price,
    case n % 5 when 0 then price * 1.003 when 1 then price * 2 when 2 then price * (1 + n % 40) end + 0.01,
    'https://www.amazon.com/', case when n % 33 > 0 then 'In stock' end, n % 5 < 2,
    timestamptz 'epoch' + (case n % 7
      when 0 then 26000 when 1 then 26001 when 2 then n % 300 when 3 then 25000 + n % 70 when 4 then -3 else 26000 - n % 40
    end * ${stretch}) * interval '1 second' + (n % 3 - 1) * interval '1 microsecond',
    case when n % 10 < 5 then timestamptz 'epoch' + ((20000 + n * 31 % 90) * ${stretch}) * interval '1 second'
      - (n % 2) * interval '1 microsecond' end
  from generate_series(1, ${rows}) n,
    lateral (select (array[0.01, 0.07, 0.08, 0.99, 1, 9.99, 10, 19.99, 20, 49.99, 50, 99.99, 100, 5.99, 6,
      1234.5, 99999, 9999999999.99, n / 100.0, n * 7 + 0.99])[1 + n * 13 % 20]::numeric(12, 2) as price) p,
    lateral (select (array['apple', 'red apple pie', 'apples', 'pear', 'red pear', 'apple red'])[1 + n * 11 % 6] as title) t
  where price > 0`

beforeAll(async () => {
  await databases.durablePool.query(fill)
  await databases.durablePool.query('analyze deals')
})

type Row = {
  id: number
  title: string
  is_visible: boolean
  prime_eligible: boolean
  price: number
  buckets: number[]
  keys: Record<DealSort, string>
}

/** All deals in the order of a sort, as the database sorts them without any index. */
async function sorted(sort: DealSort): Promise<Row[]> {
  const orders = {
    newest: 'first_seen desc, id desc',
    discount: 'discount_order desc, id desc',
    price: 'price, id',
    discord: 'discord_order desc, id desc',
    updated: 'last_updated desc, id desc',
  }
  const utc = `at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  const { rows: all } = await databases.durablePool.query<Row>(
    `select id, title, is_visible, prime_eligible, price, ${sortBuckets} as buckets, json_build_object(
       'newest', to_char(first_seen ${utc}, 'discount', discount_order::text, 'price', price::text,
       'updated', to_char(last_updated ${utc}, 'discord', case when discord_timestamp is null then '-infinity' else to_char(discord_timestamp ${utc} end) as keys
     from deals order by ${orders[sort]}`,
  )
  return all
}

/** Whether a deal is in one of these buckets. */
const isHeld = (row: Row, held: Set<number>) => row.buckets.some((bucket) => held.has(bucket))

const filters: Partial<FeedQuery>[] = [
  {},
  { max_price: 30 },
  { min_price: 20 },
  { prime_only: true, max_price: 5, includeHidden: true },
]
const searches: Record<string, string[][]> = {
  pple: [['apple', 'apples']],
  apples: [['apples']],
  'red apple': [['red'], ['apple', 'apples']],
}

const passes = (row: Row, query: FeedQuery) =>
  (row.is_visible || query.includeHidden === true) &&
  row.price <= (query.max_price ?? row.price) &&
  row.price >= (query.min_price ?? row.price) &&
  (row.prime_eligible || !query.prime_only) &&
  row.title.includes(query.search)

/** The pages of a search with these windows after each of some deals, against what the whole table says. */
async function compare(sort: DealSort, filter: Partial<FeedQuery>, limit: number): Promise<number> {
  const all = await sorted(sort)
  let pages = 0
  for (const [search, words] of Object.entries(searches)) {
    const plain = { sort, search, limit, min_price: undefined, max_price: undefined, prime_only: false }
    const query: FeedQuery = { ...plain, ...filter }
    for (let at = -1; at < all.length; at += 499) {
      const last = all[at]
      const next = all[at + 1]
      if (!next) continue
      const windows = windowsFrom(
        next.buckets[bucketedSorts.indexOf(sort)] ?? 0,
        sort,
        at % 2 === 0 ? page : widePage,
      )
      if (!windows) continue
      const right = all.slice(at + 1).filter((row) => passes(row, query))
      const held = new Set(windows.buckets.flat())
      const asked = { ...query, cursor: last && { sort, key: last.keys[sort], id: last.id } }
      const idsOf = async ({ text, values }: PageStatement) =>
        (await databases.customPlanPool.query<{ id: number }>(text, values)).rows.map(({ id }) => id)
      for (const strategy of ['sort-scan', 'postings'] as const) {
        const behind = windows.end && { strategy, cursor: windows.end }
        const plan = { kind: 'windowed', words, windows: windows.buckets, behind, isGeneric: true } as const
        const [first, toTheEnd] = rowStatements(plan, asked, 'id')
        const name = `${sort} '${search}' after ${at}`
        const inWindows = right.filter((row) => isHeld(row, held))
        expect(await idsOf(first), name).toEqual(inWindows.slice(0, limit + 1).map(({ id }) => id))
        const found = await idsOf(toTheEnd ? toTheEnd() : first)
        expect(found, name).toEqual(right.slice(0, limit + 1).map(({ id }) => id))
        pages += 2
      }
    }
  }
  return pages
}

describe.each(bucketedSorts)('a search through windows, by %s', (sort) => {
  test.each(filters)('finds what the whole table has: %j', async (filter) => {
    for (const limit of [3, 60]) expect(await compare(sort, filter, limit)).toBeGreaterThan(20)
  })

  test('also after deals have moved to other buckets', async () => {
    await databases.durablePool.query(
      `update deals set price = price + 3.01, original_price = case when id % 3 = 0 then price * 1.5 + 4 end,
         discord_timestamp = case when id % 4 > 0 then first_seen end, availability = case when id % 9 > 0 then 'There' end
       where id % 2 = 0 and price < 1000`,
    )
    expect(await compare(sort, {}, 20)).toBeGreaterThan(20)
  })
})

describe('the windows of a sort', () => {
  const widths = { narrow: page, wide: widePage, 'wide from the start': { ...widePage, isInside: false } }
  const kinds = bucketedSorts.flatMap((sort) =>
    Object.entries(widths).map(([name, width]) => ({ sort, name, width })),
  )
  test.each(kinds)('end right before the deals they leave out: $sort, $name', async ({ sort, width }) => {
    const all = await sorted(sort)
    const bucketOf = (row: Row) => row.buckets[bucketedSorts.indexOf(sort)] ?? 0
    const everything = { sort, search: '', limit: rows, prime_only: false, includeHidden: true }
    for (const [at, row] of all.entries()) {
      const before = all[at - 1]
      const windows = windowsFrom(bucketOf(row), sort, width)
      if (!windows || (before && bucketOf(before) === bucketOf(row))) continue
      const held = new Set(windows.buckets.flat())
      const right = all.slice(at).filter((deal) => !isHeld(deal, held))
      if (!windows.end) {
        expect(right, `from ${bucketOf(row)}`).toEqual([])
        continue
      }
      const [statement] = rowStatements({ kind: 'filtered' }, { ...everything, cursor: windows.end }, 'id')
      const { rows: behind } = await databases.customPlanPool.query<{ id: number }>(statement)
      expect(
        behind.map(({ id }) => id),
        `from ${bucketOf(row)}`,
      ).toEqual(right.map(({ id }) => id))
    }
  })

  test('end at the price with which the next step begins', async () => {
    // From a cent to the most the column holds; the windows of a bucket end some dozens of steps on.
    const ends = Array.from({ length: 1_000 }, (_, at) =>
      windowsFrom((180 + at) * 16 + 3, 'price', page),
    ).flatMap((windows) => (windows?.end ? [{ buckets: windows.buckets, end: windows.end }] : []))
    expect(ends.length).toBeGreaterThan(900)
    const { rows: wrong } = await databases.customPlanPool.query(
      `select price from unnest($1::numeric[], $2::text[]) as ends (price, held)
       where deal_places(1, now(), -1::smallint, price, null) && held::bigint[]
         or not deal_places(1, now(), -1::smallint, price - 0.01, null) && held::bigint[]`,
      [ends.map(({ end }) => end.key), ends.map(({ buckets }) => `{${buckets.flat()}}`)],
    )
    expect(wrong).toEqual([])
  })

  test('have no end that could be written down before the year 1 or after 9999', () => {
    expect(windowsFrom(-(2 ** 4) * 950_000, 'newest', page)).toBeUndefined()
    expect(windowsFrom(2 ** 4 * 4_000_000, 'newest', page)).toBeUndefined()
    expect(windowsFrom(2 ** 4 * 2 ** 40, 'newest', page)).toBeUndefined()
  })

  test('are numbered as the database numbers the buckets of prices and times', async () => {
    const prices = Array.from({ length: 3_000 }, (_, at) => (at < 1_500 ? at + 1 : 1.016 ** at))
      .map((cents) => Math.min(Math.round(cents), 999_999_999_999) / 100)
      .concat(0.1, 99.99, 100, 9_999_999_999.99)
    const times = Array.from({ length: 500 }, (_, at) => new Date((at - 100) * 40_000_000 * 11))
    const { rows: right } = await databases.customPlanPool.query<{ buckets: number[] }>(
      `select deal_places(1, coalesce(seen, now()), -1::smallint, coalesce(price, 1), null) as buckets
       from unnest($1::numeric[], $2::timestamptz[]) with ordinality as given (price, seen, at) order by at`,
      [prices, times],
    )
    expect(prices.map(bucketOfPrice)).toEqual(right.slice(0, prices.length).map(({ buckets }) => buckets[2]))
    expect(times.map(bucketOfTime)).toEqual(right.slice(0, times.length).map(({ buckets }) => buckets[0]))
  })

  test('go no further than what is asked for, and know that nothing is left behind it', () => {
    const from = bucketOfPrice(0.5)
    const to5 = windowsFrom(from, 'price', { ...page, last: bucketOfPrice(5) })
    expect(to5?.end).toBeUndefined()
    expect(to5?.buckets.flat().at(-1)).toBe(bucketOfPrice(5))
    expect(windowsFrom(from, 'price', { ...page, last: bucketOfPrice(0.5) })?.buckets).toEqual([[from]])
    expect(windowsFrom(from, 'price', { ...page, last: bucketOfPrice(0.49) })).toBeUndefined()
    expect(windowsFrom(from, 'price', { ...page, last: bucketOfPrice(0) })).toBeUndefined()
    expect(windowsFrom(from, 'price', { ...page, last: bucketOfPrice(1e30) })?.end).toBeDefined()
    const seen = bucketOfTime(new Date('2026-03-04T05:06:07Z'))
    const today = windowsFrom(seen, 'newest', {
      ...page,
      last: bucketOfTime(new Date('2026-03-03T05:06:07Z')),
    })
    expect(today?.end).toBeUndefined()
    expect(today?.buckets.flat()).toHaveLength(2)
  })

  test('take a wide bucket where its deals are few, and narrow ones where they are many', () => {
    const [first, power] = [bucketOfPrice(1), Math.floor(bucketOfPrice(1) / 16 / 90)]
    const [steps, range] = [(power * 9 + 1) * 16 + 6, (power * 4 + 1) * 16 + 7]
    const counted = (ofRange: number, ofSteps: number) =>
      new Map([
        [range, ofRange],
        [steps, ofSteps],
        [first, ofSteps / 2],
      ])
    const taken = (ofRange: number, ofSteps: number) =>
      windowsFrom(first, 'price', { ...page, wanted: 0.01, rare: 0, shares: counted(ofRange, ofSteps) })
        ?.buckets[0]?.[0]
    expect(taken(0.009, 0.005)).toBe(range)
    expect(taken(0.05, 0.005)).toBe(steps)
    expect(taken(0.5, 0.05)).toBe(first)
    // In the middle of a wide bucket it is taken too, since the cursor leaves out what was read of it.
    const inside = windowsFrom(bucketOfPrice(1.5), 'price', {
      ...page,
      wanted: 0.01,
      shares: counted(0.009, 0.005),
    })
    expect(inside?.buckets[0]?.[0]).toBe(range)
  })
})
