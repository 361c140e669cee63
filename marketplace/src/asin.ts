import { marketplaceByDomain } from './marketplaces.ts'
import { decodeOnce } from './percent-encoding.ts'
import { plainText, trimmed } from './pieces.ts'

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

/** Hosts of short links, whose way only the shop knows. `amzn.com` also leads to items directly. */
const shortLink = /^(?:https?:\/\/)?(?:www\.)?(?:a\.co|amzn\.(?:to|eu|asia|in|com))\//i
const anAddress = /^(?:https?:)?\/\/|^(?:[\w-]+\.)+[a-z]{2,}(?:[/?#:]|$)|^\//i
const wrongDigit = "This looks like an ISBN, but its check digit doesn't fit. Is a digit mistyped?"
const wanted = 'An ASIN is B and nine letters or digits, or the ten digits of a book.'

/**
 * The item ID in whatever a person pastes: an ASIN in any case, an ISBN with its hyphens, a product address of any form,
 * or one of these among other words. `problem` says in plain words why there is none.
 */
export function readAsin(text: string): { asin: string } | { problem: string } {
  const pasted = trimmed(plainText(text.normalize('NFKC')), `<"'“‘ `, `>"'”’,; `)
  if (pasted === '') return { problem: 'Please enter an ASIN' }
  if (anAddress.test(pasted)) return readAddressAsin(pasted)
  const isbn = pasted
    .replace(/^isbn(?:-1[03])?:?\s*/i, '')
    .replace(/[\s‐-―-]/g, '')
    .toUpperCase()
  if (/^\d{9}[\dX]$/.test(isbn)) return checkedIsbn(isbn)
  if (/^97[89]\d{10}$/.test(isbn)) return shortIsbn(isbn)
  const found = new Set(
    [...pasted.toUpperCase().matchAll(/(?<![A-Z0-9])B(?=[A-Z]*\d)[A-Z0-9]{9}(?![A-Z0-9])/g)].map(
      ([asin]) => asin,
    ),
  )
  const [asin, another] = found
  if (another !== undefined) return { problem: `There are ${found.size} ASINs in this. Please enter one.` }
  if (asin !== undefined) return { asin }
  const within = asinOfAddress(pasted)
  return within === null ? { problem: `This is no ASIN. ${wanted}` } : { asin: within }
}

function readAddressAsin(address: string): { asin: string } | { problem: string } {
  const asin = asinOfAddress(address)
  if (shortLink.test(address) && (asin === null || !shortHost.test(address))) {
    return { problem: "Short links can't be resolved offline: open it and paste the long address." }
  }
  if (asin !== null) return { asin }
  return {
    problem:
      shopOfAddress(address) === null
        ? `There is no ASIN in this address. ${wanted}`
        : 'This address of the shop leads to no product. Open the product and paste its address.',
  }
}

function checkedIsbn(isbn: string): { asin: string } | { problem: string } {
  if (isbnSum(isbn) % 11 === 0) return { asin: isbn }
  return { problem: wrongDigit }
}

/** The ISBN-10 within an ISBN-13, which is what the shop files books under. */
function shortIsbn(isbn: string): { asin: string } | { problem: string } {
  const sum = [...isbn].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  if (sum % 10 !== 0) return { problem: wrongDigit }
  if (isbn.startsWith('979'))
    return { problem: 'A book with this ISBN has no ASIN of its digits. Paste its address.' }
  const body = isbn.slice(3, 12)
  const check = (11 - (isbnSum(`${body}0`) % 11)) % 11
  return { asin: `${body}${check === 10 ? 'X' : check}` }
}

/** The sum that 11 divides when the check digit of an ISBN-10 is right. */
function isbnSum(isbn: string): number {
  return [...isbn].reduce((sum, digit, index) => sum + (10 - index) * (digit === 'X' ? 10 : Number(digit)), 0)
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
  return isbnSum(isbn) % 11 === 0 ? isbn : null
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
