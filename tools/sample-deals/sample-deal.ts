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
  age_minutes: number
  discord_age_minutes: number | null
  /** Earlier prices, oldest first; the current price follows them. */
  history: { age_minutes: number; price: number; original_price: number | null }[]
}
