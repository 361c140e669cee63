import type { DealSort } from '@dealdeck/contract/deals'
import type { Condition } from '@dealdeck/query/question'
import { describe, expect, test } from 'vitest'
import type { FeedQuery } from './conditions.ts'
import { chooseSearchStrategy, type PagePlan, planPage, type SearchStatistics } from './plan.ts'
import { type BucketShares, bucketOfPrice, bucketOfTime } from './sort-buckets.ts'
import { rowStatements } from './statements.ts'

const plain: FeedQuery = {
  ...{ sort: 'newest', search: '', min_price: undefined, max_price: undefined, prime_only: false, limit: 50 },
}
const sorts: DealSort[] = ['newest', 'discount', 'price', 'discord', 'updated']
const now = new Date('2026-03-04T05:06:07Z')

/** The widest buckets of prices, from 1, 2, 5, 10, 20 and 50 on. */
const counted = (...shares: [price: number, share: number][]): BucketShares =>
  new Map(
    shares.map(([price, share]) => {
      const power = Math.floor(bucketOfPrice(price) / 16 / 90)
      const digits = Math.floor(price / 10 ** Math.floor(Math.log10(price)))
      return [(power * 4 + [1, 2, 5].indexOf(digits) + 1) * 16 + 7, share]
    }),
  )
const shares = counted([1, 0.02], [2, 0.02], [5, 0.04], [10, 0.2], [20, 0.3], [50, 0.3])

describe('a page without a text', () => {
  const everySort: [string, Partial<FeedQuery>, PagePlan['kind']][] = [
    ['no filter', {}, 'sort-scan'],
    ['a cursor', { cursor: { sort: 'newest', key: now.toISOString(), id: 7 } }, 'sort-scan'],
    ['prime only', { prime_only: true }, 'sort-scan'],
    ['a lowest price of 0', { min_price: 0 }, 'sort-scan'],
    ['a price below which many are', { max_price: 20 }, 'sort-scan'],
    ['prices between which many are', { min_price: 10, max_price: 50, prime_only: true }, 'sort-scan'],
    ['with the hidden', { includeHidden: true }, 'filtered'],
    ['with the hidden, prime only', { includeHidden: true, prime_only: true }, 'filtered'],
    ['not with the hidden', { includeHidden: false }, 'sort-scan'],
  ]
  test.each(everySort)('is found by the right plan in every sort: %s', (_, filters, kind) => {
    for (const sort of sorts) {
      const plan = planPage({ ...plain, ...filters, sort }, { shares })
      expect(plan, sort).toEqual(kind === 'sort-scan' ? { kind, isGeneric: true } : { kind })
    }
  })

  test('what a question asks beside is planned for its values, titles being compared in the index', () => {
    const moment = { now: now.getTime(), midnight: now.getTime() }
    const plan = (condition: Condition) => planPage({ ...plain, asked: { condition, moment } }, { shares })
    const text: Condition = { kind: 'text', text: 'lamp' }
    expect(plan({ kind: 'not', of: text })).toEqual({ kind: 'sort-scan', isGeneric: false })
    expect(plan({ kind: 'code', field: 'asin', tests: ['B0'] })).toEqual({ kind: 'filtered' })
    // The index of what changed last holds no titles, and none holds hidden deals.
    for (const more of [{ sort: 'updated' }, { includeHidden: true }] as const) {
      const asked = { condition: { kind: 'not', of: text }, moment } as const
      expect(planPage({ ...plain, ...more, asked }, { shares })).toEqual({ kind: 'filtered' })
    }
    expect(plan(text)).toEqual({
      kind: 'sort-scan',
      isGeneric: false,
    })
  })

  const inOneSort: [string, Partial<FeedQuery>, DealSort][] = [
    ['a price below which few are', { max_price: 4.99 }, 'price'],
    ['a price above which few are', { min_price: 100 }, 'price'],
    ['prices between which few are', { min_price: 5, max_price: 10 }, 'price'],
    ['prices that leave nothing', { min_price: 9, max_price: 3 }, 'price'],
    ['changed since', { updatedSince: now }, 'updated'],
    ['changed since, below a price', { updatedSince: now, max_price: 20 }, 'updated'],
    ['seen since', { seenSince: now }, 'newest'],
    ['seen since, prime only', { seenSince: now, prime_only: true }, 'newest'],
  ]
  test.each(inOneSort)('walks the one sort that stands by its filter: %s', (_, filters, own) => {
    for (const sort of sorts)
      expect(planPage({ ...plain, ...filters, sort }, { shares }).kind, sort).toBe(
        sort === own ? 'sort-scan' : 'filtered',
      )
  })

  test('is planned for its prices until the database has counted any', () => {
    const uncounted = new Map<number, number>()
    expect(planPage({ ...plain, max_price: 20 }, { shares: uncounted }).kind).toBe('filtered')
    expect(planPage({ ...plain, max_price: 20, sort: 'price' }, { shares: uncounted }).kind).toBe('sort-scan')
    expect(planPage(plain, { shares: uncounted }).kind).toBe('sort-scan')
  })
})

