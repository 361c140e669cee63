import { codePieces } from './filter-codes.ts'
import type { LinkQuery, NamedCode } from './filters.ts'
import { pieceName } from './piece-names.ts'
import { percentRanges } from './pieces.ts'
import { type ResolvedSearch, resolveSearch } from './search-resolution.ts'

/** How money is written in the words: ISO 4217 currency, and the locale of the marketplace. */
export type WordsFormat = { currency: string; locale: string }

const sortWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    relevanceblender: 'featured first',
    'featured-rank': 'featured first',
    'price-asc-rank': 'cheapest first',
    'price-desc-rank': 'most expensive first',
    'review-rank': 'best rated first',
    'date-desc-rank': 'newest first',
    'exact-aware-popularity-rank': 'best sellers first',
    'popularity-rank': 'best sellers first',
  }),
)
const mostNames = 6

/**
 * A search in words, such as 'phone case, $5–$30, Apple or Sony, 50 % off or more, cheapest first': what its link asks,
 * filters that can't be in it left out. Empty for a search that asks for nothing.
 */
export function describeSearch(search: LinkQuery, format: WordsFormat): string {
  const resolved = resolveSearch(search)
  const { brands, deals, departments, sold_by } = search.filters
  const isIn = ({ name, code }: NamedCode) =>
    !resolved.leftOut.some((filter) => name === filter.name && code === filter.code)
  const custom = groupCustom(search.custom.filter(isIn))
  const parts = [
    resolved.keyword,
    priceWords(search, format),
    alternatives([...brands, ...custom.brands].filter(isIn)),
    percentWords(resolved),
    alternatives(deals.filter(isIn)),
    prefixed('in', listOf([...departments, ...custom.departments].filter(isIn), 'and')),
    prefixed('sold by', alternatives([...sold_by, ...custom.sellers].filter(isIn))),
    listOf(custom.others, 'and'),
    custom.unnamed === 0 ? '' : `${custom.unnamed} more ${custom.unnamed === 1 ? 'filter' : 'filters'}`,
    sortWordsOf(search, resolved),
  ]
  return parts.filter((part) => part !== '').join(', ')
}

type CustomGroups = Record<'brands' | 'departments' | 'sellers' | 'others', NamedCode[]> & { unnamed: number }

/** Custom filters beside those they are joined with; what has no name but its code is counted. */
function groupCustom(custom: readonly NamedCode[]): CustomGroups {
  const groups: CustomGroups = { brands: [], departments: [], sellers: [], others: [], unnamed: 0 }
  for (const filter of custom) {
    const names = codePieces(filter.code).map(({ name }) => name)
    if (names.every((name) => percentRanges.has(name) || name === 's')) continue
    if (filter.name === filter.code) groups.unnamed++
    else if (names.every((name) => /^p_(?:89|123|4)$/.test(name))) groups.brands.push(filter)
    else if (names.every((name) => name === 'n' || name === 'i')) groups.departments.push(filter)
    else if (names.every((name) => name === 'p_6')) groups.sellers.push(filter)
    else groups.others.push(filter)
  }
  return groups
}

function priceWords({ minPrice, ...query }: LinkQuery, { currency, locale }: WordsFormat): string {
  // As in the link, a highest price of 0 is none, and with it a lowest of 0.
  const maxPrice = query.maxPrice || null
  if (query.maxPrice === 0 && !minPrice) return ''
  // Made where there is a price: the first format of a page takes as long as the rest of an empty link generator.
  const format = (amount: number) =>
    new Intl.NumberFormat(locale, {
      ...{ style: 'currency', currency },
      trailingZeroDisplay: 'stripIfInteger',
    }).format(amount)
  if (minPrice !== null && maxPrice !== null) return `${format(minPrice)}–${format(maxPrice)}`
  if (maxPrice !== null) return `up to ${format(maxPrice)}`
  return minPrice === null ? '' : `from ${format(minPrice)}`
}

function percentWords({ refinements }: ResolvedSearch): string {
  const words = [...percentRanges].flatMap((refinement) =>
    (refinements.get(refinement) ?? []).map((value) => {
      const [, from, to] = /^(\d*)-(\d*)$/.exec(value) ?? []
      if (from === undefined || to === undefined) {
        return pieceName({ kind: 'refinement', name: refinement, value })
      }
      if (to === '') return `${from} % off or more`
      return Number(from) === 0 ? `up to ${to} % off` : `${from}–${to} % off`
    }),
  )
  return words.join(' or ')
}

/** Values of one refinement are alternatives; filters of different ones must all hold. */
function alternatives(filters: readonly NamedCode[]): string {
  const groups = Map.groupBy(filters, ({ code }) => codePieces(code)[0]?.name)
  return Array.from(groups.values(), (group) => listOf(group, 'or')).join(' and ')
}

function listOf(filters: readonly NamedCode[], between: 'and' | 'or'): string {
  const names = [...new Set(filters.map(({ name }) => name))]
  const shown = names.length > mostNames ? names.slice(0, mostNames - 1) : names.slice(0, -1)
  const last = names.length > mostNames ? `${names.length - shown.length} others` : names.at(-1)
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} ${between} ${last}`
}

const prefixed = (word: string, names: string) => (names === '' ? '' : `${word} ${names}`)

function sortWordsOf({ filters }: LinkQuery, { parameters }: ResolvedSearch): string {
  const value = parameters.get('s')
  if (value === undefined) return ''
  return sortWords.get(value) ?? `sorted by ${filters.sort_by.at(-1)?.name ?? value}`
}
