import { plainText, plainTitle } from './folding.ts'

/** A deal as questions see it: texts folded once, times in milliseconds since 1970 with fractions. */
export type DealFacts = {
  title: string
  asin: string
  brand: string | null
  category: string | null
  condition: string | null
  price: number
  /** Percent off the original price; null without an original price above the price. */
  off: number | null
  rating: number | null
  reviews: number | null
  isPrime: boolean
  hasListPrice: boolean
  firstSeen: number
  lastChecked: number
  lastUpdated: number
  endsAt: number | null
  /** The kind of its verdict; this and what follows is null where it is not known. */
  verdict: string | null
  /** Percent under its typical price; null unless it is under it. */
  underTypical: number | null
  /** The longest of 30, 90 and 365 days of which the price is the low. */
  lowDays: number | null
  /** By how many percent the price fell when it last changed, and when that was; null where it rose. */
  drop: number | null
  droppedAt: number | null
  isSample: boolean
  isVisible: boolean
}

/** The part of a deal's JSON that can be asked for. */
export type AskedDeal = {
  title: string
  asin: string
  brand: string | null
  category: string | null
  condition: string | null
  price: number
  original_price: number | null
  discount_percentage: number | null
  rating: number | null
  review_count: number | null
  prime_eligible: boolean
  first_seen: string
  observed_at: string
  last_updated: string
  ends_at: string | null
  verdict: {
    kind: string
    under_typical: number | null
    low_days: number | null
    drop: number | null
    dropped_at: string | null
  } | null
  is_sample: boolean
}

/** What questions ask of a deal; made once for all of them. `isVisible`: whether every member may see it. */
export function factsOf(deal: AskedDeal, isVisible: boolean): DealFacts {
  // A device may have kept deals of a release without these.
  const { kind, under_typical, low_days, drop, dropped_at } = deal.verdict ?? {}
  return {
    title: plainTitle(deal.title),
    asin: deal.asin,
    brand: deal.brand === null ? null : plainText(deal.brand),
    category: deal.category === null ? null : plainText(deal.category),
    condition: deal.condition,
    price: deal.price,
    off: deal.discount_percentage,
    rating: deal.rating,
    reviews: deal.review_count,
    isPrime: deal.prime_eligible,
    hasListPrice: deal.original_price !== null,
    firstSeen: timeOf(deal.first_seen),
    lastChecked: timeOf(deal.observed_at),
    lastUpdated: timeOf(deal.last_updated),
    endsAt: deal.ends_at === null ? null : timeOf(deal.ends_at),
    verdict: kind ?? null,
    underTypical: under_typical ?? null,
    lowDays: low_days ?? null,
    drop: drop ?? null,
    droppedAt: dropped_at == null ? null : timeOf(dropped_at),
    isSample: deal.is_sample,
    isVisible,
  }
}

/** A time in ISO 8601 in milliseconds since 1970. Of six decimals a Date has three; PostgreSQL compares with all of them. */
export function timeOf(text: string): number {
  const [, microseconds = ''] = /\.\d{3}(\d{1,3})/.exec(text) ?? []
  return Date.parse(text) + Number(microseconds.padEnd(3, '0')) / 1000
}
