import { readdirSync } from 'node:fs'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { afterEach, expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { loadSampleDeals, removeSampleDeals, sampleImagesFolder, sampleImagesPath } from './samples.ts'

const databases = await testDatabases()
const now = new Date('2026-03-04T05:06:07Z')
const clock = () => now

function settings(domain: string) {
  const marketplace = marketplaceByDomain(domain)
  if (!marketplace) throw new Error(`no marketplace ${domain}`)
  return { MARKETPLACE: marketplace }
}

const events = async () =>
  (await databases.db.selectFrom('feed_events').selectAll().orderBy('revision').execute()).map((event) => ({
    added: event.added.length,
    changed: event.changed.length,
    removed: event.removed.length,
  }))

afterEach(async () => {
  await databases.durablePool.query(
    'truncate deals, price_points, price_verdicts, blacklisted_words, feed_events',
  )
})

test('an empty installation gets the samples, announced in one event', async () => {
  const count = await loadSampleDeals(databases, settings('amazon.com'), clock)
  const deals = await databases.db.selectFrom('deals').selectAll().orderBy('first_seen', 'desc').execute()
  expect(deals).toHaveLength(count)
  expect(count).toBeGreaterThan(300)
  expect(deals.every((deal) => deal.is_sample)).toBe(true)
  expect(await events()).toEqual([
    { added: deals.filter((deal) => deal.is_visible).length, changed: 0, removed: 0 },
  ])
})

test('ages count back from the moment of loading and ids follow them', async () => {
  await loadSampleDeals(databases, settings('amazon.com'), clock)
  const deals = await databases.db
    .selectFrom('deals')
    .select(['id', 'first_seen'])
    .orderBy('id', 'desc')
    .execute()
  expect(deals[0]?.first_seen).toEqual(now)
  const seen = deals.map((deal) => deal.first_seen.getTime())
  expect(seen).toEqual(seen.toSorted((a, b) => b - a))
})

test('pictures are served by ourselves, links lead to a search of the marketplace', async () => {
  await loadSampleDeals(databases, settings('amazon.de'), clock)
  const deals = await databases.db.selectFrom('deals').select(['title', 'image_url', 'product_url']).execute()
  const pictures = new Set(readdirSync(sampleImagesFolder).map((name) => sampleImagesPath + name))
  const lost = deals.filter((deal) => deal.image_url !== null && !pictures.has(deal.image_url))
  // One address is broken on purpose: that card shows its placeholder.
  expect(lost).toHaveLength(1)
  for (const deal of deals) {
    const link = new URL(deal.product_url)
    expect(link.host).toBe('www.amazon.de')
    expect(link.searchParams.get('k')).toBe(deal.title)
  }
})

test('every deal has its observed prices, the current one last', async () => {
  await loadSampleDeals(databases, settings('amazon.com'), clock)
  const { rows } = await databases.customPlanPool.query(
    `select d.price, count(*) as n, (array_agg(p.price order by p.seen_at desc))[1] as last, max(p.seen_at) <= $1 as past
     from deals d left join price_points p on p.deal_id = d.id and p.price is not null group by d.id`,
    [now],
  )
  expect(rows.filter((row) => row.last !== row.price || !row.past)).toEqual([])
  expect(rows.some((row) => row.n >= 3)).toBe(true)
})

test('a currency without cents gets whole amounts', async () => {
  await loadSampleDeals(databases, settings('amazon.co.jp'), clock)
  const { rows } = await databases.customPlanPool.query(
    `select price from deals where price <> round(price) union all select price from price_points where price <> round(price)`,
  )
  expect(rows).toEqual([])
})

test('an active blacklisted word hides samples from the start', async () => {
  await databases.durableDb.insertInto('blacklisted_words').values({ word: 'duck' }).execute()
  await loadSampleDeals(databases, settings('amazon.com'), clock)
  const ducks = databases.db.selectFrom('deals').where('title_folded', 'like', '%duck%')
  expect((await ducks.select('id').execute()).length).toBeGreaterThan(0)
  expect(await ducks.where('is_visible', '=', true).select('id').execute()).toEqual([])
})

test('a table that holds any deal is left alone', async () => {
  await makeDeal(databases)
  expect(await loadSampleDeals(databases, settings('amazon.com'), clock)).toBe(0)
  expect(await events()).toEqual([])
})

test('removing takes the samples and their prices, and nothing else', async () => {
  const count = await loadSampleDeals(databases, settings('amazon.com'), clock)
  const own = await makeDeal(databases)
  expect(await removeSampleDeals(databases)).toBe(count)
  expect(await databases.db.selectFrom('deals').select('id').execute()).toEqual([{ id: own.id }])
  expect(await databases.db.selectFrom('price_points').selectAll().execute()).toEqual([])
  expect((await events()).at(-1)?.removed).toBeGreaterThan(300)
  expect(await removeSampleDeals(databases)).toBe(0)
})
