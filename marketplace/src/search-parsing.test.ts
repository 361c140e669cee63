import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultFilters } from './default-filters.ts'
import { codePieces } from './filter-codes.ts'
import {
  emptyLinkQuery,
  type FilterCategory,
  filterCategories,
  type LinkQuery,
  type NamedCode,
} from './filters.ts'
import { plainText } from './pieces.ts'
import { buildSearchLink } from './search-links.ts'
import { parseSearchLink } from './search-parsing.ts'

const shop = { domain: 'amazon.com', affiliateTag: '' }
const known = defaultFilters('amazon.com')

function read(address: string) {
  const parsed = parseSearchLink(address, known, shop)
  if (!parsed) return null
  const chosen = filterCategories.flatMap((category) => parsed.filters[category].map(({ name }) => name))
  return { ...parsed, filters: chosen, custom: parsed.custom.map(({ code }) => code) }
}
const nothing = { keyword: '', minPrice: null, maxPrice: null, filters: [], custom: [], unrecognised: [] }

describe('parseSearchLink', () => {
  it.each([
    ['https://www.amazon.com/s?k=kites+%26+flags', { keyword: 'kites & flags' }],
    ['http://amazon.com/s/?field-keywords=kites', { keyword: 'kites' }],
    ['  <www.amazon.com/s/ref=nb_sb?keywords=kites>', { keyword: 'kites' }],
    ['https://m.amazon.com/gp/aw/s?k=kites', { keyword: 'kites' }],
    ['https://www.amazon.com/-/es/s?k=kites', { keyword: 'kites' }],
    ['/s?rh=n%3A172282', null],
    ['https://www.amazon.com/s?rh=n%3A172282%2Ck%3Akites', { keyword: 'kites', filters: ['Electronics'] }],
    ['https://www.amazon.com/s?low-price=5&high-price=19.99', { minPrice: 5, maxPrice: 19.99 }],
    ['https://www.amazon.com/s?low-price=&high-price=%241,000', { maxPrice: 1000 }],
    ['https://www.amazon.com/s?low-price=five', { unrecognised: ['low-price=five'] }],
    ['https://www.amazon.com/s?rh=p_36%3A500-1999', { minPrice: 5, maxPrice: 19.99 }],
    ['https://www.amazon.com/s?rh=p_36:500-&high-price=9', { minPrice: 5, unrecognised: ['high-price=9'] }],
    ['https://www.amazon.com/s?rh=p_36:1253503011', { custom: ['p_36:1253503011'] }],
    ['https://www.amazon.com/s?rh=p_36:-500|1000-', { custom: ['p_36:-500', 'p_36:1000-'] }],
    ['https://www.amazon.com/s?pct-off=50-', { filters: ['50% off or more'] }],
    ['https://www.amazon.com/s?pct-off=55-', { custom: ['p_8:55-'] }],
    ['https://www.amazon.com/s?pct-off=-30', { custom: ['pct-off=-30'] }],
    ['https://www.amazon.com/s?k=kites&sort=price-asc-rank', { keyword: 'kites', filters: ['Low to High'] }],
    ['https://www.amazon.com/s?k=kites&s=salesrank', { keyword: 'kites', custom: ['s=salesrank'] }],
    [
      'https://www.amazon.com/s?url=search-alias%3Dtoys-and-games&field-keywords=a',
      { keyword: 'a', custom: ['i=toys-and-games'] },
    ],
    ['https://www.amazon.com/s?rh=i%3Atoys%2Cn%3A%217', { custom: ['i=toys', 'n:!7'] }],
    [
      'https://www.amazon.com/s?emi=ATVPDKIKX0DER&brand=Acme',
      { filters: ['Amazon.com'], custom: ['p_89:Acme'] },
    ],
    ['https://www.amazon.com/b/?node=172282&bbn=9', { filters: ['Electronics'], custom: ['bbn=9'] }],
    [
      'https://www.amazon.com/s?k=a&search-alias=bazaar&srs=121974693011',
      { keyword: 'a', filters: ['Amazon Haul'] },
    ],
    ['https://www.amazon.com/s?i=bazaar', { custom: ['i=bazaar'] }],
    ['https://www.amazon.com/s?rh=p_89%3ASony%257CApple', { filters: ['Sony', 'Apple'] }],
    [
      'https://www.amazon.com/s?rh=p_89%3ASony&rh=p_89%3ABLACK%2BDECKER',
      { filters: ['Sony'], custom: ['p_89:BLACK+DECKER'] },
    ],
    [
      'https://www.amazon.com/s?rh=p_89%3AAcme%252C+Inc%2Cnonsense%2Cx%3A1',
      { unrecognised: ['p_89:Acme, Inc', 'nonsense', 'x:1'] },
    ],
    [
      'https://www.amazon.com/s?k=a&k=b&i=c&i=d',
      { keyword: 'a', custom: ['i=c'], unrecognised: ['k=b', 'i=d'] },
    ],
    [
      'https://www.amazon.com/s?k=a&page=2&wdg=x#q=3',
      { keyword: 'a', custom: ['page=2', 'wdg=x'], unrecognised: ['#q=3'] },
    ],
    [
      'https://www.amazon.com/s?k=a&tag=other-20&ref=x&qid=1&rnid=2&pf_rd_p=3&dc&crid=4&sprefix=a%2Caps&_encoding=UTF8&ds=v1%3Ax',
      { keyword: 'a' },
    ],
  ])('%s', (address, expected) => {
    expect(read(address)).toEqual(expected === null ? null : { ...nothing, ...expected })
  })

  it.each([
    '',
    'kites',
    'https://www.amazon.com/',
    'https://www.amazon.com/dp/B0ABCD1234',
    'https://www.amazon.de/s?k=kites',
    'https://www.amazon.com.evil.example/s?k=kites',
    'https://www.amazon.com@evil.example/s?k=kites',
    'https://elsewhere.example/s?k=kites',
    'javascript:alert(1)//www.amazon.com/s?k=kites',
    'ftp://www.amazon.com/s?k=kites',
  ])('knows %s for no search in this shop', (address) => {
    expect(read(address)).toBeNull()
  })

  it('takes the filter that stands for most of an address', () => {
    const filters = ['i=bazaar', 'i=bazaar&srs=1', 'srs=1'].map((code) => ({
      category: 'deals' as const,
      name: code,
      code,
    }))
    const parsed = parseSearchLink('https://www.amazon.com/s?i=bazaar&srs=1', filters, shop)
    expect(parsed?.filters.deals.map(({ code }) => code)).toEqual(['i=bazaar&srs=1'])
    expect(parsed?.custom).toEqual([])
  })

  it('gives custom filters their own names back', () => {
    const own = [{ name: 'Four stars', code: 'p_72:1248879011' }]
    const address = 'https://www.amazon.com/s?rh=p_72%3A1248879011%2Cp_123%3A46658'
    expect(parseSearchLink(address, known, shop, own)?.custom).toEqual([
      ...own,
      { name: 'LG', code: 'p_123:46658' },
    ])
  })

  it('is the reverse of building', () => {
    fc.assert(
      fc.property(anySearch, (search) => {
        const address = buildSearchLink(search, { ...shop, affiliateTag: 'own-20' })
        expect(sorted(parseSearchLink(address, known, shop, search.custom))).toEqual(
          sorted({ ...search, unrecognised: [] }),
        )
      }),
    )
  })

  it('builds the same address again from what it read', () => {
    fc.assert(
      fc.property(anySearch, (search) => {
        const address = buildSearchLink(search, shop)
        const parsed = parseSearchLink(address, known, shop)
        expect(parsed && questionOf(buildSearchLink(parsed, shop))).toEqual(questionOf(address))
      }),
    )
  })

  it('never throws and drops nothing it can not name', () => {
    const part = fc.tuple(
      fc.constantFrom('k', 'rh', 's', 'i', 'node', 'low-price', 'x', ''),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const query = parts
          .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
          .join('&')
        expect(parseSearchLink(`https://www.amazon.com/s?${query}`, known, shop)).not.toBeNull()
      }),
    )
  })
})

