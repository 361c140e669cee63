import type { FilterImportResult } from '@dealdeck/contract/filters'
import { type Filter, type FilterCategory, filterCategories } from '@dealdeck/marketplace/filters'
import { compareNames } from '../../platform/name-order.ts'
import type { BrandSort } from './view/search.ts'

/** What a category is called on a tab. */
export const categoryLabels: Record<FilterCategory, string> = {
  brands: 'Brands',
  deals: 'Deal Types',
  percent_off: 'Discounts',
  departments: 'Departments',
  sold_by: 'Sellers',
  sort_by: 'Sort Options',
}

export type Tab = 'all' | FilterCategory
export const tabs: readonly Tab[] = ['all', ...filterCategories]

/** '3 added, 1 changed, none removed, 70 stay as they are'. */
export function importLine(result: FilterImportResult, number: (value: number) => string): string {
  const count = (value: number) => (value === 0 ? 'none' : number(value))
  const { added, changed, removed, unchanged } = result
  return `${count(added)} added, ${count(changed)} changed, ${count(removed)} removed, ${count(unchanged)} unchanged`
}

/** A filter with what a search looks at. */
export type Entry<F extends Filter = Filter> = { filter: F; folded: string }

const order = new Map<FilterCategory, number>(filterCategories.map((category, index) => [category, index]))

/** All filters in the order they are shown: by category as the tabs have them, then by name. */
export function indexFilters<F extends Filter>(filters: readonly F[]): Entry<F>[] {
  return filters
    .map((filter) => ({ filter, folded: fold(`${filter.name}\n${filter.code}`) }))
    .sort(
      (a, b) =>
        (order.get(a.filter.category) ?? 0) - (order.get(b.filter.category) ?? 0) ||
        compareNames(a.filter.name, b.filter.name),
    )
}

/** Those whose name or code holds every word. A code may be typed as it stands in an address, percent-encoded. */
export function searchEntries<E extends Entry>(entries: readonly E[], query: string): readonly E[] {
  const words = fold(decode(query)).split(/\s+/u).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter(({ folded }) => words.every((word) => folded.includes(word)))
}

/** How many entries each tab holds. */
export function countTabs(entries: readonly Entry[]): Record<Tab, number> {
  const counts = {
    all: entries.length,
    brands: 0,
    deals: 0,
    percent_off: 0,
    departments: 0,
    sold_by: 0,
    sort_by: 0,
  }
  for (const { filter } of entries) counts[filter.category] += 1
  return counts
}

/** The entries of one tab. */
export function entriesOf<E extends Entry>(entries: readonly E[], tab: Tab): readonly E[] {
  return tab === 'all' ? entries : entries.filter(({ filter }) => filter.category === tab)
}

/** Brands, in the order of `indexFilters`, by name or by code, either way; brands with the same code stay by name. */
export function sortBrands(entries: readonly Entry[], sort: BrandSort, descending: boolean): Entry[] {
  // They come by name already, and comparing 5,000 names takes longer than a frame.
  if (sort === 'name') return descending ? entries.toReversed() : [...entries]
  const direction = descending ? -1 : 1
  return entries.toSorted((a, b) => direction * compareNames(a.filter.code, b.filter.code))
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

function decode(query: string): string {
  try {
    return decodeURIComponent(query)
  } catch {
    return query
  }
}
