import { dealSchema } from '@dealdeck/contract/deals'
import { sortNames } from '@dealdeck/query/fields'
import { parseQuestion } from '@dealdeck/query/parsing'
import { combine } from '@dealdeck/query/question'
import fc from 'fast-check'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { conditions } from '../../../../../query/testing/questions.ts'
import { makeAskedDeals, moment, plain, values } from '../../../../testing/asked-deals.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { countDeals, listDeals } from '../queries.ts'
import { readCursor } from '../rules.ts'
import { narrowed } from '../searching/asking.ts'
import type { FeedQuery } from '../searching/conditions.ts'
import type { IndexedDeal } from './deal-columns.ts'
import { DealIndex } from './deal-index.ts'
import { loadDeals } from './deal-source.ts'
import { TooLongError } from './time-limit.ts'

const databases = await testDatabases()
const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
/** One looks at all deals with a word, one walks along the order, one reads columns first, and two do so with a page half full. */
const makeIndexes = () => [
  new DealIndex(),
  new DealIndex(0),
  new DealIndex(0, 1_000, 0),
  new DealIndex(0, 1_000, 3),
  new DealIndex(4, 1_000, 3),
]
const indexes = makeIndexes()

beforeAll(async () => {
  await makeAskedDeals(databases, 150)
  const client = new pg.Client(databases.url)
  await client.connect()
  for (const index of indexes) await loadDeals(client, index)
  await client.end()
})

/** The ids of all pages of a query, in order, as SQL and as memory finds them. */
async function inSql(query: FeedQuery): Promise<number[]> {
  const ids: number[] = []
  let cursor: FeedQuery['cursor']
  for (;;) {
    const page = JSON.parse(await listDeals(databases, { ...query, cursor }, shop))
    ids.push(
      ...dealSchema
        .pick({ id: true })
        .array()
        .parse(page.items)
        .map(({ id }) => id),
    )
    if (page.next_cursor === null) return ids
    cursor = readCursor(page.next_cursor, query.sort)
  }
}

function inMemory(index: DealIndex, query: FeedQuery): number[] {
  const ids: number[] = []
  let cursor: FeedQuery['cursor']
  for (;;) {
    const found = index.find({ ...query, cursor })
    ids.push(...found.ids)
    if (!found.next) return ids
    // As a reader brings it back.
    cursor = found.next
  }
}

const several = fc.array(conditions(values), { maxLength: 3 }).map((some) => combine('all', some))
const filters = fc.record(
  {
    search: fc.oneof(values.texts, fc.constantFrom('a', 'l', ' ', 'mp', 'a l')),
    sort: fc.constantFrom(...sortNames, 'updated' as const),
    min_price: fc.constantFrom(0.01, 9.98, 10),
    max_price: fc.constantFrom(0.01, 9.98, 100),
    min_discount: fc.constantFrom(0, 50, 51),
    min_rating: fc.constantFrom(3.9, 4.5, 4.6),
    discounted_only: fc.boolean(),
    prime_only: fc.boolean(),
    limit: fc.constantFrom(1, 7, 50),
  },
  { requiredKeys: [] },
)

test('memory finds what SQL finds, in the same order, page by page, and counts as many', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(several, filters, async (condition, given) => {
      const query = narrowed({ ...plain, ...given }, condition, moment)
      if (query.includeHidden) return
      const expected = await inSql(query)
      found += expected.length
      for (const index of indexes) {
        expect(inMemory(index, query)).toEqual(expected)
        expect(index.count(query, 1_000_000)).toBe(expected.length)
      }
      const { count } = await countDeals(databases.customPlanPool, query)
      expect(count).toBe(expected.length)
    }),
    { numRuns: 300 },
  )
  expect(found).toBeGreaterThan(0)
})

