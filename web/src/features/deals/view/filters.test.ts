import { describe, expect, it } from 'vitest'
import {
  activeFilters,
  countInput,
  dealParamsSchema,
  defaultFilters,
  type FeedFilters,
  filtersOf,
  hidingFilters,
  isDefault,
  listInput,
  paramsOf,
  parseAmount,
} from './filters.ts'

const chosen = (change: Partial<FeedFilters>): FeedFilters => ({ ...defaultFilters(30), ...change })

describe('the address', () => {
  it('reads every filter, typed by the app or by hand', () => {
    expect(
      dealParamsSchema.parse({ sort: 'price', q: 'mug', min: 2, max: 12.5, prime: true, today: true }),
    ).toEqual({ sort: 'price', q: 'mug', min: 2, max: 12.5, prime: true, today: true })
    expect(dealParamsSchema.parse({ q: 12, max: '7.999', prime: 1, today: 'true' })).toEqual({
      q: '12',
      max: 8,
      prime: true,
      today: true,
    })
    expect(dealParamsSchema.parse({ max: 'any' })).toEqual({ max: 'any' })
    const more = { off: '25', rating: 4.5, discounted: 1, deal: 123_456_789_012 }
    expect(dealParamsSchema.parse(more)).toEqual({ ...more, off: 25, discounted: true })
  })

  it('falls back to defaults for whatever makes no sense', () => {
    const nonsense = {
      sort: 'sideways',
      q: ['a'],
      min: -3,
      max: '1e99',
      prime: 'perhaps',
      today: null,
      off: 101,
      rating: '4.25',
      discounted: 'no',
      deal: -7,
      stray: 1,
    }
    expect(isDefault(dealParamsSchema.parse(nonsense))).toBe(true)
    expect(isDefault(dealParamsSchema.parse({ sort: 'newest', q: '  ', min: 0, prime: false }))).toBe(true)
    expect(dealParamsSchema.parse(nonsense)).not.toHaveProperty('stray')
  })

  it('keeps a search within what the server takes', () => {
    expect(dealParamsSchema.parse({ q: 'x'.repeat(300) }).q).toHaveLength(200)
    expect(() =>
      encodeURIComponent(dealParamsSchema.parse({ q: `${'x'.repeat(199)}😀` }).q ?? ''),
    ).not.toThrow()
  })

  it('leaves defaults out and survives the way there and back', () => {
    expect(isDefault(paramsOf(defaultFilters(30), 30))).toBe(true)
    const all = chosen({
      sort: 'discount',
      query: 'lamp',
      min: 1,
      max: null,
      primeOnly: true,
      todayOnly: true,
      minDiscount: 50,
      minRating: 4.5,
      discountedOnly: true,
    })
    expect(paramsOf(all, 30)).toEqual({
      sort: 'discount',
      q: 'lamp',
      min: 1,
      max: 'any',
      prime: true,
      today: true,
      off: 50,
      rating: 4.5,
      discounted: true,
    })
    for (const filters of [all, chosen({ max: 12 }), chosen({ max: 0 }), chosen({ primeOnly: true })]) {
      expect(filtersOf(dealParamsSchema.parse(paramsOf(filters, 30)), 30)).toEqual(filters)
    }
  })

  it('with a deal to begin with is no other list', () => {
    expect(isDefault(dealParamsSchema.parse({ deal: 7 }))).toBe(true)
    expect(filtersOf({ deal: 7 }, 30)).toEqual(defaultFilters(30))
  })

  it('takes the highest price from the preferences when it says nothing', () => {
    expect(filtersOf({}, 55).max).toBe(55)
    expect(filtersOf({ max: 30 }, 55).max).toBe(30)
  })
})

describe('the question to the server', () => {
  it('asks only for what is chosen', () => {
    expect(listInput(chosen({}), 'Asia/Kathmandu')).toEqual({ sort: 'newest', max_price: 30 })
    expect(
      listInput(
        chosen({ sort: 'price', query: 'a', min: 2, max: null, primeOnly: true, todayOnly: true }),
        'Asia/Kathmandu',
      ),
    ).toEqual({
      sort: 'price',
      search: 'a',
      min_price: 2,
      prime_only: true,
      today: true,
      time_zone: 'Asia/Kathmandu',
    })
    const more = chosen({ max: null, minDiscount: 50, minRating: 4.5, discountedOnly: true })
    expect(countInput(more, 'UTC')).toEqual({ min_discount: 50, min_rating: 4.5, discounted_only: true })
  })

  it('counts the filters that differ, a range once', () => {
    expect(activeFilters(chosen({ query: 'x', sort: 'price' }), 30)).toBe(0)
    expect(activeFilters(chosen({ min: 1, max: 2 }), 30)).toBe(1)
    expect(activeFilters(chosen({ max: null, primeOnly: true, todayOnly: true }), 30)).toBe(3)
    expect(activeFilters(chosen({ minDiscount: 50, minRating: 4, discountedOnly: true }), 30)).toBe(3)
  })

  it('reads typed amounts', () => {
    expect(['', ' 5 ', '7,5', '.5', '3.', '1.005'].map(parseAmount)).toEqual([null, 5, 7.5, 0.5, 3, 1])
    expect(['-1', 'ten', '1.2.3', '.', '999999999'].map(parseAmount)).toEqual(Array(5).fill(undefined))
  })
})

describe('the filters that hide deals', () => {
  const labels = (change: Partial<FeedFilters>) =>
    hidingFilters(chosen(change), (amount) => `$${amount.toFixed(2)}`).map(({ label }) => label)

  it('are named, the highest price too, and end one by one', () => {
    expect(labels({})).toEqual(['≤ $30'])
    expect(labels({ max: null })).toEqual([])
    expect(labels({ min: 2.5, max: 10 })).toEqual(['$2.50 – $10'])
    expect(labels({ min: 5, max: null, minDiscount: 50, minRating: 4 })).toEqual([
      '≥ $5',
      '≥ 50% off',
      '≥ 4 stars',
    ])
    const all = chosen({
      primeOnly: true,
      todayOnly: true,
      discountedOnly: true,
      minDiscount: 1,
      minRating: 1,
    })
    const ended = Object.assign({}, all, ...hidingFilters(all, String).map(({ without }) => without))
    expect(hidingFilters(ended, String)).toEqual([])
  })
})
