/** The fields of a deal that a column of an imported file can fill, as people read them: what a row can't do without first. */
export const importFieldLabels = {
  asin: 'ASIN',
  product_url: 'Product address',
  title: 'Title',
  price: 'Price',
  original_price: 'Original price',
  availability: 'Availability',
  image_url: 'Picture address',
  rating: 'Rating',
  review_count: 'Review count',
  prime_eligible: 'Prime',
  brand: 'Brand',
  category: 'Category',
  condition: 'Condition',
  currency: 'Currency',
  marketplace: 'Marketplace',
  first_seen: 'First seen',
  observed_at: 'Observed at',
  ends_at: 'Ends at',
  deal_state: 'State of the deal',
  posted_to_discord: 'Posted to Discord',
  discord_timestamp: 'Discord time',
} as const
// The record has exactly these keys, which Object.keys can't say.
export const importFields = Object.keys(importFieldLabels) as (keyof typeof importFieldLabels)[]
