import { describe, expect, it } from 'vitest'
import { emptyLinkQuery, type LinkQuery, type NamedCode } from './filters.ts'
import { describeSearch } from './link-words.ts'

const dollars = { currency: 'USD', locale: 'en-US' }
const brand = (name: string): NamedCode => ({ name, code: `p_89:${name}` })
const off = (percent: number): NamedCode => ({ name: `${percent}%`, code: `p_8:${percent}-` })
const sort = (name: string, value: string): NamedCode => ({ name, code: `s=${value}` })

function words(search: Partial<Omit<LinkQuery, 'filters'>>, filters: Partial<LinkQuery['filters']> = {}) {
  return describeSearch(
    { ...emptyLinkQuery(), ...search, filters: { ...emptyLinkQuery().filters, ...filters } },
    dollars,
  )
}

describe('describeSearch', () => {
  it('says what a link asks', () => {
    expect(
      words(
        { keyword: 'phone case', minPrice: 5, maxPrice: 30 },
        {
          brands: [brand('Apple'), brand('Sony')],
          percent_off: [off(50)],
          sort_by: [sort('Low to High', 'price-asc-rank')],
        },
      ),
    ).toBe('phone case, $5–$30, Apple or Sony, 50 % off or more, cheapest first')
  })

  it('is empty for nothing', () => {
    expect(words({})).toBe('')
  })

  it('says every kind of filter', () => {
    expect(
      words(
        {
          custom: [
            { name: 'Four stars', code: 'p_72:1' },
            { name: 'bbn=7', code: 'bbn=7' },
          ],
        },
        {
          deals: [
            { name: 'All Discounts', code: 'p_n_deal_type:1' },
            { name: 'Prime', code: 'p_85:2' },
          ],
          departments: [
            { name: 'Books', code: 'n:1' },
            { name: 'Toys', code: 'n:2' },
          ],
          sold_by: [
            { name: 'Amazon.com', code: 'p_6:A1' },
            { name: 'Amazon Resale', code: 'p_6:A2' },
          ],
          sort_by: [sort('Odd', 'odd-rank')],
        },
      ),
    ).toBe(
      'All Discounts and Prime, in Books and Toys, sold by Amazon.com or Amazon Resale, Four stars, 1 more filter, sorted by Odd',
    )
  })

  it.each([
    [null, 19.99, 'up to $19.99'],
    [5, null, 'from $5'],
    [0, 0.5, '$0–$0.50'],
  ])('writes the prices %s to %s', (minPrice, maxPrice, expected) => {
    expect(words({ minPrice, maxPrice })).toBe(expected)
  })

  it('writes prices as the marketplace does', () => {
    const search = { ...emptyLinkQuery(), maxPrice: 1000 }
    expect(describeSearch(search, { currency: 'EUR', locale: 'de-DE' })).toBe('up to 1.000\u00A0€')
    expect(describeSearch(search, { currency: 'JPY', locale: 'ja-JP' })).toBe('up to ￥1,000')
  })

  it('says what the link says, not what was chosen', () => {
    expect(words({}, { percent_off: [off(70), off(50)] })).toBe('50 % off or more')
    expect(words({}, { percent_off: [{ name: 'x', code: 'p_8:40-60' }] })).toBe('40–60 % off')
    expect(
      words({ custom: [sort('Mine', 'review-rank')] }, { sort_by: [sort('New', 'date-desc-rank')] }),
    ).toBe('newest first')
    expect(words({ keyword: 'mug', custom: [{ name: 'Broken', code: 'nonsense' }] })).toBe('mug')
    expect(words({ custom: [brand('Acme')] }, { brands: [brand('Bolt')] })).toBe('Bolt or Acme')
    expect(words({}, { brands: [brand('Bolt'), { name: 'LG', code: 'p_123:46658' }] })).toBe('Bolt and LG')
  })

  it('cuts long lists short', () => {
    expect(words({}, { brands: [...'ABCDEFGH'].map(brand) })).toBe('A, B, C, D, E or 3 others')
  })
})
