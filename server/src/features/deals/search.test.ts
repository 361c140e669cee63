import { dealPageSchema } from '@dealdeck/contract/deals'
import { foldText, plainTitle } from '@dealdeck/query/folding'
import { combine } from '@dealdeck/query/question'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { listDeals } from './queries.ts'
import { narrowed } from './searching/asking.ts'
import type { FeedQuery } from './searching/conditions.ts'
import { rowStatement } from './searching/statements.ts'
import { readStatistics } from './searching/statistics.ts'

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

const everything = {
  ...{ sort: 'newest', min_price: undefined, max_price: undefined, prime_only: false, limit: 1000 },
} satisfies Omit<FeedQuery, 'search'>

/** The titles a search finds, by the plan the server chooses and along the sort's index. */
async function search(text: string, texts: string[] = []): Promise<[string[], string[]]> {
  const all = combine(
    'all',
    texts.map((text) => ({ kind: 'text', text })),
  )
  const query = narrowed({ ...everything, search: text }, all, { now: 0, midnight: 0 })
  const page = dealPageSchema.parse(JSON.parse(await listDeals(databases, query, shop)))
  const sortScan = rowStatement({ kind: 'sort-scan', isGeneric: false }, query, 'title')
  const scanned = await databases.customPlanPool.query<{ title: string }>(sortScan)
  return [page.items.map(({ title }) => title).toSorted(), scanned.rows.map(({ title }) => title).toSorted()]
}

const holding = (text: string) =>
  titles.filter((title) => foldText(title).includes(foldText(text))).toSorted()

test.each(searches)("searching '%s' finds the titles that hold it, and no others", async (text) => {
  expect(await search(text)).toEqual([holding(text), holding(text)])
})

test('any piece of any title finds it, and so does no other text', async () => {
  const word = fc.string({ unit: fc.constantFrom(...'aab%_\\é机'), minLength: 1, maxLength: 5 })
  const made = fc.sample(fc.array(word, { minLength: 1, maxLength: 6 }), 150).map((words) => words.join(' '))
  for (const title of made) await makeDeal(databases, { title })
  titles.push(...made)
  await databases.durablePool.query('analyze deals, title_words')
  const piece = fc
    .tuple(fc.constantFrom(...made), fc.nat(20), fc.integer({ min: 1, max: 12 }))
    .map(([title, from, length]) => title.slice(from % title.length, (from % title.length) + length))
  await fc.assert(
    fc.asyncProperty(fc.oneof(piece, word), async (text) => {
      expect(await search(text)).toEqual([holding(text), holding(text)])
    }),
    { numRuns: 300 },
  )
})

test('any words of a title find it in any order, however many spaces are between them, and no other title', async () => {
  const words = fc
    .tuple(fc.constantFrom(...titles), fc.infiniteStream(fc.nat()), fc.integer({ min: 2, max: 7 }))
    .map(([title, at, count]) => {
      const known = title.split(' ').filter((one) => one !== '')
      return [...at.take(count)].map((one) => known[one % known.length] ?? '')
    })
  await fc.assert(
    fc.asyncProperty(words, async (texts) => {
      const found = titles
        .filter((title) => texts.every((text) => plainTitle(title).includes(plainTitle(text))))
        .toSorted()
      expect(await search('', texts)).toEqual([found, found])
      // The first one as it stands, as the parameter has it.
      const [first = '', ...more] = texts
      const exactly = found.filter((title) => foldText(title).includes(foldText(first)))
      expect(await search(first, more)).toEqual([exactly, exactly])
    }),
    { numRuns: 150 },
  )
})

test('apostrophes, quotes, dashes, accents and width are alike in a question, and themselves in the parameter', async () => {
  const made = ['Café l’été – 5” mug', 'Cafe l\'ete - 5" mug', 'CAFÉ L\'ÉTÉ—5" ＭＵＧ']
  for (const title of made) await makeDeal(databases, { title })
  titles.push(...made)
  const texts = ['café', 'CAFE', "l'été", 'l’ete', '–', '-', '5"', '5”', 'mug', 'ｍｕｇ']
  for (const text of texts) {
    const [found] = await search('', [text])
    for (const title of made) expect(found, text).toContain(title)
    expect(await search(text)).toEqual([holding(text), holding(text)])
  }
})

test('a word joins the known ones with the title that brings it, also when a title changes', async () => {
  const wordsOf = async (text: string) =>
    (await readStatistics(databases.customPlanPool, { ...everything, search: text })).search?.words
  const deal = await makeDeal(databases, { title: 'Zeppelin kite' })
  expect(await wordsOf('zeppel')).toEqual([['zeppelin']])
  await databases.durableDb
    .updateTable('deals')
    .set({ title_folded: 'quokka kite' })
    .where('id', '=', deal.id)
    .execute()
  expect(await wordsOf('quok')).toEqual([['quokka']])
})
