import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyLinkQuery, type LinkQuery, type NamedCode } from './filters.ts'
import { priceProblem, readPriceRange, toCents } from './prices.ts'
import { buildSearchLink, fragmentOfCode, linkOfCode, needsSort } from './search-links.ts'
import { resolveSearch } from './search-resolution.ts'

const shop = { domain: 'amazon.com', affiliateTag: '' }
const named = (...codes: string[]): NamedCode[] => codes.map((code) => ({ name: code, code }))
const search = ({
  filters,
  ...rest
}: Omit<Partial<LinkQuery>, 'filters'> & { filters?: Partial<LinkQuery['filters']> } = {}): LinkQuery => ({
  ...emptyLinkQuery(),
  ...rest,
  filters: { ...emptyLinkQuery().filters, ...filters },
})
const queryOf = (given: LinkQuery) => buildSearchLink(given, shop).replace('https://www.amazon.com/s?', '')
const haul = 'i=bazaar&srs=1'

describe('buildSearchLink', () => {
  it('puts everything into one address', () => {
    const everything = search({
      keyword: 'phone case & cover',
      minPrice: 5,
      maxPrice: 30,
      filters: {
        brands: named('p_89:Acme', 'p_89:Bolt & Co', 'p_89:B+W'),
        deals: named('p_n_deal_type:1', 'p_n_deal_type:2'),
        percent_off: named('p_8:50-'),
        departments: named('n:7', 'n:8'),
        sold_by: named('p_6:A1'),
        sort_by: named('s=price-asc-rank'),
      },
      custom: named('p_72:9', 'hidden-keywords=-red'),
    })
    expect(queryOf(everything)).toBe(
      'k=phone+case+%26+cover&hidden-keywords=-red&rh=n%3A7%2Cn%3A8%2Cp_89%3AAcme%7CBolt+%26+Co%7CB%2BW%2Cp_36%3A500-3000' +
        '%2Cp_n_deal_type%3A1%7C2%2Cp_8%3A50-%2Cp_6%3AA1%2Cp_72%3A9&s=price-asc-rank',
    )
  })

  it('carries the own tag or none', () => {
    expect(
      buildSearchLink(search({ keyword: 'kites' }), { domain: 'amazon.in', affiliateTag: 'own-21' }),
    ).toBe('https://www.amazon.in/s?k=kites&tag=own-21')
    expect(queryOf(search({ keyword: 'kites', custom: named('tag=other-20', 'p_8:50-&tag=other-20') }))).toBe(
      'k=kites&rh=p_8%3A50-',
    )
    expect(buildSearchLink(search(), shop)).toBe('https://www.amazon.com/s')
  })

  it.each([
    [null, 30, '-3000'],
    [5, null, '500-'],
    [5, 30, '500-3000'],
    [5, 0, '500-'],
    [19.99, 1.005, '1999-101'],
    [0.1 + 0.2, 4.35, '30-435'],
    [-5, Number.NaN, '0-'],
  ])('writes the prices %s to %s in cents', (minPrice, maxPrice, range) => {
    expect(queryOf(search({ minPrice, maxPrice }))).toBe(`rh=p_36%3A${range}`)
  })

  it.each([
    [0, 0],
    [null, 0],
    [-1, 0],
  ])('takes a highest price of 0 for no limit: %s to %s', (minPrice, maxPrice) => {
    expect(queryOf(search({ minPrice, maxPrice, keyword: 'kites' }))).toBe('k=kites')
    expect(priceProblem(5, maxPrice)).toBeNull()
    expect(readPriceRange('500-0')).toBeNull()
  })

  it('is exact for every price up to 1,000', () => {
    const wrong = Array.from({ length: 100_001 }, (_, cents) => cents).filter(
      (cents) => toCents(cents / 100) !== cents,
    )
    expect(wrong).toEqual([])
  })

  it.each([
    [['p_8:50-', 'p_8:70-'], 'p_8:50-'],
    [['p_8:70-', 'p_8:40-60'], 'p_8:40-'],
    [['p_8:40-50', 'p_8:45-60'], 'p_8:40-60'],
    [['p_8:50-', 'p_8:1234567', 'p_8:60-'], 'p_8:50-|1234567'],
    [['p_n_pct-off-with-tax:50-', 'p_n_pct-off-with-tax:60-'], 'p_n_pct-off-with-tax:50-'],
  ])('makes the widest range of %s', (codes, fragment) => {
    expect(queryOf(search({ filters: { percent_off: named(...codes) } }))).toBe(
      new URLSearchParams({ rh: fragment }).toString(),
    )
  })

  it('takes the haul with or without departments, and drops what only another could ask for', () => {
    const given = (...codes: string[]) => search({ filters: { departments: named(...codes) } })
    expect(queryOf(given(haul))).toBe('i=bazaar&srs=1')
    expect(queryOf(given('n:7', haul, 'n:8'))).toBe('i=bazaar&srs=1&rh=n%3A7%2Cn%3A8')
    expect(queryOf(given('i=toys&rh=n:7', haul))).toBe('i=bazaar&srs=1&rh=n%3A7')
    expect(queryOf(given('i=toys', haul))).toBe('i=bazaar&srs=1')
    expect(resolveSearch(given('i=toys', haul)).leftOut.map(({ code }) => code)).toEqual(['i=toys'])
  })

  it('takes one sort: the one chosen last, and a custom one only without it', () => {
    const custom = named('s=review-rank')
    expect(queryOf(search({ filters: { sort_by: named('s=a', 's=b') }, custom }))).toBe('s=b')
    expect(queryOf(search({ custom }))).toBe('s=review-rank')
  })

  it('lets the price come before ranges in custom filters, and says so', () => {
    const given = search({ maxPrice: 30, custom: named('p_36:100-200,p_72:9') })
    expect(queryOf(given)).toBe('rh=p_36%3A-3000%2Cp_72%3A9')
    expect(resolveSearch(given).leftOut).toHaveLength(1)
    expect(queryOf({ ...given, maxPrice: null })).toBe('rh=p_36%3A100-200%2Cp_72%3A9')
  })

  it('leaves out what is no code, and says so', () => {
    const given = search({ keyword: 'kites', custom: named('nonsense', 'javascript:alert(1)') })
    expect(queryOf(given)).toBe('k=kites')
    expect(resolveSearch(given).leftOut.map(({ code }) => code)).toEqual(['nonsense', 'javascript:alert(1)'])
  })

  const nasty = fc.constantFrom(
    '&',
    '#',
    '%',
    '"',
    '\n',
    'javascript:',
    '&rh=',
    '&tag=x-20',
    '%26k=',
    ',',
    '|',
    'p_36:',
    '=',
  )
  const text = fc
    .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 5 })
    .map((parts) => parts.join(''))
  const code = fc.oneof(
    text,
    fc.tuple(fc.constantFrom('p_89:', 'n:', 's=', 'i=', 'p_4:', 'x='), text).map((parts) => parts.join('')),
  )
  const filters = fc.array(fc.record({ name: text, code }), { maxLength: 4 })

  it('lets nothing out of its parameter', () => {
    fc.assert(
      fc.property(text, filters, filters, filters, (keyword, brands, departments, custom) => {
        const given = search({ keyword, maxPrice: 5, filters: { brands, departments }, custom })
        const url = new URL(buildSearchLink(given, { domain: 'amazon.com', affiliateTag: 'own-20' }))
        const resolved = resolveSearch(given)
        const sent = [...url.searchParams].filter(([name]) => !['k', 'rh', 'tag'].includes(name))
        expect([url.origin, url.pathname, url.hash]).toEqual(['https://www.amazon.com', '/s', ''])
        expect(new Map(sent)).toEqual(new Map(resolved.parameters))
        expect(sent).toHaveLength(resolved.parameters.size)
        expect(url.searchParams.getAll('rh')).toHaveLength(1)
        expect(url.searchParams.getAll('tag')).toEqual(['own-20'])
        expect(url.searchParams.getAll('k')).toEqual(resolved.keyword === '' ? [] : [resolved.keyword])
        const fragments = url.searchParams.get('rh')?.split(',') ?? []
        expect(fragments.filter((fragment) => !/^(n|p_[\w-]+):[^,]+$/.test(fragment))).toEqual([])
        expect(fragments.filter((fragment) => fragment.startsWith('p_36:'))).toEqual(['p_36:-500'])
        // Outside the keyword a percent sign never begins an escape.
        url.searchParams.delete('k')
        expect(url.href).not.toMatch(/%25[0-9a-f]{2}/i)
      }),
    )
  })
})

describe('needsSort', () => {
  it('asks for a sort from two departments on', () => {
    expect(needsSort(search({ filters: { departments: named('n:7') } }))).toBe(false)
    expect(needsSort(search({ filters: { departments: named('n:7', haul) } }))).toBe(true)
    expect(needsSort(search({ filters: { departments: named('n:7', 'n:8'), sort_by: named('s=a') } }))).toBe(
      false,
    )
    expect(needsSort(search({ filters: { departments: named('n:7', 'n:8') }, custom: named('s=a') }))).toBe(
      false,
    )
  })
})

it('a code is shown as what it becomes in a link, and tried with the installation’s own tag', () => {
  expect(fragmentOfCode('p_8:50-')).toBe('rh=p_8%3A50-')
  expect(fragmentOfCode('i=bazaar&srs=121974693011')).toBe('i=bazaar&srs=121974693011')
  expect(linkOfCode('s=price-asc-rank', { domain: 'amazon.in', affiliateTag: 'own-21' })).toBe(
    'https://www.amazon.in/s?s=price-asc-rank&tag=own-21',
  )
})
