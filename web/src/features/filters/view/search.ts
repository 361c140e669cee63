import { type FilterCategory, filterCategories } from '@dealdeck/marketplace/filters'

export type BrandSort = 'name' | 'code'

/** The filter page's part of the address; what is missing is everything. Brands are by name from A to Z unless it says otherwise. */
export type FiltersSearch = {
  q?: string | undefined
  category?: FilterCategory | undefined
  sort?: 'code' | undefined
  desc?: true | undefined
}

/** Reads an address, typed by the app or by hand. What makes no sense is left out, so this never fails. */
export const filtersSearchSchema = {
  parse({ q, category, sort, desc }: Record<string, unknown>): FiltersSearch {
    const isBrands = category === 'brands'
    return {
      q: readWords(q),
      category: filterCategories.find((known) => known === category),
      sort: isBrands && sort === 'code' ? sort : undefined,
      desc: isBrands && (desc === true || desc === 'true') ? true : undefined,
    }
  },
}

function readWords(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  return String(value).slice(0, 200).toWellFormed().trim() || undefined
}
