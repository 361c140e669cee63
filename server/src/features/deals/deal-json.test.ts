import { type Deal, dealPageSchema } from '@dealdeck/contract/deals'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { findDeal, listDeals } from './queries.ts'
import { readCursor } from './rules.ts'

const databases = await testDatabases()
const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: 'group-21' }
const query = {
  ...{ sort: 'newest' as const, min_price: undefined, max_price: undefined, prime_only: false },
  ...{ search: '', limit: 1 },
}
const pageOf = async (more: object = {}) =>
  dealPageSchema.parse(JSON.parse(await listDeals(databases, { ...query, ...more }, shop)))

/** The deal that is the newest by far, as the list, as one, and as its columns tell of it. */
async function threeTimes(values: Parameters<typeof makeDeal>[1]): Promise<Deal[]> {
  const row = await makeDeal(databases, { first_seen: new Date(), ...values })
  const [listed] = (await pageOf()).items
  const one = await findDeal(databases.customPlanPool, { id: row.id }, false, shop)
  const link = `https://www.amazon.com/dp/${row.asin}?tag=group-21`
  const { id, asin, title, price, original_price, discount_percentage, rating, review_count } = row
  const { image_url, availability, prime_eligible, posted_to_discord, is_sample } = row
  const { brand, category, condition } = row
  const columns: Deal = {
    ...{ id, asin, title, price, original_price, discount_percentage, rating, review_count, image_url },
    ...{ availability, prime_eligible, posted_to_discord, is_sample, brand, category, condition },
    product_url: is_sample ? row.product_url : link,
    first_seen: inUtc(row.first_seen),
    last_updated: inUtc(row.last_updated),
    observed_at: inUtc(row.observed_at),
    ends_at: row.ends_at && inUtc(row.ends_at),
    discord_timestamp: row.discord_timestamp && inUtc(row.discord_timestamp),
    verdict: null,
  }
  if (!listed) throw new Error('nothing listed')
  return [columns, withMilliseconds(listed), withMilliseconds(one)]
}

const inUtc = (time: Date) => time.toISOString()
// The columns come back as dates, which know no microseconds.
const withMilliseconds = (deal: Deal): Deal => ({
  ...deal,
  first_seen: inUtc(new Date(deal.first_seen)),
  last_updated: inUtc(new Date(deal.last_updated)),
  observed_at: inUtc(new Date(deal.observed_at)),
  ends_at: deal.ends_at && inUtc(new Date(deal.ends_at)),
  discord_timestamp: deal.discord_timestamp && inUtc(new Date(deal.discord_timestamp)),
})

test('a deal is told as its columns are, whatever stands in them', async () => {
  // PostgreSQL's texts hold everything but the sign of number zero, and no halves of a pair.
  const unit = fc.oneof(
    fc.constantFrom('"', '\\', '\n', ',\n', '\u2028', '\u0001', '</script>', '{', '手', '🎁', ' '),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
  )
  const text = fc
    .array(unit, { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed())
    .filter((made) => made !== '')
  const cents = fc.integer({ min: 1, max: 999_999_999 }).map((amount) => amount / 100)
  const time = fc.date({ min: new Date('2001-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
  const values = fc.record({
    title: text,
    price: cents,
    original_price: fc.option(cents),
    rating: fc.option(fc.integer({ min: 0, max: 50 }).map((tenths) => tenths / 10)),
    review_count: fc.option(fc.nat(2_147_483_647)),
    image_url: fc.option(text),
    brand: fc.option(text),
    category: fc.option(text),
    condition: fc.option(fc.constantFrom('new' as const, 'renewed' as const, 'used' as const)),
    availability: text,
    product_url: text,
    prime_eligible: fc.boolean(),
    posted_to_discord: fc.boolean(),
    discord_timestamp: fc.option(time),
    last_updated: time,
    observed_at: time,
    ends_at: fc.option(time),
    is_sample: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(values, async (given) => {
      const [columns, listed, one] = await threeTimes(given)
      expect(listed).toEqual(columns)
      expect(one).toEqual(columns)
    }),
    { numRuns: 200 },
  )
})

test('a changed deal is told anew, in UTC whatever the settings of who wrote it', async () => {
  const { id } = await makeDeal(databases, { title: 'Moved kettle' })
  const client = await databases.durablePool.connect()
  try {
    await client.query("begin; set local timezone = 'Asia/Kathmandu'; set local datestyle = 'German'")
    await client.query(
      `update deals set price = 3.5, original_price = 7, last_updated = '2026-03-01 05:45:00.123456' where id = $1`,
      [id],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
  expect(await findDeal(databases.customPlanPool, { id }, false, shop)).toMatchObject({
    ...{ price: 3.5, original_price: 7, discount_percentage: 50 },
    last_updated: '2026-03-01T00:00:00.123456Z',
  })
})

test('pages of one deal each follow one another to the microsecond', async () => {
  const { rows } = await databases.durablePool.query<{ id: number }>(
    `insert into deals (asin, title, title_folded, price, product_url, availability, first_seen)
     select 'B1' || lpad(n::text, 8, '0'), 'mote', 'mote', 1, 'x', 'In stock',
       timestamptz '2036-01-01 00:00:00Z' + n % 3 * interval '1 microsecond' from generate_series(1, 9) n
     returning id`,
  )
  const seen: number[] = []
  for (let cursor: string | null = null; seen.length < rows.length; ) {
    const place: object = cursor === null ? {} : { cursor: readCursor(cursor, 'newest') }
    const page = await pageOf(place)
    seen.push(...page.items.map((deal) => deal.id))
    cursor = page.next_cursor
  }
  expect(seen.toSorted((a, b) => a - b)).toEqual(rows.map((row) => row.id))
})
