/**
 * The clean address of a product: nothing but the shop, the item ID and the installation's own affiliate tag, if it
 * has one. `domain` is the marketplace's, such as `amazon.in`.
 */
export function productLink(asin: string, domain: string, affiliateTag = ''): string {
  const address = `https://www.${domain}/dp/${asin}`
  return affiliateTag === '' ? address : `${address}?tag=${encodeURIComponent(affiliateTag)}`
}
