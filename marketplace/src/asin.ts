import { marketplaceByDomain } from './marketplaces.ts'

/** Ten capitals or digits with at least one digit: a word of ten letters is not an item. */
const bare = /^(?=[A-Z]*\d)[A-Z0-9]{10}$/

/** The forms of a product address, wherever they stand in it: relative, after a slug, inside a redirect. */
const inPath =
  /(?:^|[/=])(?:dp|d|gp\/(?:product|aw\/d|offer-listing|d)|product-reviews|product|exec\/obidos\/(?:asin|tg\/detail\/-)|o\/asin|gp\/aw\/ol|gp\/offer-listing)\/(?:glance\/)?([a-z0-9]{10})(?![a-z0-9])/i
const inQuery = /[?&](?:asin|creativeasin)=([a-z0-9]{10})(?![a-z0-9])/i
const shortHost = /^(?:https?:\/\/)?(?:www\.)?amzn\.com\/([a-z0-9]{10})(?![a-z0-9])/i
const shopHost = /(?:^|[/.@])(amazon\.[a-z]{2,3}(?:\.[a-z]{2})?)(?=[/?#:]|$)/gi

/** Whether the text is an item ID exactly as the shop writes it. */
export function isAsin(text: string): boolean {
  return bare.test(text)
}

/**
 * The item ID (ASIN, or the ISBN-10 of a book) in what a person or a file gives: the ID itself in any case, or a
 * product address of any form (relative, with tracking, behind a redirect). Null when there is none.
 */
export function asinOf(text: string): string | null {
  if (bare.test(text)) return text
  const trimmed = text.trim()
  return trimmed.length === 10 && isAsin(trimmed.toUpperCase())
    ? trimmed.toUpperCase()
    : asinOfAddress(trimmed)
}

/** The item ID in a product address, or null. A redirect's target counts, however often it is encoded. */
export function asinOfAddress(address: string): string | null {
  let text = address.slice(0, 4000)
  for (let round = 0; round < 4; round++) {
    const found = (inPath.exec(text) ?? shortHost.exec(text) ?? inQuery.exec(text))?.[1]?.toUpperCase()
    if (found !== undefined && isAsin(found)) return found
    const decoded = decodeOnce(text)
    if (decoded === text) return null
    text = decoded
  }
  return null
}

/**
 * A book's ID that lost its leading zeros in a spreadsheet (`547577095` for `0547577095`), or null unless the ISBN's
 * check digit proves the repair.
 */
export function repairedIsbn(text: string): string | null {
  if (!/^\d{5,9}[\dX]?$/i.test(text)) return null
  const isbn = text.toUpperCase().padStart(10, '0')
  if (isbn.length !== 10) return null
  let sum = 0
  for (let place = 0; place < 10; place++)
    sum += (10 - place) * (isbn[place] === 'X' ? 10 : Number(isbn[place]))
  return sum % 11 === 0 ? isbn : null
}

/**
 * The shop an address leads to, such as `amazon.co.uk`; null for relative addresses and those of other sites. A
 * redirect's absolute target counts, not the site that redirects. The shop need not be one we know.
 */
export function shopOfAddress(address: string): string | null {
  let text = address.slice(0, 4000)
  let found: string | null = null
  for (let round = 0; round < 4; round++) {
    const hosts = [...text.matchAll(shopHost)]
    // The outermost host stays the answer while a deeper decoding shows only a relative target.
    found = hosts.at(-1)?.[1]?.toLowerCase() ?? found
    const decoded = decodeOnce(text)
    if (decoded === text) break
    text = decoded
  }
  return found
}

/** Whether an address leads to the shop of another country. Relative addresses and other sites do not tell. */
export function leadsElsewhere(address: string, domain: string): boolean {
  const shop = shopOfAddress(address)
  if (shop === null) return false
  return (marketplaceByDomain(shop)?.domain ?? shop) !== domain
}

function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray percent sign spoils only its own sequence.
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (sequence) => {
      try {
        return decodeURIComponent(sequence)
      } catch {
        return sequence
      }
    })
  }
}