/** Filters of one category: percentages only one, since several become one; sorts at most one. */
function chosen(category: FilterCategory): fc.Arbitrary<NamedCode[]> {
  const most = { percent_off: 1, sort_by: 1, brands: 40, deals: 4, departments: 40, sold_by: 2 }[category]
  const choices = known.filter((filter) => filter.category === category && !setsAlias(filter))
  return fc
    .subarray(choices, { maxLength: Math.min(most, choices.length) })
    .map((filters) => filters.map(({ name, code }) => ({ name, code })))
}

/** One department that is only a name excludes the others, so it is chosen alone. */
const setsAlias = ({ code, name }: NamedCode) => /^i=/.test(code) && name !== 'Amazon Haul'

const money = (least: number) =>
  fc.option(fc.integer({ min: least, max: 100_000 }).map((cents) => cents / 100))
const keyword = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('50% off', 'a&rh=b', '%41', 'مفتاح', '電源'),
  )
  .map(plainText)
// Names of refinements and parameters that no default filter and no other control uses.
const customName = fc.constantFrom('p_n_a', 'p_n_b', 'p_4', 'p_72')
const customValue = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter(
    (value) => codePieces(`p_n_a:${value}`).length === 1 && codePieces(`p_n_a:${value}`)[0]?.value === value,
  )
