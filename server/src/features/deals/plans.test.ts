import { dealPageSchema } from '@dealdeck/contract/deals'
import { parseQuestion } from '@dealdeck/query/parsing'
import { beforeAll, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { findPlan, listDeals, pageStatement } from './queries.ts'
import { type Cursor, readCursor } from './rules.ts'
import { narrowed } from './searching/asking.ts'
import type { FeedQuery } from './searching/conditions.ts'
import type { PagePlan } from './searching/plan.ts'

const databases = await testDatabases()
const rows = 60_000
const now = new Date('2026-03-04T05:06:07Z')
const plain = {
  ...{ min_price: undefined, max_price: undefined, prime_only: false, search: '', limit: 50 },
} satisfies Omit<FeedQuery, 'sort'>
const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }

// Words of one title in 1, 4, 50, 1,000 and 20,000; prices, discounts and times in no order of the rows.
const fill = `
  insert into deals (asin, title, title_folded, price, original_price, product_url, availability, prime_eligible,
    first_seen, last_updated, discord_timestamp, rating, best_order, verdict)
  select 'B0' || lpad(n::text, 8, '0'), title, title, price, case when n % 5 < 3 then price * (1 + n % 13 * 0.1) + 0.01 end,
    'https://www.amazon.com/dp/B0' || lpad(n::text, 8, '0'), case when n % 33 > 0 then 'In stock' end, n % 5 < 2,
    $1::timestamptz - make_interval(secs => n * 7919 % 5000000), $1::timestamptz - make_interval(secs => n * 104729 % 5000000),
    case when n % 10 < 3 then $1::timestamptz - make_interval(secs => n * 611953 % 5000000) end,
    case when n % 7 > 0 then (n * 31 % 51) / 10.0 end,
    case when n % 3 > 0 then best else -999999999.99 end, case when n % 3 > 0 then replace('{"kind":"usual","short":"","best":0,"under_typical":null,"low_days":null,"drop":null,"dropped_at":null,"sparkline":""}', ':0,', ':' || best || ',') end
  from generate_series(1::bigint, ${rows}) n, lateral (select (1 + (n * 7907 % 9973)::numeric ^ 2 / 1000000)::numeric(12, 2) as price,
    (n * 7451 % 9001 - 3000)::numeric / 100 as best) p,
    lateral (select 'handy thing ' || substr(md5(n::text), 1, 12) || case when n % 4 = 0 then ' kitchen' else '' end
      || case when n % 50 = 7 then ' lantern' else '' end || case when n % 1000 = 11 then ' quilted' else '' end
      || case when n % 20000 = 13 then ' xylophone' else '' end as title) t`

beforeAll(async () => {
  await databases.durablePool.query(fill, [now])
  await databases.durablePool.query('vacuum (analyze) deals')
})

const sorts = ['newest', 'discount', 'price', 'discord', 'updated', 'best'] as const
const searches = [
  '',
  'handy',
  'kitchen',
  'lantern',
  'quilted',
  'xylophone',
  'nowhere to be found',
  'nt',
  'ünknown',
]
const filters: Record<string, Partial<FeedQuery>> = {
  'no filter': {},
  'max_price 5': { max_price: 5 },
  'max_price 30': { max_price: 30 },
  'min_price 20': { min_price: 20 },
  'prime only': { prime_only: true },
  'prime only to 5': { prime_only: true, max_price: 5 },
  today: { seenSince: new Date('2026-03-03T18:15:00Z') },
  'half price': { min_discount: 50 },
  'half price, most of them prime': { min_discount: 50, prime_only: true, max_price: 30 },
  'at any discount': { discounted_only: true },
  'rated well': { min_rating: 4.5 },
  'last 24 hours': { updatedSince: new Date('2026-03-03T05:06:00Z') },
}

