import { Readable } from 'node:stream'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsin } from '../../../testing/factories.ts'
import { importBody } from './actions.ts'
import { sentBodies } from './reading/limits.ts'

const databases = await testDatabases()
const marketplace = marketplaceByDomain('amazon.com')
if (!marketplace) throw new Error('amazon.com is a marketplace')
const deps = { databases, marketplace, clock: () => new Date('2026-05-01T12:00:00Z') }

function importText(text: string, dry_run = false) {
  const options = { dry_run, map: '', availability: 'In stock', source: 'test', limits: sentBodies }
  return importBody(deps, Readable.from([Buffer.from(text)]), options)
}

test('a value that somebody filled in for original prices is withdrawn from all rows, the first ones too', async () => {
  const rows = Array.from({ length: 400 }, (_, at) => ({
    asin: nextAsin(),
    title: 'Enamel mug',
    price: 10 + (at % 40),
    list_price: at % 4 === 0 ? 90 + (at % 8) : 29.99,
  }))
  const { notes } = await importText(rows.map((row) => JSON.stringify(row)).join('\n'))
  const stored = await databases.db.selectFrom('deals').select(['asin', 'original_price']).execute()
  const originals = new Map(stored.map(({ asin, original_price }) => [asin, original_price]))
  expect(rows.map(({ asin }) => originals.get(asin) ?? null)).toEqual(
    rows.map(({ list_price }) => (list_price === 29.99 ? null : list_price)),
  )
  expect(notes).toEqual([
    expect.stringMatching(
      /^Original prices not believed: \d+, filled-in value \(29\.99, also at prices above it\)\.$/,
    ),
  ])
})

test('an original price that other rows show to be of a unit is withdrawn from the rows with that quantity alone', async () => {
  const bodies = [
    { title: 'Olive oil 750 ml', price: 7.5, list_price: 10 },
    { title: 'Folding lantern', price: 7.5, list_price: 10 },
    { title: 'Crisps, 150 g', price: 1.99, list_price: 13.27 },
  ].map((row) => ({ asin: nextAsin(), ...row }))
  const text = bodies.map((row) => JSON.stringify(row)).join('\n')
  expect((await importText(text)).notes).toEqual([
    'Original prices not believed: 2, price of a unit (a kilogram or litre, not the item).',
  ])
  const stored = await databases.db.selectFrom('deals').select(['asin', 'original_price']).execute()
  const originals = new Map(stored.map(({ asin, original_price }) => [asin, original_price]))
  expect(bodies.map(({ asin }) => originals.get(asin))).toEqual([null, 10, null])
})

test('the numbers of an import add up, whatever the body holds', async () => {
  const asins = Array.from({ length: 6 }, () => nextAsin())
  const cell = fc.oneof(
    fc.constantFrom<unknown>(null, '', '2 for $30', '$5.00', 'Save $5', '15% off', '€7', 12.5, -1, 0, 1e9),
    fc.string({ maxLength: 12 }),
    fc.double(),
  )
  const row = fc.record(
    {
      asin: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...asins) }, cell),
      title: fc.oneof({ weight: 4, arbitrary: fc.constant('Enamel mug') }, cell),
      price: fc.oneof({ weight: 2, arbitrary: fc.integer({ min: 1, max: 9_000 }) }, cell),
      list_price: cell,
      betrag: cell,
      scraped_at: fc.oneof(fc.constantFrom('2026-04-30T10:00:00Z', '2026-04-29T10:00:00Z'), cell),
    },
    { requiredKeys: ['asin'] },
  )
  const line = fc.oneof(
    { weight: 9, arbitrary: row.map((value) => JSON.stringify(value)) },
    fc.constant('{"a":'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 25 }), fc.boolean(), async (lines, isDry) => {
      const result = await importText(`{"asin":"${asins[0]}"}\n${lines.join('\n')}`, isDry)
      const { created, updated, unchanged, superseded, rejected_total, rejected_by_reason } = result
      expect(result.received).toBe(lines.length + 1)
      expect(created + updated + unchanged + superseded + rejected_total).toBe(result.received)
      expect(Object.values(rejected_by_reason).reduce((sum, count) => sum + count, 0)).toBe(rejected_total)
    }),
    { numRuns: 60 },
  )
})
