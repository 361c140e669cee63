import { marketplaceByDomain } from './marketplaces.ts'
import { trimmed } from './pieces.ts'

/** Characters of an address to be read: several times as many as the longest that the shop makes. */
export const longestAddress = 6_000

/** Whether the address is an http(s) address on a host of the marketplace: what 'Open in Browser' may open. */
export function isShopAddress(address: string, domain: string): boolean {
  return /^https?:\/\//i.test(address) && readShopAddress(address, domain) !== null
}

/**
 * The address, scheme added where it was left out, when it is an http(s) address on a host of the marketplace
 * (`www.`, `smile.`, `m.` or none) and its usual port; null otherwise. Without a domain any marketplace's host counts.
 */
function readShopAddress(address: string, domain?: string): URL | null {
  // Copied from the source of a page it has these.
  const bare = trimmed(address.trim().replaceAll('&amp;', '&'), `<"'“‘ `, `>"'”’ `)
  // A scheme of another kind (`javascript:`) must not turn into a path of the shop.
  const text = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(bare) ? bare : `https://${bare.replace(/^\/\//, '')}`
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.port !== '' || url.username !== '' || url.password !== '') return null
  const shop = marketplaceByDomain(url.hostname)
  return shop && (domain === undefined || shop.domain === domain) ? url : null
}

/** The address of a search in the shop, or null for any other address. See `readShopAddress`. */
export function readSearchAddress(address: string, domain?: string): URL | null {
  const url = readShopAddress(address, domain)
  if (!url) return null
  if (/\/(?:s|gp\/(?:search|aw\/s)|mn\/search)(?:\/|$)/.test(url.pathname)) return url
  // The page of a department is the search for everything in it.
  return /\/(?:b|gp\/browse\.html)(?:\/|$)/.test(url.pathname) && url.searchParams.has('node') ? url : null
}
