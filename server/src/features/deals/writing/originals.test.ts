import { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal, nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { originalClearing } from '../jobs.ts'
import { listDeals } from '../queries.ts'

const databases = await testDatabases()
const { durablePool, customPlanPool } = databases
const { MARKETPLACE: marketplace } = readSettings({})

/** The prices of the deals by their discount, the largest first, with their original prices. */
async function byDiscount(): Promise<[number, number | null][]> {
  const query = { sort: 'discount' as const, prime_only: false, search: '', limit: 50 }
  const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
  const page: { items: { price: number; original_price: number | null }[] } = JSON.parse(
    await listDeals(databases, query, shop),
  )
  return page.items.map(({ price, original_price }) => [price, original_price])
}

async function importRows(...rows: object[]): Promise<void> {
  const stated = rows.map((row) => ({ title: 'Folding lantern', availability: 'In stock', ...row }))
  const options = { dry_run: false, map: '', availability: '', source: 'test', limits: sentBodies }
  const body = Readable.from([Buffer.from(JSON.stringify(stated))])
  await importBody({ databases, marketplace, clock: () => new Date() }, body, options)
}

async function work(): Promise<number> {
  const kind = originalClearing({ databases })
  const due = await kind.due()
  for (const payload of due) await kind.run(payload, new AbortController().signal)
  return due.length
}

beforeEach(() => durablePool.query('truncate deals, price_points'))

test('an original above a hundred times the price leads no list, whichever import its parts come from', async () => {
  const asin = nextAsin()
  await importRows(
    { asin, price: 60_000, original_price: 99_999.99 },
    { asin: nextAsin(), price: 0.01, original_price: 99_999.99 },
  )
  await importRows(
    { asin: nextAsin(), price: 10, original_price: 20 },
    { asin: nextAsin(), price: 1, original_price: 95 },
  )
  // Only the price, as a script that follows prices sends it.
  await importRows({ asin, price: 0.01 })
  expect(await byDiscount()).toEqual([
    [1, 95],
    [10, 20],
    [0.01, null],
    [0.01, null],
  ])
  await importRows({ asin, price: 50_000 })
  expect(await work()).toBe(0)
})

test('those stored before are taken away with an event, those up to a hundred times stay', async () => {
  const absurd = await makeDeal(databases, { price: 0.01, original_price: 99_999.99 })
  await makeDeal(databases, { price: 1, original_price: 101 })
  await makeDeal(databases, { price: 1, original_price: 100 })
  await makeDeal(databases, { price: 10, original_price: 20 })
  expect((await byDiscount())[0]).toEqual([0.01, 99_999.99])
  expect(await work()).toBe(1)
  expect(await byDiscount()).toEqual([
    [1, 100],
    [10, 20],
    [1, null],
    [0.01, null],
  ])
  const { rows } = await customPlanPool.query(
    'select changed from feed_events order by revision desc limit 1',
  )
  expect(rows[0].changed).toContain(absurd.id)
  expect(await work()).toBe(0)
})