const bare = {
  ...{ brand: null, category: null, condition: null, off: null, rating: null, reviews: null },
  ...{ hasListPrice: false, isSample: false, lastChecked: 0, lastUpdated: 0, endsAt: null, posted: 0 },
  ...{ firstSeen: 0, isPrime: false, verdict: null, underTypical: null, lowDays: null, drop: null },
  ...{ droppedAt: null, best: -999_999_999.99 },
}
/** So few that most are asked for again after titles with them have come and gone. */
const someTexts = fc.constantFrom('lamp', 'l', 'mp', 'a b', 'é')
const asIndexed = fc.record({
  id: fc.integer({ min: 1, max: 40 }),
  title: fc.constantFrom('lamp', 'a lamp', 'a b lamp', 'é a b', 'other'),
  price: fc.constantFrom(0.01, 4, 9.98, 10),
  firstSeen: fc.integer({ min: 1, max: 5 }),
  isPrime: fc.boolean(),
  best: fc.constantFrom(-999_999_999.99, -0.5, 0, 12.35),
})
const steps = fc.oneof(
  { weight: 3, arbitrary: asIndexed.map((deal) => ({ kind: 'set' as const, deal })) },
  fc.integer({ min: 1, max: 40 }).map((id) => ({ kind: 'delete' as const, id })),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('find' as const),
      condition: conditions({ ...values, texts: someTexts }),
      sort: fc.constantFrom(...sortNames),
    }),
  },
)

test('what takes too long is given up, whether it looks for a page or counts', () => {
  const index = new DealIndex(2_000, -1)
  for (let id = 1; id <= 3_000; id++)
    index.set({ ...bare, id, asin: `B${id}`, title: `lamp ${id % 2}`, price: id })
  const ask = (text: string) =>
    narrowed(
      { ...plain, limit: 10 },
      parseQuestion(text, { isAdministrator: false }).question.condition,
      moment,
    )
  // Few deals have no word but a price, so the order is walked to its end.
  const long = [ask('price:>9999'), ask('lamp price:>9999'), ask('"lamp 1" price:>9999')]
  // Each title is asked for its words, and none is what is looked for.
  long.push(ask('-lamp'), ask('lamp -lamp'), ask('"lamp 1" -"1"'))
  for (const query of long) {
    expect(() => index.find(query)).toThrow(TooLongError)
    expect(() => index.count(query, 10)).toThrow(TooLongError)
  }
  expect(index.find(ask('lamp')).ids).toHaveLength(10)
})

test('the first deals are as they were when room is made for more', () => {
  const index = new DealIndex()
  for (let id = 1; id <= 3_000; id++) index.set({ ...bare, id, asin: `B${id}`, title: 'lamp', price: id })
  const { condition } = parseQuestion('price:<=5', { isAdministrator: false }).question
  const query = narrowed({ ...plain, sort: 'price', limit: 10 }, condition, moment)
  expect(index.find(query).ids).toEqual([1, 2, 3, 4, 5])
})

test('deals that are given ever new brands and categories fill no memory for good', () => {
  const index = new DealIndex()
  const set = (id: number, name: string) =>
    index.set({
      ...bare,
      id,
      asin: `B${id}`,
      title: 'lamp',
      price: 1,
      brand: `brand ${name}`,
      category: `kind ${name}`,
    })
  // Each has its own, and they are all in use.
  for (let id = 1; id <= 15_000; id++) set(id, `of ${id}`)
  expect(index.isWasteful).toBe(false)
  for (let time = 1; time <= 16_000; time++) set(1, `at ${time}`)
  expect(index.isWasteful).toBe(true)
})

test('however deals have come, changed and gone, what is found is what an index made now finds', () => {
  let found = 0
  fc.assert(
    fc.property(fc.array(steps, { minLength: 30, maxLength: 90 }), (all) => {
      const grown = makeIndexes()
      const deals = new Map<number, IndexedDeal>()
      for (const step of all) {
        if (step.kind === 'set') {
          const deal = { ...bare, ...step.deal, asin: `B${String(step.deal.id).padStart(9, '0')}` }
          deals.set(deal.id, deal)
          for (const index of grown) index.set(deal)
        } else if (step.kind === 'delete') {
          deals.delete(step.id)
          for (const index of grown) index.delete(step.id)
        } else {
          const query = narrowed({ ...plain, sort: step.sort }, step.condition, moment)
          const made = new DealIndex()
          for (const deal of deals.values()) made.set(deal)
          const expected = inMemory(made, query)
          found += expected.length
          for (const index of grown) expect(inMemory(index, query)).toEqual(expected)
        }
      }
    }),
    { numRuns: 150 },
  )
  expect(found).toBeGreaterThan(0)
})
