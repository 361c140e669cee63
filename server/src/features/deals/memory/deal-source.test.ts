import { Readable } from 'node:stream'
import { sortNames } from '@dealdeck/query/fields'
import fc from 'fast-check'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { plain } from '../../../../testing/asked-deals.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { readSettings } from '../../../platform/settings.ts'
import { addWord, setWordActive } from '../../blacklist/actions.ts'
import { importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { DealIndex } from './deal-index.ts'
import { advanceDeals, loadDeals } from './deal-source.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const hour = 3_600_000

const rows = fc.record(
  {
    asin: fc.integer({ min: 1, max: 9 }).map((n) => `B00000000${n}`),
    title: fc.constantFrom('Lamp', 'Brass lamp', 'Desk lamp, brass', 'Kettle é'),
    price: fc.constantFrom(4, 9.98, 10),
    list_price: fc.constantFrom(null, 12, 20),
    rating: fc.constantFrom(null, 4.1, 4.5),
    brand: fc.constantFrom(null, 'Acme', 'Bolt'),
    prime: fc.boolean(),
    availability: fc.constantFrom('In stock', 'In stock', 'Only 3 left', null),
    ends_at: fc.constantFrom(null, null, 1, -1).map((hours) => hours && new Date(Date.now() + hours * hour)),
    observed_at: fc.constantFrom(-30, -3, -2, 0).map((hours) => new Date(Date.now() + hours * hour)),
  },
  { requiredKeys: ['asin', 'title', 'price', 'availability'] },
)
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.array(rows, { minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom('brass', 'kettle') },
)

async function take(step: object[] | string): Promise<void> {
  if (typeof step !== 'string') {
    const options = { dry_run: false, map: '', availability: '', source: 'test', limits: sentBodies }
    const body = Readable.from([Buffer.from(JSON.stringify(step))])
    await importBody({ databases, marketplace, clock: () => new Date() }, body, options)
    return
  }
  const known = await databases.durablePool.query(
    'select id, is_active from blacklisted_words where word = $1',
    [step],
  )
  const word = known.rows[0]
  if (word === undefined) await addWord(databases, step)
  else await setWordActive(databases, Number(word.id), !word.is_active)
}

const sorts = [...sortNames, 'updated' as const]
const found = (index: DealIndex) => [
  ...sorts.map((sort) => index.find({ ...plain, sort, limit: 100 }).ids),
  index.countNames('brand').toSorted((a, b) => a.name.localeCompare(b.name)),
  index.find({ ...plain, search: 'brass', limit: 100 }).ids,
]

test('whatever is imported or hidden, following each change comes to what reading all anew comes to', async () => {
  const client = new pg.Client(databases.url)
  await client.connect()
  onTestFinished(() => client.end())
  const index = new DealIndex()
  let stamp = await loadDeals(client, index)
  let most = 0
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 4 }), async (all) => {
      for (const step of all) await take(step)
      const next = await advanceDeals(client, index, stamp)
      if (!next) throw new Error('nothing to go on from')
      stamp = next
      const made = new DealIndex()
      expect(stamp).toEqual(await loadDeals(client, made))
      expect(found(index)).toEqual(found(made))
      most = Math.max(most, index.size)
    }),
    { numRuns: 40 },
  )
  expect(most).toBeGreaterThan(3)
})
