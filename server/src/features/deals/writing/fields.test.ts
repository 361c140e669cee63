import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { findDeal } from '../queries.ts'
import { type dealFields, fieldNames, stagedColumns } from './fields.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})

/** Two values of each field, as a row states them and as they are stored. */
const values: Record<keyof typeof dealFields, [unknown, unknown]> = {
  title: ['Copper kettle', 'Copper kettle, large'],
  brand: ['Acme', 'Bolt'],
  category: ['Home > Kitchen', 'Home > Garden'],
  condition: ['new', 'used'],
  price: [20, 21.5],
  original_price: [30, 31.25],
  rating: [4.1, 4.2],
  review_count: [100, 101],
  image_url: ['https://pictures.example/a.jpg', 'https://pictures.example/b.jpg'],
  availability: ['In stock', 'Only 3 left'],
  prime_eligible: [false, true],
  posted_to_discord: [false, true],
  discord_timestamp: ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:06.000Z'],
  ends_at: ['2051-01-02T03:04:05.000Z', '2051-01-02T03:04:06.000Z'],
}
const before = Object.fromEntries(fieldNames.map((name) => [name, values[name][0]]))

async function importRow(row: Record<string, unknown>) {
  const options = { ...{ dry_run: false, map: '', availability: '' }, source: 'test', limits: sentBodies }
  const body = Readable.from([Buffer.from(JSON.stringify([row]))])
  return importBody({ databases, marketplace, clock: () => new Date() }, body, options)
}

async function stored(asin: string): Promise<Record<string, unknown>> {
  const { rows } = await databases.customPlanPool.query('select * from deals where asin = $1', [asin])
  // As JSON has them: times as texts.
  const row = JSON.parse(JSON.stringify(rows[0]))
  return Object.fromEntries(fieldNames.map((name) => [name, row[name]]))
}

test.each(fieldNames)('%s alone is enough to change a deal, and arrives', async (name) => {
  const asin = nextAsin()
  expect(await importRow({ asin, ...before })).toMatchObject({ created: 1, rejected: [] })
  expect(await stored(asin)).toEqual(before)
  const after = { ...before, [name]: values[name][1] }
  expect(await importRow({ asin, ...after })).toMatchObject({ updated: 1, rejected: [] })
  expect(await stored(asin)).toEqual(after)
  expect(await importRow({ asin, ...after })).toMatchObject({ unchanged: 1 })
})

test.each(fieldNames)('%s written by a statement of its own is told to readers at once', async (name) => {
  const asin = nextAsin()
  await importRow({ asin, ...before })
  const [, after] = values[name]
  const { rows } = await databases.durablePool.query(
    `update deals set ${name} = $1 where asin = $2 returning id`,
    [after, asin],
  )
  const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
  const deal = await findDeal(databases.customPlanPool, { id: rows[0].id }, true, shop)
  // The database leaves out a fraction of nothing.
  expect(deal[name]).toBe(typeof after === 'string' ? after.replace('.000Z', 'Z') : after)
})

test('every column of deals is written from its field, or is one of those an import makes itself', async () => {
  const { rows } = await databases.customPlanPool.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = 'deals' and is_generated = 'NEVER'`,
  )
  const made = [
    'id',
    'asin',
    'title_folded',
    'product_url',
    'first_seen',
    'last_updated',
    'observed_at',
    'ended_at',
  ]
  const others = [
    ...['verdict', 'verdict_kind', 'best_order', 'under_typical', 'low_days', 'price_drop', 'dropped_at'],
    'is_blacklisted',
    'is_over',
    'hidden_at',
    'is_visible',
    'is_sample',
    'deal_json',
    'json_version',
  ]
  expect(rows.map(({ name }) => name).sort()).toEqual([...made, ...others, ...fieldNames].sort())
  expect(new Set(stagedColumns.map(({ name }) => name)).size).toBe(stagedColumns.length)
})
