import { pino } from 'pino'
import { expect, test } from 'vitest'
import { plain } from '../../../../testing/asked-deals.ts'
import { whenDone } from '../../../../testing/cleanup.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { LiveBus } from '../../../platform/live/live-bus.ts'
import { readRevision } from '../following/revisions.ts'
import { listDeals } from '../queries.ts'
import { DealSearch } from './deal-search.ts'
import { DealTexts } from './deal-texts.ts'

test('a deal’s text is there for its own version alone', () => {
  const texts = new DealTexts()
  texts.set(1, 5, 'five')
  expect([texts.get(1, 5), texts.get(1, 6), texts.get(1, 4), texts.get(2, 5)]).toEqual([
    'five',
    undefined,
    undefined,
    undefined,
  ])
  texts.set(1, 6, 'six')
  expect([texts.get(1, 5), texts.get(1, 6)]).toEqual([undefined, 'six'])
})

test('memory is bounded, and what is asked for again stays', () => {
  const texts = new DealTexts(100)
  texts.set(0, 1, 'x'.repeat(10))
  for (let id = 1; id <= 30; id++) {
    texts.set(id, 1, 'y'.repeat(10))
    expect(texts.get(0, 1)).toBe('x'.repeat(10))
  }
  const kept = Array.from({ length: 31 }, (_, id) => texts.get(id, 1)).filter((text) => text !== undefined)
  expect(kept.length).toBeLessThanOrEqual(10)
})

test('one version’s text never stands in for another’s, however often it moves between the halves', () => {
  const texts = new DealTexts(40)
  for (let version = 1; version <= 20; version++) {
    texts.set(7, version, `text ${version}`)
    for (let id = 100; id < 103; id++) texts.set(id, version, 'filler')
    expect(texts.get(7, version) ?? `text ${version}`).toBe(`text ${version}`)
    expect(texts.get(7, version - 1)).toBeUndefined()
  }
})

test('who has waited for another thread is shown no text that was kept for the one before', async () => {
  const databases = await testDatabases()
  const { id } = await makeDeal(databases, { title: 'Lamp', rating: 4.5 })
  const stamp = await readRevision(databases.customPlanPool)
  const log = pino({ level: 'silent' })
  const search = new DealSearch(databases, new LiveBus(databases, log), log, () => stamp)
  search.start()
  whenDone(() => search.stop())
  const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
  const ask = () => listDeals(databases, { ...plain, min_rating: 0 }, shop, search)
  expect(await ask()).toContain('"Lamp"')
  expect(await ask()).toContain('"Lamp"')
  for (const listener of databases.watch.onChange) listener('away')
  await expect.poll(() => search.isReading).toBe(true)
  await databases.durablePool.query("update deals set title = 'Brass lamp' where id = $1", [id])
  expect(await ask()).toContain('"Brass lamp"')
  expect(search.figures).toMatchObject({ memory: 3, database: 0 })
})
