import type { Marketplace } from './marketplaces.ts'

/**
 * The clean address of a product: no tracking, and the installation's own affiliate tag or none.
 * Shape confirmed by every product address in circulation: /dp/ followed by the ten-character ASIN.
 */
export function productLink(asin: string, marketplace: Marketplace, affiliateTag: string): string {
  const tag = affiliateTag === '' ? '' : `?tag=${encodeURIComponent(affiliateTag)}`
  return `https://www.${marketplace.domain}/dp/${asin}${tag}`
}
