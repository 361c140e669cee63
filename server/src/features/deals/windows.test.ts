import type { DealSort } from '@dealdeck/contract/deals'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { dealPlaces } from './rules.ts'
import { type FeedQuery, feedQuery } from './searching/statements.ts'
import { wayOfSearch, windowsFrom } from './searching/windows.ts'

const databases = await testDatabases()
const rows = 2_000
const stretch = 2 ** 16
/** Nobody has counted these deals' places; windows of one place, and of some. */
const page = { wanted: 0.001, shares: new Map<number, number>() }
const widePage = { ...page, wanted: 0.05 }

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
  await databases.writePool.query(fill)
  await databases.writePool.query('analyze deals')
})

type Row = {
  id: number
  title: string
  is_visible: boolean
  prime_eligible: boolean
  price: number
  places: number[]
  keys: Record<DealSort, string>
}

/** All deals in the order of a sort, as the database sorts them without any index. */
async function sorted(sort: DealSort): Promise<Row[]> {
  const orders = {
    newest: 'first_seen desc, id desc',
    discount: 'discount_order desc, id desc',
    price: 'price, id',
    discord: 'discord_order desc, id desc',
  }
  const utc = `at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  const { rows: all } = await databases.writePool.query<Row>(
    `select id, title, is_visible, prime_eligible, price, ${dealPlaces} as places, json_build_object(
       'newest', to_char(first_seen ${utc}, 'discount', discount_order::text, 'price', price::text,
       'discord', case when discord_timestamp is null then '-infinity' else to_char(discord_timestamp ${utc} end) as keys
     from deals order by ${orders[sort]}`,
  )
  return all
}

const sorts = ['newest', 'discount', 'price', 'discord'] as const
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
      const windows = windowsFrom(next.places[sorts.indexOf(sort)] ?? 0, sort, at % 2 === 0 ? page : widePage)
      if (!windows) continue
      const right = all.slice(at + 1).filter((row) => passes(row, query))
      const held = new Set(windows.places.flat())
      for (const rest of ['walk', 'fetch', undefined] as const) {
        const inReach = rest ? right : right.filter((row) => held.has(row.places[sorts.indexOf(sort)] ?? 0))
        const { rows: found } = await databases.readPool.query<{ id: number }>(
          feedQuery(
            {
              ...query,
              cursor: last && { sort, key: last.keys[sort], id: last.id },
              words: { words, windows, rest },
            },
            'id',
          ),
        )
        pages++
        expect(
          found.map(({ id }) => id),
          `${sort} '${search}' after ${at}`,
        ).toEqual(inReach.slice(0, limit + 1).map(({ id }) => id))
      }
    }
  }
  return pages
}

describe.each(sorts)('a search through windows, by %s', (sort) => {
  test.each(filters)('finds what the whole table has: %j', async (filter) => {
    for (const limit of [3, 60]) expect(await compare(sort, filter, limit)).toBeGreaterThan(20)
  })

  test('also after deals have moved to other places', async () => {
    await databases.writePool.query(
      `update deals set price = price + 3.01, original_price = case when id % 3 = 0 then price * 1.5 + 4 end,
         discord_timestamp = case when id % 4 > 0 then first_seen end, availability = case when id % 9 > 0 then 'There' end
       where id % 2 = 0 and price < 1000`,
    )
    expect(await compare(sort, {}, 20)).toBeGreaterThan(20)
  })
})

describe('the windows of a sort', () => {
  test.each(sorts)('from each place end right before the deals they leave out: %s', async (sort) => {
    const all = await sorted(sort)
    const placeOf = (row: Row) => row.places[sorts.indexOf(sort)] ?? 0
    const everything = { sort, search: '', limit: rows, prime_only: false, includeHidden: true }
    for (const [at, row] of all.entries()) {
      const before = all[at - 1]
      const windows = windowsFrom(placeOf(row), sort, page)
      if (!windows || (before && placeOf(before) === placeOf(row))) continue
      const held = new Set(windows.places.flat())
      const right = all.slice(at).filter((deal) => !held.has(placeOf(deal)))
      const { rows: behind } = await databases.readPool.query<{ id: number }>(
        feedQuery({ ...everything, cursor: windows.edge, min_price: undefined, max_price: undefined }, 'id'),
      )
      expect(
        behind.map(({ id }) => id),
        `from ${placeOf(row)}`,
      ).toEqual(right.map(({ id }) => id))
    }
  })

  test('end at the price with which the next step begins', async () => {
    // From a cent to the most the column holds; the windows of a place end some dozens of steps on.
    const ends = Array.from({ length: 150 }, (_, at) => windowsFrom((37 + at) * 8 + 3, 'price', page)).filter(
      (windows) => windows !== undefined,
    )
    expect(ends.length).toBeGreaterThan(90)
    const next = ends.map(({ places }) => (places.at(-1)?.at(-1) ?? 0) + 8)
    const { rows: wrong } = await databases.readPool.query(
      `select * from unnest($1::numeric[], $2::bigint[]) as ends (price, place)
       where (deal_places(1, now(), -1::smallint, price, null))[3] < place
         or (deal_places(1, now(), -1::smallint, price - 0.01, null))[3] >= place`,
      [ends.map(({ edge }) => edge.key), next],
    )
    expect(wrong).toEqual([])
  })

  test('have no end that could be written down before the year 1 or after 9999', () => {
    expect(windowsFrom(-(2 ** 3) * 950_000, 'newest', page)).toBeUndefined()
    expect(windowsFrom(2 ** 3 * 4_000_000, 'newest', page)).toBeUndefined()
    expect(windowsFrom(2 ** 3 * 2 ** 40, 'newest', page)).toBeUndefined()
  })
})

test.each([
  ['a rare word fetches its deals', { rarest: 600, together: 600 }, 'fetch'],
  ['a word of the middle looks in windows', { rarest: 5_000, together: 5_000 }, 'look'],
  ['a common word walks', { rarest: 80_000, together: 80_000 }, 'walk'],
  [
    'a filter that leaves little out of a common word still walks',
    { rarest: 80_000, together: 80_000, filtered: 400_000 },
    'walk',
  ],
  [
    'with all deals in one place there is nothing to look through',
    { rarest: 8_000, together: 8_000, share: 1 },
    'walk',
  ],
  ['common pieces that hardly stand together are looked for first', { rarest: 20_000, together: 30 }, 'look'],
] as const)('%s', (_, estimates, way) => {
  const million = { all: 1_000_000, filtered: 1_000_000, share: 0.01, words: 1 }
  expect(wayOfSearch({ ...million, ...estimates }).way).toBe(way)
})
