import { createHash } from 'node:crypto'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import type { KeepaSettings } from './form.ts'

/** Keepa's numbers of the marketplaces that it knows. */
const domainIds: Readonly<Record<string, number>> = {
  ...{
    'amazon.com': 1,
    'amazon.co.uk': 2,
    'amazon.de': 3,
    'amazon.fr': 4,
    'amazon.co.jp': 5,
    'amazon.ca': 6,
  },
  ...{ 'amazon.it': 8, 'amazon.es': 9, 'amazon.in': 10, 'amazon.com.mx': 11, 'amazon.com.br': 12 },
}

/** Positions in Keepa's lists of prices. */
export const priceTypes = {
  ...{ amazon: 0, new: 1, fba: 10, lightning: 8, warehouse: 9 },
  ...{ listPrice: 4, rating: 16, reviews: 17, buyBox: 18 },
} as const

const dateRanges = { day: 0, week: 1, month: 2, quarter: 3 } as const
const newestFirst = 1
/** As good as without an end, in the smallest unit of any currency. */
const endlessPrice = 2_000_000_000

export function domainIdOf({ domain }: Marketplace): number | undefined {
  return domainIds[domain]
}

/** The question to Keepa, but for the page: amounts in the smallest unit of the currency, ratings in tenths. */
export function selectionOf(settings: KeepaSettings, domainId: number, { decimals }: Marketplace) {
  const { least_price, most_price, least_rating, title_words } = settings
  const unit = 10 ** decimals
  const amount = (price: number) => Math.round(price * unit)
  const numbers = (ids: readonly string[]) => ids.map(Number)
  return {
    ...{ domainId, priceTypes: [priceTypes[settings.price]], dateRange: dateRanges[settings.period] },
    ...{ sortType: newestFirst, isRangeEnabled: true, isFilterEnabled: true },
    deltaPercentRange: [settings.least_percent, 100],
    ...((least_price !== null || most_price !== null) && {
      currentRange: [amount(least_price ?? 0), most_price === null ? endlessPrice : amount(most_price)],
    }),
    minRating: least_rating === null ? -1 : Math.round(least_rating * 10),
    ...(title_words !== '' && { titleSearch: title_words }),
    ...(settings.include_categories.length > 0 && {
      includeCategories: numbers(settings.include_categories),
    }),
    ...(settings.exclude_categories.length > 0 && {
      excludeCategories: numbers(settings.exclude_categories),
    }),
  }
}

/** Tells one question from another: where one has been read to says nothing of the other. */
export function questionHash(selection: object): string {
  return createHash('sha256').update(JSON.stringify(selection)).digest('hex').slice(0, 16)
}
