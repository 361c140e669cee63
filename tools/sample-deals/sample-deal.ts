import type { VerdictKind } from '@dealdeck/contract/prices'

/** A deal as `deals.json` keeps it: money without currency, times as minutes before the moment of loading. */
export type SampleDeal = {
  asin: string
  title: string
  price: number
  original_price: number | null
  rating: number | null
  review_count: number | null
  /** A file of `images/`; null shows the placeholder. */
  image: string | null
  availability: string | null
  prime_eligible: boolean
  /** Since its first sight, which is that of its oldest price. */
  age_minutes: number
  discord_age_minutes: number | null
  /** What its prices say of the current one when it is loaded. */
  shows: VerdictKind
  /** Earlier prices, oldest first, each seen until the next; null where it wasn't offered. The current price follows them. */
  history: SamplePrice[]
  /** Since when the current price is seen. */
  price_age_minutes: number
}

export type SamplePrice = { age_minutes: number; price: number | null; original_price: number | null }
