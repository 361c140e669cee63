import type { LinkInput, ParsedLink } from '@dealdeck/contract/links'
import { normaliseFilterCode } from '@dealdeck/marketplace/filter-codes'
import {
  emptyLinkQuery,
  type Filter,
  type FilterCategory,
  filterCategories,
  type LinkQuery,
  type NamedCode,
} from '@dealdeck/marketplace/filters'
import { priceProblem } from '@dealdeck/marketplace/prices'
import { needsSort, sortWarning } from '@dealdeck/marketplace/search-links'
import type { ParsedSearch } from '@dealdeck/marketplace/search-parsing'
import { AppError } from '../../platform/errors.ts'
import { foldName } from '../filters/rules.ts'

/**
 * The search somebody asks for, its names looked up among the stored filters. Throws UNPROCESSABLE, naming the field,
 * for names nobody stored, custom codes that are none, a price range that holds nothing and departments without a sort.
 */
export function readSearch(input: LinkInput, stored: readonly Filter[]): LinkQuery {
  const { keyword, min_price: minPrice = null, max_price: maxPrice = null } = input
  const problem = priceProblem(minPrice, maxPrice)
  if (problem !== null) throw refusal('max_price', problem)
  const filters = emptyLinkQuery().filters
  for (const category of filterCategories) {
    filters[category] = (input.filters[category] ?? []).map((name) => find(stored, category, name))
  }
  const search = { keyword, minPrice, maxPrice, filters, custom: readCustom(input.custom) }
  if (needsSort(search)) throw refusal('filters.sort_by', sortWarning)
  return search
}

const indexes = new WeakMap<readonly Filter[], ReadonlyMap<string, NamedCode>>()

function find(stored: readonly Filter[], category: FilterCategory, name: string): NamedCode {
  const index =
    indexes.get(stored) ?? new Map(stored.map((filter) => [keyOf(filter.category, filter.name), filter]))
  indexes.set(stored, index)
  const found = index.get(keyOf(category, name))
  if (found) return { name: found.name, code: found.code }
  throw refusal(`filters.${category}`, `There is no filter '${name}' in ${category}.`)
}

const keyOf = (category: FilterCategory, name: string) => `${category} ${foldName(name.trim())}`

function readCustom(custom: LinkInput['custom']): NamedCode[] {
  return custom.flatMap(({ name, code }, index) => {
    if (name.trim() === '' || code.trim() === '') return []
    const read = normaliseFilterCode(code)
    if ('problem' in read) throw refusal(`custom.${index}.code`, read.problem)
    return [{ name: name.trim(), code: read.code }]
  })
}

/** A search read from an address as it goes over the wire: chosen filters by name. */
export function toParsedLink({ minPrice, maxPrice, filters, ...search }: ParsedSearch): ParsedLink {
  const namesIn = (category: FilterCategory) => filters[category].map(({ name }) => name)
  return {
    ...search,
    ...{ min_price: minPrice, max_price: maxPrice },
    filters: {
      brands: namesIn('brands'),
      deals: namesIn('deals'),
      percent_off: namesIn('percent_off'),
      departments: namesIn('departments'),
      sold_by: namesIn('sold_by'),
      sort_by: namesIn('sort_by'),
    },
  }
}

export function refusal(field: string, message: string): AppError {
  return new AppError('UNPROCESSABLE', message, { fields: { [field]: message } })
}
