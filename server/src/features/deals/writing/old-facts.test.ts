import { Readable } from 'node:stream'
import { type FieldName, fieldNames, fields } from '@dealdeck/query/fields'
import { expect, test } from 'vitest'
import { readAskedFacts } from '../../../../testing/asked-deals.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { withDealWrites } from '../actions.ts'
import { readChanges } from '../following/changes.ts'
import { factsBefore } from '../following/facts.ts'
import { clearImplausibleOriginals } from './originals.ts'
import { queryRecorded, recordedIds, recordedState, recording } from './recording.ts'
import { type StoredVerdict, storeVerdicts } from './verdicts.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const start = Date.now() - 86_400_000
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString()

async function importRow(asin: string, more: object) {
  const row = {
    ...{ asin, title: 'Folding lamp', price: 20, original_price: 30, availability: 'In stock', brand: 'One' },
    ...{ category: 'Home', condition: 'new', rating: 4, review_count: 5, prime_eligible: false },
    ...{ ends_at: at(9_000), first_seen: at(0), observed_at: at(0), ...more },
  }
  const options = { ...{ dry_run: false, map: '', availability: '' }, source: 'test', limits: sentBodies }
  const body = Readable.from([Buffer.from(JSON.stringify([row]))])
  const { rejected } = await importBody({ databases, marketplace, clock: () => new Date() }, body, options)
  expect(rejected).toEqual([])
}

async function judge(asin: string, said: object) {
  const { rows } = await databases.durablePool.query(
    `insert into price_verdicts (deal_id, due_at) select id, now() from deals where asin = $1
     on conflict (deal_id) do update set due_at = now() returning deal_id, due_at::text`,
    [asin],
  )
  const verdict = {
    ...{ kind: 'usual', short: '', best: null, under_typical: 3, low_days: 30, drop: 4, dropped_at: at(1) },
    ...{ sparkline: '', ...said },
  }
  const none = { watched_since: null, coverage_90: null, typical: null, kind: null }
  const lows = {
    low_30: null,
    low_30_at: null,
    low_90: null,
    low_90_at: null,
    low_365: null,
    low_365_at: null,
  }
  const { deal_id, due_at: was_due } = rows[0] ?? {}
  const stored: StoredVerdict = {
    ...{ deal_id, was_due, due_in_ms: null, computed_at: at(2), ...none, ...lows },
    verdict: JSON.stringify(verdict),
  }
  await withDealWrites(databases, (writes) => storeVerdicts(writes, [stored]))
}

/** For each field that can be asked for, a change of a deal after which it says something else; null: it never does. */
const changes: Record<FieldName, ((asin: string) => Promise<unknown>) | null> = {
  price: (asin) => importRow(asin, { price: 19.99, original_price: 29.99, observed_at: at(5) }),
  off: (asin) => importRow(asin, { original_price: 40, observed_at: at(5) }),
  list: (asin) => importRow(asin, { original_price: null, observed_at: at(5) }),
  rating: (asin) => importRow(asin, { rating: 4.5, observed_at: at(5) }),
  reviews: (asin) => importRow(asin, { review_count: 6, observed_at: at(5) }),
  prime: (asin) => importRow(asin, { prime_eligible: true, observed_at: at(5) }),
  // Older news of a deal say that it was seen earlier.
  new: (asin) => importRow(asin, { first_seen: at(-60), observed_at: at(-60) }),
  checked: (asin) => importRow(asin, { price: 19, observed_at: at(7) }),
  updated: (asin) => importRow(asin, { price: 18, observed_at: at(8) }),
  ends: (asin) => importRow(asin, { ends_at: at(8_000), observed_at: at(5) }),
  brand: (asin) => importRow(asin, { brand: 'Óther', observed_at: at(5) }),
  category: (asin) => importRow(asin, { category: 'Garden', observed_at: at(5) }),
  condition: (asin) => importRow(asin, { condition: 'used', observed_at: at(5) }),
  title: (asin) => importRow(asin, { title: 'Ａ lantern, whité', observed_at: at(5) }),
  asin: null,
  verdict: (asin) => judge(asin, { kind: 'lowest' }),
  low: (asin) => judge(asin, { low_days: 365 }),
  typical: (asin) => judge(asin, { under_typical: null }),
  drop: (asin) => judge(asin, { drop: 5 }),
  dropped: (asin) => judge(asin, { dropped_at: null }),
  is: null,
}

/** Runs it, and returns the one change that was recorded, with all that questions asked of the deal before and after. */
async function changed(asin: string, work: () => Promise<unknown>) {
  const { rows } = await databases.customPlanPool.query<{ id: number; revision: number }>(
    'select id, revision from deals, feed_state where asin = $1',
    [asin],
  )
  const { id = 0, revision = 0 } = rows[0] ?? {}
  const before = (await readAskedFacts(databases)).get(id)
  await work()
  const after = (await readAskedFacts(databases)).get(id)
  const client = await databases.durablePool.connect()
  const read = await readChanges(client, revision).finally(() => client.release())
  const recorded = read?.revisions.flatMap((one) => one.changes) ?? []
  const [change] = recorded
  if (!before || !after || !change || recorded.length > 1) throw new Error('There is not one change')
  return { before, after, change }
}

test.for(fieldNames.filter((name) => changes[name]))(
  'of a deal that changes the record says all that questions asked before: %s',
  async (name) => {
    const asin = nextAsin()
    await importRow(asin, {})
    await judge(asin, {})
    const { before, after, change } = await changed(asin, async () => changes[name]?.(asin))
    const declaration = fields[name]
    const said = (deal: typeof before) =>
      'choices' in declaration
        ? Object.entries(declaration.choices).flatMap(([choice, { of }]) => (of(deal) ? [choice] : []))
        : declaration.of(deal)
    expect(said(after)).not.toEqual(said(before))
    expect(factsBefore(after, change)).toEqual(before)
  },
)

test('so it does of an original price that is taken away', async () => {
  const asin = nextAsin()
  await importRow(asin, {})
  await databases.durablePool.query('update deals set original_price = 20000 where asin = $1', [asin])
  const clear = () => clearImplausibleOriginals(databases, new AbortController().signal)
  const { before, after, change } = await changed(asin, clear)
  expect(after.hasListPrice).toBe(false)
  expect(factsBefore(after, change)).toEqual(before)
})

test('a deal that nobody saw before, or sees after, costs nothing more', async () => {
  const asin = nextAsin()
  await importRow(asin, {})
  const { change } = await changed(asin, () => importRow(asin, { availability: null, observed_at: at(5) }))
  expect(change).toMatchObject({ before: { is_visible: true }, old_facts: null })
  const shown = await changed(asin, () => importRow(asin, { title: 'Lantern', observed_at: at(6) }))
  expect(shown.change.old_facts).toBeNull()
  expect(factsBefore(shown.after, shown.change).isVisible).toBe(false)
})

test('whoever names no facts has none recorded', async () => {
  const asin = nextAsin()
  await importRow(asin, {})
  const side = (name: 'old' | 'new') => recordedState(name, (field) => field)
  const { change } = await changed(asin, () =>
    withDealWrites(databases, (writes) =>
      queryRecorded(
        writes,
        `with changed as (
           update deals set image_url = 'https://example.com/a.jpg' where asin = $1 returning id as deal_id, ${side('old')}, ${side('new')}
         ), ${recording()} select ${recordedIds}`,
        [asin],
      ),
    ),
  )
  expect(change.old_facts).toBeNull()
})
