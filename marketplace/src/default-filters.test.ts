import { describe, expect, it } from 'vitest'
import { defaultFilters } from './default-filters.ts'
import { normaliseFilterCode } from './filter-codes.ts'
import { type FilterCategory, filterCategories } from './filters.ts'
import { marketplaces } from './marketplaces.ts'

const all = marketplaces.map(({ domain }) => ({ domain, filters: defaultFilters(domain) }))
const namesIn = (domain: string, category: FilterCategory) =>
  defaultFilters(domain)
    .filter((filter) => filter.category === category)
    .map(({ name }) => name)

describe('defaultFilters', () => {
  it('is what the product promises for the first shop', () => {
    const counts = Object.fromEntries(
      filterCategories.map((category) => [category, namesIn('amazon.com', category).length]),
    )
    expect(counts.brands).toBeGreaterThanOrEqual(25)
    expect(counts.departments).toBeGreaterThanOrEqual(31)
    expect(namesIn('amazon.com', 'departments')).toContain('Amazon Haul')
    expect(namesIn('amazon.com', 'deals')).toEqual(expect.arrayContaining(['All Discounts', "Today's Deals"]))
    expect(namesIn('amazon.com', 'sold_by')).toEqual(['Amazon.com', 'Amazon Resale'])
    expect(namesIn('amazon.com', 'percent_off').map((name) => Number.parseInt(name, 10))).toEqual([
      40, 50, 60, 70, 80, 90,
    ])
    expect(namesIn('amazon.com', 'sort_by')).toEqual([
      'Featured',
      'Low to High',
      'High to Low',
      'Avg. Customer Review',
      'Newest Arrivals',
      'Best Sellers',
    ])
  })

  it.each(all)(
    'has codes in normal form, names once in a category and sources for $domain',
    ({ filters }) => {
      expect(
        filters.filter(({ code }) => JSON.stringify(normaliseFilterCode(code)) !== JSON.stringify({ code })),
      ).toEqual([])
      const keys = filters.map(({ category, name }) => `${category} ${name.toLowerCase()}`)
      expect(new Set(keys).size).toBe(keys.length)
      expect(filters.every(({ source, confidence }) => source !== '' && /^[AB]$/.test(confidence))).toBe(true)
    },
  )

  it('gives other shops only what is known of them', () => {
    expect(namesIn('amazon.de', 'departments')).toEqual([])
    expect(namesIn('amazon.de', 'deals')).toEqual([])
    expect(namesIn('amazon.de', 'sold_by')).toEqual(['Amazon.de'])
    expect(namesIn('amazon.it', 'sold_by')).toEqual([])
    expect(namesIn('amazon.in', 'departments')).toEqual(['Amazon Bazaar'])
    const percents = defaultFilters('amazon.in').filter(({ category }) => category === 'percent_off')
    expect(percents[0]?.code).toBe('p_n_pct-off-with-tax:40-')
  })
})
