import type { Filter } from './filters.ts'

/**
 * How sure a code is. A: read from a page or link the shop itself made, under that label. B: in real addresses or
 * public code, the label being that author's. Nothing weaker is shipped.
 */
export type Confidence = 'A' | 'B'

/** A filter of the default set, with where its code was seen. */
export type DefaultFilter = Filter & { confidence: Confidence; source: string }

/** Where codes were seen. */
export const sources = {
  results2021: 'links in the left column of a results page, June 2021',
  dropDown: 'the search drop-down, 2025',
  roots: "Keepa's map of the root departments",
  sampleOutput: "Oxylabs' sample of a results page, June 2025",
  addresses: 'addresses of searches people published',
  links: 'labelled links people published',
  sortMenu: "the shop's own sort menu, and code with the same six values",
  percentRange: 'tried on a live site in May 2026, and many published addresses',
  sellerCode: 'public code that names the seller',
  haul: 'live check in May 2026, page title included',
  bazaarIndia: "the shop's own home page in India",
} as const