/** The plan of what a page is asked by, on the pool it is asked on. */
async function planOf(query: FeedQuery): Promise<string> {
  const { pool, text, values } = pageStatement(await findPlan(databases, query), query, shop, true)
  const { rows: lines } = await databases[pool].query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

/** Of an answer whose deals other tests read: checking a thousand of them costs more than asking for them. */
const cursorSchema = dealPageSchema.pick({ next_cursor: true })

const combinations = Object.entries(filters).flatMap(([name, filter]) =>
  searches.map((search) => ({
    name: search === '' ? name : `${name}, '${search}'`,
    filter: { ...plain, ...filter, search },
  })),
)

test.each(combinations)('no page reads the whole table: $name', async ({ filter }) => {
  for (const sort of sorts) {
    const query: FeedQuery = { ...filter, sort }
    const plans = [await planOf(query)]
    const page = await listDeals(databases, { ...query, limit: 1000 }, shop)
    const { next_cursor } = cursorSchema.parse(JSON.parse(page))
    if (next_cursor !== null) plans.push(await planOf({ ...query, cursor: readCursor(next_cursor, sort) }))
    for (const plan of plans) expect(plan, `${sort}\n${plan}`).not.toContain('Seq Scan')
  }
})

// Those that memory leaves to the database, also where few deals are meant.
const askedOfDatabase = [
  ...['price:99..99.1', 'price:>99', 'off:>=30', 'off:>=99', 'prime:yes', 'new:<=2m', 'new:today'],
  ...['updated:<=2m', 'updated:today', 'asin:B000001234', 'asin:B00000123', 'is:hidden', '-is:hidden'],
]
test.each(askedOfDatabase)('a question about one field never reads the whole table: %s', async (text) => {
  const { question, problems } = parseQuestion(text, { isAdministrator: true })
  expect(problems).toEqual([])
  for (const sort of sorts) {
    const moment = { now: now.getTime(), midnight: now.getTime() - 3_600_000 }
    const plan = await planOf(narrowed({ ...plain, sort }, question.condition, moment))
    expect(plan, `${sort}\n${plan}`).not.toContain('Seq Scan')
  }
})

test('every sort walks its own index and stops after the page', async () => {
  for (const sort of sorts) {
    const plan = await planOf({ ...plain, sort })
    expect(plan).toMatch(new RegExp(`Index Scan( Backward)? using deals_${sort}`))
    expect(plan).not.toContain('Sort')
  }
})

const bounds: Record<string, Partial<FeedQuery>> = {
  'to a price': { max_price: 20.37 },
  'between prices': { min_price: 10.5, max_price: 60 },
  'from a discount': { min_discount: 20 },
  discounted: { discounted_only: true },
  'since a day': { seenSince: new Date('2026-01-20T18:15:00Z') },
}
const cases: [name: string, bound: Partial<FeedQuery>, search: string, kind?: PagePlan['kind']][] = [
  ['a common one', {}, 'lantern', 'sort-scan'],
  ['a rare one', {}, 'quilted', 'postings'],
  ...Object.entries(bounds).map(([name, bound]): (typeof cases)[number] => [name, bound, 'lantern']),
]
test.each(cases)(
  'all pages of a word are all of its deals, each once and in order: %s',
  async (_, bound, search, kind) => {
    const keys = {
      newest: 'first_seen desc',
      discount: 'discount_order desc',
      price: 'price',
      discord: 'discord_order desc',
      updated: 'last_updated desc',
      best: 'best_order desc',
    }
    for (const sort of sorts) {
      const query: FeedQuery = { ...plain, ...bound, sort, search }
      const plan = await findPlan(databases, query)
      expect(plan.kind, sort).toBe(kind ?? plan.kind)
      const { rows: right } = await databases.durablePool.query<{ id: number }>(
        `select id from deals where is_visible and strpos(title, $5) > 0 and price between $1 and $2 and first_seen >= $3 and discount_order >= $4
         order by ${keys[sort]}, id ${sort === 'price' ? 'asc' : 'desc'}`,
        [
          bound.min_price ?? 0,
          bound.max_price ?? 1e9,
          bound.seenSince ?? '-infinity',
          bound.min_discount ?? (bound.discounted_only ? 0 : -1),
          search,
        ],
      )
      expect(right.length).toBeGreaterThan(50)
      const seen: number[] = []
      for (let cursor: Cursor | undefined; ; ) {
        const page = dealPageSchema.parse(JSON.parse(await listDeals(databases, { ...query, cursor }, shop)))
        seen.push(...page.items.map(({ id }) => id))
        if (page.next_cursor === null) break
        cursor = readCursor(page.next_cursor, sort)
      }
      expect(seen, sort).toEqual(right.map(({ id }) => id))
    }
  },
)

test('hidden deals are found by their index, in every sort, where they are half of all too', async () => {
  await databases.durablePool.query('update deals set hidden_at = now() where id % 2 = 0')
  await databases.durablePool.query('vacuum (analyze) deals')
  const { question } = parseQuestion('is:hidden', { isAdministrator: true })
  const moment = { now: now.getTime(), midnight: now.getTime() }
  for (const sort of sorts) {
    const query = narrowed({ ...plain, sort }, question.condition, moment)
    const plan = await planOf(query)
    expect(plan, `${sort}\n${plan}`).toContain('deals_hidden')
    expect(plan, `${sort}\n${plan}`).not.toContain('Seq Scan')
    const page = dealPageSchema.parse(JSON.parse(await listDeals(databases, query, shop)))
    expect(page.items).toHaveLength(plain.limit)
    const shown = 'select from deals where is_visible and id = any($1)'
    const { rowCount } = await databases.customPlanPool.query(shown, [page.items.map(({ id }) => id)])
    expect(rowCount).toBe(0)
  }
})
