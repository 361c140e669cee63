const highestPrice = 99_999_999.99

/** A price in hundredths, exact: 19.99 → 1999. Null for what is no price; nothing costs less than nothing. */
export function toCents(price: number | null): number | null {
  if (price === null || !Number.isFinite(price)) return null
  // The product alone may lie a hair off half a cent (1.005 * 100 = 100.49999…), its decimal text does not.
  return Math.round(Number(`${Math.max(0, Math.min(price, highestPrice)).toFixed(6)}e2`))
}

/**
 * The value of `p_36` for a range, such as `500-3000`, `-3000` or `5000-`; null when there is no limit. Nothing costs 0, so
 * a highest price of 0 is none.
 */
export function priceRange(minPrice: number | null, maxPrice: number | null): string | null {
  const [low, high] = [toCents(minPrice), toCents(maxPrice)]
  if (high === 0) return low ? `${low}-` : null
  return low === null && high === null ? null : `${low ?? ''}-${high ?? ''}`
}

/** The prices of a `p_36` range, or null when it is one of the shop's own numbered ranges, or ends at 0 and finds nothing. */
export function readPriceRange(value: string): { minPrice: number | null; maxPrice: number | null } | null {
  const [, low, high] = /^(\d*)-(\d*)$/.exec(value) ?? []
  if (low === undefined || high === undefined || Number(high || 1) === 0) return null
  return {
    minPrice: low === '' ? null : Number(low) / 100,
    maxPrice: high === '' ? null : Number(high) / 100,
  }
}

/** A price as somebody typed it into an address, in whole units: `30`, `19.99`, `$1,000`. Null when it is none. */
export function readPrice(text: string): number | null {
  const bare = text.replace(/^\p{Sc}|\s/gu, '').replace(/,(?=\d{3}(?:\D|$))/g, '')
  return /^\d{1,8}(?:\.\d{1,2})?$/.test(bare) ? Number(bare) : null
}

/** Why a price range finds nothing, or null. A highest price of 0 is no limit. */
export function priceProblem(minPrice: number | null, maxPrice: number | null): string | null {
  const [low, high] = [toCents(minPrice), toCents(maxPrice)]
  if (low === null || !high || low <= high) return null
  return 'The lowest price is above the highest price, so nothing can match.'
}
