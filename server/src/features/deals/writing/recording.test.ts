import { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { recordAdded } from '../../../../testing/streams.ts'
import { readSettings } from '../../../platform/settings.ts'
import { addWord, setWordActive } from '../../blacklist/actions.ts'
import { importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { withDealWrites } from '../actions.ts'
import { loadSampleDeals, removeSampleDeals } from './samples.ts'

const databases = await testDatabases()
const settings = readSettings({})
const { MARKETPLACE: marketplace } = settings
const clock = () => new Date()

async function importRows(...rows: object[]) {
  const options = { ...{ dry_run: false, map: '', availability: '' }, source: 'test', limits: sentBodies }
  return importBody(
    { databases, marketplace, clock },
    Readable.from([Buffer.from(JSON.stringify(rows))]),
    options,
  )
}
const [lamp, tray] = ['B000000001', 'B000000002']
const row = (asin: string, price: number, more: object = {}) => ({
  ...{ asin, title: `Thing ${asin}`, price, original_price: 30, availability: 'In stock' },
  ...more,
})

/** All changes so far, oldest first, by ASIN where the deal is still there; each side as price, original, availability and visibility. */
async function recorded() {
  const { rows } = await databases.customPlanPool.query(
    `select e.revision, c.import_id is not null as is_import, u.*, d.asin from feed_events e
     join deal_changes c on c.id = e.changes_id,
     unnest(c.deal_ids, c.old_is_visible, c.old_price, c.old_original_price, c.old_availability,
       c.new_is_visible, c.new_price, c.new_original_price, c.new_availability)
       as u (deal_id, a, ap, ao, aa, b, bp, bo, ba) left join deals d on d.id = u.deal_id
     order by e.revision, d.asin`,
  )
  return rows.map(({ asin, is_import, a, ap, ao, aa, b, bp, bo, ba }) => ({
    ...{ asin, is_import },
    before: [ap, ao, aa, a],
    after: [bp, bo, ba, b],
  }))
}
const none = [null, null, null, null]

beforeEach(async () => {
  await databases.durablePool.query(
    'truncate deals, price_points, blacklisted_words, feed_events, deal_changes',
  )
})

test('an import records what each deal was and is, and which import it was', async () => {
  await importRows(row(lamp, 20), row(tray, 5, { availability: null }))
  await importRows(row(lamp, 18, { original_price: null }), row(tray, 4, { availability: null }))
  await importRows(row(lamp, 18, { original_price: null }), row(tray, 4, { availability: 'Only 3 left' }))
  await importRows(row(lamp, 18, { original_price: null, availability: null }))
  expect(await recorded()).toEqual([
    { asin: lamp, is_import: true, before: none, after: [20, 30, 'In stock', true] },
    { asin: lamp, is_import: true, before: [20, 30, 'In stock', true], after: [18, null, 'In stock', true] },
    { asin: tray, is_import: true, before: [4, 30, null, false], after: [4, 30, 'Only 3 left', true] },
    { asin: lamp, is_import: true, before: [18, null, 'In stock', true], after: [18, null, null, false] },
  ])
  const { rows: ids } = await databases.customPlanPool.query(
    `select array_agg(distinct import_id) <@ (select array_agg(id) from imports) as known,
       count(distinct import_id) as imports from deal_changes`,
  )
  expect(ids).toEqual([{ known: true, imports: 4 }])
})

test('prices that began before a later sight of the same are recorded, a later sight alone is only confirmed', async () => {
  const seen = (price: number, days: number) =>
    row(lamp, price, { observed_at: new Date(Date.now() - days * 86_400_000).toISOString() })
  await importRows(seen(20, 4))
  await importRows(seen(15, 3), seen(20, 2))
  await importRows(seen(20, 1.5), seen(20, 1))
  const state = [20, 30, 'In stock', true]
  expect(await recorded()).toEqual([
    { asin: lamp, is_import: true, before: none, after: state },
    { asin: lamp, is_import: true, before: state, after: state },
  ])
  const { rows } = await databases.customPlanPool.query(
    'select cardinality(changed) as changed, cardinality(confirmed) as confirmed from feed_events order by revision',
  )
  expect(rows).toEqual([
    { changed: 0, confirmed: 0 },
    { changed: 1, confirmed: 0 },
    { changed: 0, confirmed: 1 },
  ])
})

test('a word records what it hides and shows again, and nothing of what nobody saw', async () => {
  await importRows(row(lamp, 20), row(tray, 5, { availability: null }))
  const { id } = await addWord(databases, 'thing')
  // It hides what is hidden already.
  await addWord(databases, 'b00000000')
  await setWordActive(databases, id, false)
  const { rows } = await databases.customPlanPool.query(
    "select id from blacklisted_words where word <> 'thing'",
  )
  await setWordActive(databases, rows[0].id, false)
  const [visible, hidden] = [
    [20, 30, 'In stock', true],
    [20, 30, 'In stock', false],
  ]
  expect((await recorded()).slice(1)).toEqual([
    { asin: lamp, is_import: false, before: visible, after: hidden },
    { asin: lamp, is_import: false, before: hidden, after: visible },
  ])
})

test('samples are recorded when they come and when the first import takes their place', async () => {
  const count = await loadSampleDeals(databases, settings, clock)
  const { rowCount: visible } = await databases.customPlanPool.query('select from deals where is_visible')
  expect(visible).toBeLessThan(count)
  const came = await recorded()
  expect(came).toHaveLength(visible ?? 0)
  for (const { before, after } of came) expect([before, after[3]]).toEqual([none, true])
  await importRows(row(lamp, 20))
  const [gone, made] = [(await recorded()).slice(came.length, -1), (await recorded()).at(-1)]
  expect(gone.map(({ before }) => before).toSorted()).toEqual(came.map(({ after }) => after).toSorted())
  for (const { after } of gone) expect(after).toEqual(none)
  expect(made).toMatchObject({ asin: lamp, before: none })
  await loadSampleDeals(databases, settings, clock)
  await removeSampleDeals(databases)
})

test('what the record adds up to is what everybody sees', async () => {
  await loadSampleDeals(databases, settings, clock)
  const asins = Array.from({ length: 30 }, (_, at) => `B${String(at).padStart(9, '0')}`)
  for (let round = 0; round < 12; round += 1) {
    const some = asins.filter((_, at) => (at * 7 + round) % 3 === 0)
    await importRows(
      ...some.map((asin, at) =>
        row(asin, 10 + ((at + round) % 4), { availability: at % 5 ? 'In stock' : null }),
      ),
    )
    if (round === 4) await addWord(databases, 'thing b00000000')
    if (round === 8) await addWord(databases, '15')
  }
  const { rows } = await databases.customPlanPool.query(
    `with told as (
       select distinct on (u.deal_id) u.* from feed_events e join deal_changes c on c.id = e.changes_id,
         unnest(c.deal_ids, c.new_is_visible, c.new_price, c.new_original_price, c.new_availability)
           as u (deal_id, is_visible, price, original_price, availability)
       order by u.deal_id, e.revision desc
     )
     select count(*) as deals, count(*) filter (where
         (t.price, t.original_price, t.availability) is not distinct from (d.price, d.original_price, d.availability)) as same
     from (select * from told where is_visible) t full join (select * from deals where is_visible) d on d.id = t.deal_id`,
  )
  expect(rows[0].deals).toBeGreaterThan(5)
  expect(rows[0].same).toBe(rows[0].deals)
})

test('changes are cut into events of at most a thousand deals, none for no change', async () => {
  const ids = Array.from({ length: 2_500 }, (_, index) => index + 1)
  await withDealWrites(databases, (writes) => recordAdded(writes, ...ids))
  const revisions = 'select revision, added, created_at from feed_events order by revision'
  const { rows } = await databases.customPlanPool.query(revisions)
  expect(rows.map(({ added }) => added.length)).toEqual([1000, 1000, 500])
  expect(rows.flatMap(({ added }) => added)).toEqual(ids)
  expect(rows.map(({ revision }) => revision - rows[0].revision)).toEqual([0, 1, 2])
  await withDealWrites(databases, (writes) => recordAdded(writes))
  expect((await databases.customPlanPool.query(revisions)).rowCount).toBe(3)
})
