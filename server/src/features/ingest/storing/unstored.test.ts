import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { importBody } from '../actions.ts'
import { sentBodies } from '../reading/limits.ts'
import { mostUnstored } from './staging.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const now = new Date('2026-06-01T00:00:00Z')

/** So many rows of other items that the whole body goes through a table. */
const padding = Array.from({ length: mostUnstored }, (_, at) => ({
  ...{ asin: nextAsin(), title: `Padding ${at}`, price: 3, availability: 'In stock' },
}))

async function importRows(rows: readonly object[], isDry = false) {
  const options = { ...{ dry_run: isDry, map: '', availability: '' }, source: 'test', limits: sentBodies }
  const body = Readable.from([Buffer.from(JSON.stringify(rows))])
  return importBody({ databases, marketplace, clock: () => now }, body, options)
}

const texts = fc.constantFrom('Lamp', 'a\\b "c"', "O'Neil \\N {x}", 'Ünïcode 灯 lamp', 'tab\there\\t', '\\')
const sights = fc.record({
  title: texts.map((text) => `${text} lamp`),
  price: fc.integer({ min: 5, max: 7 }),
  original_price: fc.option(fc.integer({ min: 9, max: 10 })),
  availability: fc.constantFrom('In stock', 'Only 3 left', ''),
  rating: fc.option(fc.constantFrom(4.5, 3)),
  brand: fc.option(texts),
  prime: fc.boolean(),
  scraped_at: fc.integer({ min: 1, max: 9 }).map((day) => `2026-05-0${day}T00:00:00Z`),
})

/** What is stored of an item, but for what no two items have in common. */
async function stored(asin: string): Promise<unknown[]> {
  const { rows } = await databases.customPlanPool.query(
    `select to_jsonb(d) - array['id', 'asin', 'last_updated', 'product_url', 'deal_json'] as deal,
       (select jsonb_agg(to_jsonb(p) - array['deal_id', 'import_id'] order by seen_at) from price_points p where deal_id = d.id) as points
     from deals d where asin = $1`,
    [asin],
  )
  return rows
}

test('a few rows that go along with the statements come to the same deals as in a table', async () => {
  await importRows(padding)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(sights, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      async (bodies) => {
        const [few, many] = [nextAsin(), nextAsin()]
        for (const rows of bodies) {
          const alone = rows.map((row) => ({ ...row, asin: few }))
          const padded = [...rows.map((row) => ({ ...row, asin: many })), ...padding]
          for (const isDry of [true, false]) {
            const [one, other] = [await importRows(alone, isDry), await importRows(padded, isDry)]
            const { created, updated, superseded, rejected_total: rejected } = one
            expect(other).toMatchObject({ created, updated, superseded, rejected_total: rejected })
            expect(other.unchanged).toBe(one.unchanged + padding.length)
          }
        }
        expect(await stored(few)).toEqual(await stored(many))
      },
    ),
    { numRuns: 40 },
  )
})