describe('a search', () => {
  const million = { all: 1_000_000, filtered: 1_000_000 }
  const word = (deals: number): SearchStatistics => ({
    words: [['lantern']],
    firstBucket: bucketOfTime(now),
    rows: { ...million, rarest: deals, together: deals },
  })
  const search = { ...plain, search: 'lantern' }
  const planOf = (statistics: SearchStatistics | undefined, more: Partial<FeedQuery> = {}) =>
    planPage({ ...search, ...more }, { shares: new Map(), search: statistics })
  const sortScan = { kind: 'sort-scan', isGeneric: false }
  const postings = { kind: 'postings', words: [['lantern']] }

  test('of no words that an index finds walks the sort', () => {
    expect(planOf(undefined)).toEqual(sortScan)
  })

  test('of a common word walks the sort', () => {
    expect(planOf(word(80_000))).toEqual(sortScan)
  })

  test('of a rare word takes all of its deals', () => {
    expect(planOf(word(600))).toEqual(postings)
  })

  test('of a word between them looks in windows, and behind them in the cheaper of the other ways', () => {
    const plan = planOf(word(2_000))
    expect(plan).toMatchObject({ kind: 'windowed', words: [['lantern']], behind: { strategy: 'postings' } })
    expect(plan.kind === 'windowed' && plan.windows[0]?.[0]).toBe(bucketOfTime(now))
    expect(planOf(word(5_000))).toMatchObject({ kind: 'windowed', behind: { strategy: 'sort-scan' } })
  })

  test('has nothing behind windows that reach the end of what the filters let through', () => {
    const plan = planOf(word(5_000), { seenSince: new Date(now.getTime() - 3_600_000) })
    expect(plan).toMatchObject({ kind: 'windowed', windows: [[bucketOfTime(now)]], behind: undefined })
    const byPrice = { ...word(5_000), firstBucket: bucketOfPrice(4) }
    expect(planOf(byPrice, { sort: 'price', max_price: 4.03 })).toMatchObject({
      ...{ kind: 'windowed', windows: [[bucketOfPrice(4)]], behind: undefined },
    })
  })

  test('in windows is planned for its values when one of its filters is not listed', () => {
    const listed = {
      min_price: 1,
      max_price: 90,
      prime_only: true,
      seenSince: new Date(0),
      updatedSince: now,
    }
    expect(planOf(word(2_000), listed)).toMatchObject({ kind: 'windowed', isGeneric: true })
    const hidden = { ...listed, includeHidden: true }
    expect(planOf(word(2_000), hidden)).toMatchObject({ kind: 'windowed', isGeneric: false })
  })

  test('takes the other ways where it is not known in which bucket to begin', () => {
    const unknown = { firstBucket: undefined }
    expect(planOf({ ...word(2_000), ...unknown })).toEqual(postings)
    expect(planOf({ ...word(20_000), ...unknown })).toEqual(sortScan)
  })
})

test.each([
  ['a rare word takes its deals', { rarest: 600, together: 600 }, 'postings'],
  ['a word of the middle looks in windows', { rarest: 5_000, together: 5_000 }, 'windowed'],
  ['a common word walks', { rarest: 80_000, together: 80_000 }, 'sort-scan'],
  [
    'a filter that leaves little out of a common word still walks',
    { rarest: 80_000, together: 80_000, filtered: 400_000 },
    'sort-scan',
  ],
  [
    'with all deals in one bucket windows leave nothing out',
    { rarest: 8_000, together: 8_000, share: 1 },
    'sort-scan',
  ],
  ['common pieces that hardly stand together look in windows', { rarest: 20_000, together: 30 }, 'windowed'],
] as const)('%s', (_, estimates, strategy) => {
  const million = { all: 1_000_000, filtered: 1_000_000, share: 0.01, words: 1 }
  expect(chooseSearchStrategy({ ...million, ...estimates }).strategy).toBe(strategy)
})

test('only a walk without a text and windows are asked where a connection plans once', () => {
  const behind = { strategy: 'postings', cursor: { sort: 'newest', key: now.toISOString(), id: 0 } } as const
  const words = [['lantern']]
  const poolsOf = (plan: PagePlan, query: FeedQuery) => {
    const [first, toTheEnd] = rowStatements(plan, query, 'id')
    return [first.pool, toTheEnd?.().pool]
  }
  const search = { ...plain, search: 'lantern' }
  const windowed: PagePlan = { kind: 'windowed', words, windows: [[16]], behind, isGeneric: true }
  expect(poolsOf({ kind: 'sort-scan', isGeneric: true }, plain)).toEqual(['genericPlanPool', undefined])
  expect(poolsOf({ kind: 'filtered' }, plain)).toEqual(['customPlanPool', undefined])
  expect(poolsOf({ kind: 'sort-scan', isGeneric: false }, search)).toEqual(['customPlanPool', undefined])
  expect(poolsOf({ kind: 'postings', words }, search)).toEqual(['customPlanPool', undefined])
  expect(poolsOf(windowed, search)).toEqual(['genericPlanPool', 'customPlanPool'])
  expect(poolsOf({ ...windowed, behind: undefined }, search)).toEqual(['genericPlanPool', undefined])
  expect(poolsOf({ ...windowed, isGeneric: false }, search)).toEqual(['customPlanPool', 'customPlanPool'])
})
