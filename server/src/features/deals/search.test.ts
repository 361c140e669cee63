import { beforeAll, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { findWords, listDeals } from './queries.ts'
import { foldText } from './rules.ts'

const databases = await testDatabases()
const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
const titles = [
  'Brass reading lamp',
  'Lampshade of brass  wire',
  '50% off_grid lamp\\shade',
  '手机壳 透明',
  'ＦＵＬＬ width Lamp',
  'Tent',
  'Лампа настольная',
]

beforeAll(async () => {
  for (const title of titles) await makeDeal(databases, { title })
})

const searches = [
  'lamp',
  'LAMP',
  'g l',
  'brass  wire',
  'brass wire',
  'reading lamp',
  'ass rea',
  '%',
  '_',
  '\\',
  '机',
  'full w',
  'лампа',
  'e',
  'tent',
  'no such thing',
]

test.each(searches)("searching '%s' finds the titles that hold it, and no others", async (search) => {
  const page = await listDeals(
    databases.readPool,
    { sort: 'newest', min_price: undefined, max_price: undefined, prime_only: false, search, limit: 50 },
    shop,
  )
  const expected = titles.filter((title) => foldText(title).includes(foldText(search)))
  expect(page.items.map((deal) => deal.title).toSorted()).toEqual(expected.toSorted())
})

test('a word joins the known ones with the title that brings it, also when a title changes', async () => {
  const deal = await makeDeal(databases, { title: 'Zeppelin kite' })
  expect(await findWords(databases.readPool, 'zeppel')).toEqual([['zeppelin']])
  await databases.writeDb
    .updateTable('deals')
    .set({ title_folded: 'quokka kite' })
    .where('id', '=', deal.id)
    .execute()
  expect(await findWords(databases.readPool, 'quok')).toEqual([['quokka']])
})
