import type { Deal } from '@dealdeck/contract/deals'

/** The two made-up deals that stand in while the server can't be reached. They lead nowhere. `now` in milliseconds. */
export function sampleDeals(now: number): [Deal, Deal] {
  // Old enough not to be flagged as new.
  const seen = new Date(now - 24 * 60 * 60_000).toISOString()
  const lamp: Deal = {
    id: -1,
    asin: 'SAMPLE0001',
    title: 'Sample deal: folding desk lamp with three brightness levels',
    brand: null,
    category: null,
    condition: null,
    price: 12.99,
    original_price: 19.99,
    discount_percentage: 35,
    rating: 4.4,
    review_count: 1280,
    image_url: null,
    product_url: '',
    availability: 'In Stock',
    prime_eligible: true,
    first_seen: seen,
    last_updated: seen,
    observed_at: seen,
    ends_at: null,
    posted_to_discord: false,
    discord_timestamp: null,
    is_sample: true,
    verdict: null,
  }
  const boxes: Deal = {
    ...lamp,
    id: -2,
    asin: 'SAMPLE0002',
    title: 'Sample deal: set of four stackable storage boxes',
    price: 7.5,
    original_price: null,
    discount_percentage: null,
    rating: 3.9,
    review_count: 214,
    availability: 'Only 3 left',
    prime_eligible: false,
  }
  return [lamp, boxes]
}
