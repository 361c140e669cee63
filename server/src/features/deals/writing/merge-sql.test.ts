import { Readable } from 'node:stream'
import type { Deal } from '@dealdeck/contract/deals'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { listPrices } from '../../prices/queries.ts'
import { findDeal } from '../queries.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const shop = { marketplace, affiliateTag: '' }
const pool = databases.customPlanPool
let now = new Date('2026-06-01T00:00:00Z')

async function importRows(rows: readonly object[]) {
  const options = { ...{ dry_run: false, map: '', availability: '' }, source: 'test', limits: sentBodies }
  const body = Readable.from([Buffer.from(JSON.stringify(rows))])
  return importBody({ databases, marketplace, clock: () => now }, body, options)
}

async function idOf(asin: string): Promise<number> {
  const { rows } = await pool.query('select id from deals where asin = $1', [asin])
  return rows[0].id
}

/** A deal as the interface tells it, but for what no two deals have in common. */
async function told(asin: string): Promise<Partial<Deal>> {
  const {
    id: _,
    asin: __,
    product_url: ___,
    last_updated: ____,
    ...deal
  } = await findDeal(pool, { asin }, true, shop)
  return deal
}
/** Its points, without how long each held and who said so, which depends on the pieces. */
const prices = async (asin: string) =>
  (await listPrices(pool, await idOf(asin), { includeHidden: true, now, marketplace })).map(
    ({ price, original_price, seen_at }) => ({
      ...{ price, original_price, seen_at },
    }),
  )

const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString()

/** One sight of a history: what never changes may be left out of it. */
const sight = fc.record({
  price: fc.integer({ min: 5, max: 7 }),
  original: fc.option(fc.integer({ min: 9, max: 10 })),
  availability: fc.constantFrom('In stock', 'Only 3 left', ''),
  rating: fc.constantFrom(4.5, null),
  brand: fc.constantFrom('Acme', null),
  image: fc.constantFrom('https://m.media-amazon.com/images/I/a.jpg', ''),
  state: fc.constantFrom('active', 'expired', ''),
  first_seen: fc.option(fc.integer({ min: -9, max: 9 })),
})
type Sight = typeof sight extends fc.Arbitrary<infer S> ? S : never

const rowOf = (asin: string, { original, first_seen, ...rest }: Sight, at: number) => ({
  ...{ asin, title: `Copper kettle, day ${at}`, ...rest },
  original_price: original,
  first_seen: first_seen === null ? null : day(first_seen),
  scraped_at: day(at),
})

test('pieces of a history, in any order, come to the same deal as the whole', async () => {
  const history = fc.array(fc.tuple(sight, fc.nat(3), fc.nat()), { minLength: 1, maxLength: 7 })
  await fc.assert(
    fc.asyncProperty(history, async (given) => {
      const [whole, pieced] = [nextAsin(), nextAsin()]
      await importRows(given.map(([one], at) => rowOf(whole, one, at)))
      const pieces = Map.groupBy([...given.entries()], ([, [, piece]]) => piece)
      for (const rows of pieces.values()) {
        const shuffled = rows.toSorted(([, [, , one]], [, [, , other]]) => one - other)
        await importRows(shuffled.map(([at, [one]]) => rowOf(pieced, one, at)))
      }
      const [expected, found] = [await told(whole), await told(pieced)]
      expect(found).toEqual(expected)
      const [all, some] = [await prices(whole), await prices(pieced)]
      expect(some[0]).toEqual(all[0])
      expect(some.at(-1)).toMatchObject({ price: all.at(-1)?.price })
      const stated = given.map(([one], at) => `${day(at).slice(0, 10)} ${pricedAt(one)}`)
      for (const { seen_at, price } of some) expect(stated).toContain(`${seen_at.slice(0, 10)} ${price}`)
      for (const [at, point] of some.entries()) expect(point).not.toMatchObject(priceOf(some[at - 1]))
    }),
    { numRuns: 40 },
  )
})
/** Null where it was not offered. */
const pricedAt = ({ price, availability, state }: Sight) =>
  availability === '' || state === 'expired' ? null : price
const priceOf = (point: { price: number | null; original_price: number | null } | undefined) =>
  point ? { price: point.price, original_price: point.original_price } : { price: -1 }

test('three sights come to the same prices in whatever order they are heard of', async () => {
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]
  const price = fc.integer({ min: 5, max: 6 })
  await fc.assert(
    fc.asyncProperty(fc.tuple(price, price, price), fc.constantFrom(...orders), async (given, order) => {
      const [whole, single] = [nextAsin(), nextAsin()]
      const row = (asin: string, at: number) => ({
        ...{ asin, title: 'Copper kettle', availability: 'In stock' },
        ...{ price: given[at], scraped_at: day(at) },
      })
      await importRows([0, 1, 2].map((at) => row(whole, at)))
      for (const at of order) await importRows([row(single, at)])
      expect(await prices(single)).toEqual(await prices(whole))
    }),
    { numRuns: 30 },
  )
})

test('a deal is known since the earliest of what the row says, when it was observed and what is stored', async () => {
  const asin = nextAsin()
  const row = { asin, title: 'Copper kettle', price: 20, availability: 'In stock' }
  await importRows([{ ...row, scraped_at: day(5) }])
  expect(await told(asin)).toMatchObject({
    first_seen: '2026-01-06T00:00:00Z',
    observed_at: '2026-01-06T00:00:00Z',
  })
  await importRows([{ ...row, scraped_at: day(7), first_seen: day(3) }])
  expect(await told(asin)).toMatchObject({
    first_seen: '2026-01-04T00:00:00Z',
    observed_at: '2026-01-08T00:00:00Z',
  })
  await importRows([row])
  expect(await told(asin)).toMatchObject({
    first_seen: '2026-01-04T00:00:00Z',
    observed_at: '2026-06-01T00:00:00Z',
  })
})

test('a sight of unchanged values moves when it was observed, and with it what is told of the list', async () => {
  const asin = nextAsin()
  const row = { asin, title: 'Copper kettle', price: 20, availability: 'In stock' }
  const revision = async () => (await pool.query('select revision from feed_state')).rows[0].revision
  await importRows([row])
  const before = await revision()
  now = new Date(now.getTime() + 1_800_000)
  expect(await importRows([row])).toMatchObject({ unchanged: 1 })
  expect(await revision()).toBe(before)
  now = new Date(now.getTime() + 3_600_000)
  expect(await importRows([row])).toMatchObject({ unchanged: 1 })
  expect(await told(asin)).toMatchObject({ observed_at: '2026-06-01T01:30:00Z' })
  // Nobody is told of a deal, but pages made before count no longer.
  const { rows } = await pool.query('select * from feed_events where revision > $1', [before])
  expect(rows).toMatchObject([{ revision: before + 1, added: [], changed: [], removed: [] }])
})
