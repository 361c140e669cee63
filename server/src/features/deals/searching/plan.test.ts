import type { DealSort } from '@dealdeck/contract/deals'
import type { Condition } from '@dealdeck/query/question'
import { describe, expect, test } from 'vitest'
import type { FeedQuery } from './conditions.ts'
import { type PagePlan, planPage, type RowEstimates } from './plan.ts'
import { rowStatement } from './statements.ts'

const plain: FeedQuery = {
  ...{ sort: 'newest', search: '', min_price: undefined, max_price: undefined, prime_only: false, limit: 50 },
}
const sorts: DealSort[] = ['newest', 'discount', 'price', 'discord', 'updated', 'best']
const now = new Date('2026-03-04T05:06:07Z')

/** One deal in seventeen costs 30; of the others one in fifty 1 to 2, 2 to 5, 5 to 7 and so on. */
const prices = {
  common: [{ price: 30, share: 0.06 }],
  bounds: [1, 2, 5, 7, 10, ...Array.from({ length: 45 }, (_, at) => 12 + 2 * at)],
}

describe('a page without a text', () => {
  const everySort: [string, Partial<FeedQuery>, PagePlan['kind']][] = [
    ['no filter', {}, 'sort-scan'],
    ['a cursor', { cursor: { sort: 'newest', key: now.toISOString(), id: 7 } }, 'sort-scan'],
    ['prime only', { prime_only: true }, 'sort-scan'],
    ['a lowest price of 0', { min_price: 0 }, 'sort-scan'],
    ['a price below which many are', { max_price: 20 }, 'sort-scan'],
    ['prices between which many are', { min_price: 10, max_price: 50, prime_only: true }, 'sort-scan'],
    ['a price that many have', { min_price: 30, max_price: 30 }, 'sort-scan'],
    ['with the hidden', { includeHidden: true }, 'filtered'],
    ['with the hidden, prime only', { includeHidden: true, prime_only: true }, 'filtered'],
    ['not with the hidden', { includeHidden: false }, 'sort-scan'],
  ]
  test.each(everySort)('is found by the right plan in every sort: %s', (_, filters, kind) => {
    for (const sort of sorts) {
      const plan = planPage({ ...plain, ...filters, sort }, { prices })
      expect(plan, sort).toEqual(kind === 'sort-scan' ? { kind, isGeneric: true } : { kind })
    }
  })

  test('what a question asks beside is planned for its values, titles being compared in the index', () => {
    const moment = { now: now.getTime(), midnight: now.getTime() }
    const plan = (condition: Condition) => planPage({ ...plain, asked: { condition, moment } }, { prices })
    const text: Condition = { kind: 'text', text: 'lamp' }
    expect(plan({ kind: 'not', of: text })).toEqual({ kind: 'sort-scan', isGeneric: false })
    expect(plan({ kind: 'code', field: 'asin', tests: ['B0'] })).toEqual({ kind: 'filtered' })
    // The index of what changed last holds no titles, and none holds hidden deals.
    for (const more of [{ sort: 'updated' }, { includeHidden: true }] as const) {
      const asked = { condition: { kind: 'not', of: text }, moment } as const
      expect(planPage({ ...plain, ...more, asked }, { prices })).toEqual({ kind: 'filtered' })
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
    ['a price that few have', { min_price: 31, max_price: 31 }, 'price'],
    ['prices that leave nothing', { min_price: 9, max_price: 3 }, 'price'],
    ['changed since', { updatedSince: now }, 'updated'],
    ['changed since, below a price', { updatedSince: now, max_price: 20 }, 'updated'],
    ['seen since', { seenSince: now }, 'newest'],
    ['seen since, prime only', { seenSince: now, prime_only: true }, 'newest'],
  ]
  test.each(inOneSort)('walks the one sort that stands by its filter: %s', (_, filters, own) => {
    for (const sort of sorts)
      expect(planPage({ ...plain, ...filters, sort }, { prices }).kind, sort).toBe(
        sort === own ? 'sort-scan' : 'filtered',
      )
  })

  test('is planned for its prices until the database has counted any', () => {
    expect(planPage({ ...plain, max_price: 20 }, {}).kind).toBe('filtered')
    expect(planPage({ ...plain, max_price: 20, sort: 'price' }, {}).kind).toBe('sort-scan')
    expect(planPage(plain, {}).kind).toBe('sort-scan')
  })
})

describe('a search', () => {
  const search = { ...plain, search: 'lantern' }
  const words = [['lantern']]
  const planOf = (rows: Partial<RowEstimates>, some = words) =>
    planPage(search, {
      search: {
        ...{ words: some },
        rows: { all: 1_000_000, filtered: 1_000_000, rarest: 600, together: rows.rarest ?? 600, ...rows },
      },
    })
  const sortScan = { kind: 'sort-scan', isGeneric: false }
  const postings = { kind: 'postings', words }

  test('of no words that an index finds walks the sort', () => {
    expect(planPage(search, {})).toEqual(sortScan)
  })

  test.each([
    ['a rare word', { rarest: 600 }, postings],
    ['a word of one title in 500', { rarest: 2_000 }, postings],
    ['a word of one title in 200', { rarest: 5_000 }, sortScan],
    ['a common word', { rarest: 80_000 }, sortScan],
    ['a common word, with a filter that leaves little out', { rarest: 80_000, filtered: 400_000 }, sortScan],
    [
      'a word of one title in 200, with a filter that leaves out most',
      { rarest: 5_000, filtered: 40_000 },
      postings,
    ],
    ['common pieces that hardly stand together', { rarest: 20_000, together: 30 }, postings],
  ])('takes all deals with the words or walks the sort, whichever is cheaper: %s', (_, rows, plan) => {
    expect(planOf(rows)).toEqual(plan)
  })

  test('that many words can hold walks the sort sooner', () => {
    const some = [Array.from({ length: 300 }, (_, at) => `lantern${at}`)]
    expect(planOf({ rarest: 2_000 }, some)).toEqual(sortScan)
    expect(planOf({ rarest: 600 }, some)).toEqual({ kind: 'postings', words: some })
  })
})

test('only what has one right plan whatever its values is asked where a connection plans once', () => {
  const poolOf = (plan: PagePlan, query: FeedQuery) => rowStatement(plan, query, 'id').pool
  const search = { ...plain, search: 'lantern' }
  expect(poolOf({ kind: 'sort-scan', isGeneric: true }, plain)).toBe('genericPlanPool')
  expect(poolOf({ kind: 'hidden' }, plain)).toBe('genericPlanPool')
  expect(poolOf({ kind: 'filtered' }, plain)).toBe('customPlanPool')
  expect(poolOf({ kind: 'sort-scan', isGeneric: false }, search)).toBe('customPlanPool')
  expect(poolOf({ kind: 'postings', words: [['lantern']] }, search)).toBe('customPlanPool')
})
