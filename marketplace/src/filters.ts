/** The six kinds of filters, in the order in which they are offered. */
export const filterCategories = [
  'brands',
  'deals',
  'percent_off',
  'departments',
  'sold_by',
  'sort_by',
] as const
export type FilterCategory = (typeof filterCategories)[number]

/** What a filter is called and what it adds to a search address: a fragment in normal form, such as `p_8:50-`. */
export type NamedCode = { name: string; code: string }

export type Filter = NamedCode & { category: FilterCategory }

/** What somebody wants to search for. Prices in the marketplace's currency; null where there is no limit. */
export type LinkQuery = {
  keyword: string
  minPrice: number | null
  maxPrice: number | null
  filters: Record<FilterCategory, NamedCode[]>
  custom: NamedCode[]
}

/** A search that asks for nothing yet; a new one each time, so that nobody changes another's. */
export function emptyLinkQuery(): LinkQuery {
  return {
    keyword: '',
    minPrice: null,
    maxPrice: null,
    filters: { brands: [], deals: [], percent_off: [], departments: [], sold_by: [], sort_by: [] },
    custom: [],
  }
}
