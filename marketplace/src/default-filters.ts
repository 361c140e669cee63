import { brandNames } from './default-brands.ts'
import { departments } from './default-departments.ts'
import { type DefaultFilter, sources } from './filter-facts.ts'
import type { FilterCategory } from './filters.ts'
import { marketplaceByDomain } from './marketplaces.ts'

type Row = readonly [name: string, code: string, confidence: DefaultFilter['confidence'], source: string]

/**
 * The filters an empty installation begins with, and the ones shown while none can be loaded: only codes that are known
 * to work in the marketplace of that domain. Each name once in its category.
 */
export function defaultFilters(domain: string): readonly DefaultFilter[] {
  const isFirstShop = domain === 'amazon.com'
  return [
    ...named(
      'brands',
      brandNames.map(([name, ...rest]) => [name, `p_89:${name}`, ...rest] as const),
    ),
    ...named('deals', isFirstShop ? deals : []),
    ...named('percent_off', percentOff(domain)),
    ...named('departments', isFirstShop ? departments : (otherDepartments[domain] ?? [])),
    ...named('sold_by', sellers(domain)),
    ...named('sort_by', sorts),
  ]
}

function named(category: FilterCategory, rows: readonly Row[]): DefaultFilter[] {
  return rows.map(([name, code, confidence, source]) => ({ category, name, code, confidence, source }))
}

const deals: readonly Row[] = [
  ['All Discounts', 'p_n_deal_type:23566065011', 'A', sources.sampleOutput],
  ["Today's Deals", 'p_n_deal_type:23566064011', 'A', sources.sampleOutput],
  ['Free Shipping by Amazon', 'p_76:2661625011', 'A', sources.sampleOutput],
  ['Prime Eligible', 'p_85:2470955011', 'A', sources.links],
]

const sorts: readonly Row[] = [
  ['Featured', 's=relevanceblender', 'A', sources.sortMenu],
  ['Low to High', 's=price-asc-rank', 'A', sources.sortMenu],
  ['High to Low', 's=price-desc-rank', 'A', sources.sortMenu],
  ['Avg. Customer Review', 's=review-rank', 'A', sources.sortMenu],
  ['Newest Arrivals', 's=date-desc-rank', 'A', sources.sortMenu],
  ['Best Sellers', 's=exact-aware-popularity-rank', 'A', sources.sortMenu],
]

/** In these shops percentages are of the price with tax, under a name of their own. */
const percentWithTax = new Set(['amazon.in', 'amazon.com.tr'])

function percentOff(domain: string): Row[] {
  const refinement = percentWithTax.has(domain) ? 'p_n_pct-off-with-tax' : 'p_8'
  const source = percentWithTax.has(domain) ? sources.addresses : sources.percentRange
  return [40, 50, 60, 70, 80, 90].map((percent) => [
    `${percent}% off or more`,
    `${refinement}:${percent}-`,
    'B',
    source,
  ])
}

const otherDepartments: Readonly<Record<string, readonly Row[]>> = {
  'amazon.in': [['Amazon Bazaar', 'i=bazaar&bbn=28166270031&rh=n:28166270031', 'A', sources.bazaarIndia]],
}

const resellers: Readonly<Record<string, Row>> = {
  'amazon.com': ['Amazon Resale', 'p_6:A2L77EE7U53NWQ', 'A', sources.links],
  'amazon.com.tr': ['Amazon Warehouse', 'p_6:A215JX4S9CANSO', 'B', sources.sellerCode],
}

function sellers(domain: string): Row[] {
  const shop = marketplaceByDomain(domain)
  const reseller = resellers[domain]
  if (!shop?.ownSellerId) return []
  const isFirstShop = domain === 'amazon.com'
  const source = isFirstShop ? sources.sampleOutput : sources.sellerCode
  return [
    [shop.name, `p_6:${shop.ownSellerId}`, isFirstShop ? 'A' : 'B', source],
    ...(reseller ? [reseller] : []),
  ]
}