const custom = fc.uniqueArray(
  fc.record({
    name: fc.string(),
    code: fc.oneof(
      fc.tuple(customName, customValue).map(([name, value]) => `${name}:${value}`),
      fc.constantFrom('hidden-keywords=a%26b', 'bbn=7', 'me=A1', 'p_n_c:1|2,p_n_d:3'),
    ),
  }),
  { selector: ({ code }) => code, maxLength: 5 },
)
const anySearch: fc.Arbitrary<LinkQuery> = fc.record({
  keyword,
  minPrice: money(0),
  // A highest price of 0 is no limit, so no address says it.
  maxPrice: money(1),
  filters: fc.record({
    brands: chosen('brands'),
    deals: chosen('deals'),
    percent_off: chosen('percent_off'),
    departments: chosen('departments'),
    sold_by: chosen('sold_by'),
    sort_by: chosen('sort_by'),
  }),
  custom,
})

/** Which filter comes first means nothing. */
function sorted(search: (LinkQuery & { unrecognised?: string[] }) | null) {
  const inOrder = (filters: readonly NamedCode[]) => filters.toSorted((a, b) => (a.code < b.code ? -1 : 1))
  const { filters, custom: others, ...rest } = search ?? emptyLinkQuery()
  const ordered = filterCategories.map((category) => [category, inOrder(filters[category])])
  return { ...rest, filters: Object.fromEntries(ordered), custom: inOrder(others) }
}

function questionOf(address: string) {
  const { searchParams } = new URL(address)
  const fragments = (searchParams.get('rh') ?? '')
    .split(',')
    .map((part) => part.split(/[:|]/).toSorted().join())
  searchParams.delete('rh')
  return [new Set(fragments), new Set([...searchParams].map((pair) => pair.join('=')))]
}

it('an address as it stands in the source of a page is read as the page shows it', () => {
  const address = 'https://www.amazon.com/s?k=lamp&amp;rh=p_89%3AAcme&amp;s=price-asc-rank'
  const read = parseSearchLink(address, [], { domain: 'amazon.com' })
  expect(read?.unrecognised).toEqual([])
  expect(read?.custom.map(({ code }) => code)).toEqual(['p_89:Acme', 's=price-asc-rank'])
})
