import { type Deal, dealsEventSchema } from '@dealdeck/contract/deals'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNew } from './view/age.ts'
import {
  activeFilters,
  closingLine,
  dealAddress,
  dealParamsSchema,
  defaultFilters,
  type FeedFilters,
  filtersOf,
  gridShape,
  isDefault,
  isGone,
  listInput,
  mergePages,
  newDealsLine,
  paramsOf,
  parseAmount,
  readDealsEvent,
  removeFromPages,
  sampleDeals,
  updatePages,
} from './view.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

function deal(id: number, change: Partial<Deal> = {}): Deal {
  return { ...sampleDeals(now)[0], is_sample: false, id, title: `Deal ${id}`, ...change }
}

const page = (...ids: number[]) => ({ items: ids.map((id) => deal(id)), next_cursor: null })
const idsOf = (pages: { items: Deal[] }[]) => pages.map((one) => one.items.map((item) => item.id))
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
  })

  it('falls back to defaults for whatever makes no sense', () => {
    const nonsense = {
      sort: 'sideways',
      q: ['a'],
      min: -3,
      max: '1e99',
      prime: 'perhaps',
      today: null,
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
    })
    expect(paramsOf(all, 30)).toEqual({
      sort: 'discount',
      q: 'lamp',
      min: 1,
      max: 'any',
      prime: true,
      today: true,
    })
    for (const filters of [all, chosen({ max: 12 }), chosen({ max: 0 }), chosen({ primeOnly: true })]) {
      expect(filtersOf(dealParamsSchema.parse(paramsOf(filters, 30)), 30)).toEqual(filters)
    }
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
  })

  it('counts the filters that differ, a range once', () => {
    expect(activeFilters(chosen({ query: 'x', sort: 'price' }), 30)).toBe(0)
    expect(activeFilters(chosen({ min: 1, max: 2 }), 30)).toBe(1)
    expect(activeFilters(chosen({ max: null, primeOnly: true, todayOnly: true }), 30)).toBe(3)
  })

  it('reads typed amounts', () => {
    expect(['', ' 5 ', '7,5', '.5', '3.', '1.005'].map(parseAmount)).toEqual([null, 5, 7.5, 0.5, 3, 1])
    expect(['-1', 'ten', '1.2.3', '.', '999999999'].map(parseAmount)).toEqual(Array(5).fill(undefined))
  })
})

describe('an event of the stream', () => {
  it('is read exactly when the contract takes it', () => {
    const value = fc.oneof(
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.array(fc.oneof(fc.nat(), fc.string())),
    )
    const ids = fc.array(fc.nat())
    const good = fc.record({ revision: fc.nat(), added: ids, changed: ids, removed: ids, more: value })
    const any = fc.record(
      { revision: value, added: value, changed: value, removed: value },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(good, any, value), (data) => {
        const read = dealsEventSchema.safeParse(data)
        expect(readDealsEvent(data)).toEqual(read.success ? read.data : undefined)
      }),
    )
  })
})

describe('the list', () => {
  it('shows a deal once although two pages carry it', () => {
    expect(mergePages([page(1, 2), page(2, 3)]).map((item) => item.id)).toEqual([1, 2, 3])
  })

  it('marks removed deals that the reader has reached and drops those further down', () => {
    const pages = removeFromPages([page(1, 2), page(3, 4), page(5)], new Set([2, 3, 4]), 3)
    expect(idsOf(pages)).toEqual([[1, 2], [3], [5]])
    expect(
      mergePages(pages)
        .filter(isGone)
        .map((item) => item.id),
    ).toEqual([2, 3])
  })

  it('keeps untouched pages and deals the same objects', () => {
    const pages = [page(1, 2), page(3)]
    const updated = updatePages(pages, new Map([[2, deal(2, { price: 1 })]]))
    expect(updated[0]?.items[1]?.price).toBe(1)
    expect(updated[0]?.items[0]).toBe(pages[0]?.items[0])
    expect(updated[1]).toBe(pages[1])
    expect(removeFromPages(pages, new Set([9]), 0)[0]).toBe(pages[0])
  })

  it('closes with the number of deals', () => {
    const plain = (value: number) => value.toLocaleString('en-US')
    expect([0, 1, 2815].map((count) => closingLine(count, plain))).toEqual([
      'There are no more deals',
      'You have seen the only deal',
      'You have seen all 2,815 deals',
    ])
    expect([1, 2815].map((count) => newDealsLine(count, plain))).toEqual(['1 new deal', '2,815 new deals'])
  })
})

describe('a deal', () => {
  it('leads to the marketplace and nowhere else', () => {
    const addresses = [
      'https://www.amazon.com/dp/B000000001',
      'http://amazon.com/x',
      'https://smile.amazon.com/x',
    ]
    for (const address of addresses) expect(dealAddress(address, 'amazon.com')).toBe(address)
    const refused = [
      'javascript:alert(1)//amazon.com',
      'https://notamazon.com/dp/B000000001',
      'https://amazon.com.example.org/',
      'https://amazon.com@example.org/',
      '/dp/B000000001',
      '',
    ]
    for (const address of refused) expect(dealAddress(address, 'amazon.com')).toBeUndefined()
  })

  it('stands in as one of two labelled samples that lead nowhere and are not new', () => {
    const samples = sampleDeals(now)
    expect(samples).toHaveLength(2)
    for (const sample of samples) {
      expect(sample.is_sample).toBe(true)
      expect(isNew(sample, now)).toBe(false)
      expect(dealAddress(sample.product_url, 'amazon.com')).toBeUndefined()
    }
  })
})

describe('the grid', () => {
  it('has two columns on a phone and five on a desk', () => {
    expect(gridShape(320 - 32, 16).columns).toBe(2)
    expect(gridShape(390 - 32, 16).columns).toBe(2)
    expect(gridShape(768 - 48, 16).columns).toBe(3)
    expect(gridShape(1440 - 64, 16).columns).toBe(5)
    expect(gridShape(5000, 16).columns).toBe(8)
  })

  it('fills its width exactly', () => {
    const { columns, cardWidth, gap } = gridShape(1376, 16)
    expect(columns * cardWidth + (columns - 1) * gap).toBeCloseTo(1376)
  })

  it('gives larger letters more room', () => {
    expect(gridShape(358, 24).cardHeight).toBeGreaterThan(gridShape(358, 16).cardHeight)
    expect(gridShape(0, 16).cardWidth).toBe(0)
  })
})
