import { type FilterCategory, filterCategories } from '@dealdeck/marketplace/filters'

/** The filter page's part of the address; what is missing is everything. */
export type FiltersSearch = { q?: string | undefined; category?: FilterCategory | undefined }

/** Reads an address, typed by the app or by hand. What makes no sense is left out, so this never fails. */
export const filtersSearchSchema = {
  parse({ q, category }: Record<string, unknown>): FiltersSearch {
    return { q: readWords(q), category: filterCategories.find((known) => known === category) }
  },
}

export type BrandSort = 'name' | 'code'

/** The brand page's part of the address: by name from A to Z unless it says otherwise. */
export type BrandsSearch = { q?: string | undefined; sort?: 'code' | undefined; desc?: true | undefined }

/** Reads an address as `filtersSearchSchema` does. */
export const brandsSearchSchema = {
  parse({ q, sort, desc }: Record<string, unknown>): BrandsSearch {
    return {
      q: readWords(q),
      sort: sort === 'code' ? sort : undefined,
      desc: desc === true || desc === 'true' ? true : undefined,
    }
  },
}

function readWords(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  return String(value).slice(0, 200).toWellFormed().trim() || undefined
}
