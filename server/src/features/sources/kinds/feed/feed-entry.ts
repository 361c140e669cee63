import { asinOfAddress, isAsin, leadsElsewhere, shopOfAddress } from '@dealdeck/marketplace/asin'
import { decode } from 'html-entities'
import { isBetween } from '../../../ingest/rules.ts'
import type { FeedEntry } from './feed-items.ts'
import { pricedTitle, pricesInText } from './priced-title.ts'

/** So much of what an entry says is looked at. */
const longestText = 20_000
const longestTitle = 2_000
const dayMs = 24 * 3_600_000

/** An entry as a row of an import, under the names that the importer knows. What isn't said beyond doubt is left out. */
export type FeedRow = Record<string, string>

/** `domain`: of the marketplace; `now`: an entry of a later day has no date. */
export function rowOf(entry: FeedEntry, { domain, now }: { domain: string; now: Date }): FeedRow {
  const { product } = entry
  const title = (product.title ?? entry.title).slice(0, longestTitle)
  const html = entry.texts.map((text) => text.slice(0, longestText))
  const texts = html.map(plainText)
  const stated = pricedTitle(plainText(title).replace(/\s+/g, ' '))
  const item = itemOf(entry, html, domain)
  const sale = saleOf(entry, now)
  const prices = pricesOf(entry, sale.price, stated, texts)
  const observed = dateIn(entry.updated, now) ?? dateIn(entry.published, now)
  const words = [title, ...texts].join('\n')
  return filled({
    ...{ title: stated.title, asin: item?.asin, product_url: item?.url ?? entry.links[0] },
    // Always there, so that a row without one is refused for that.
    ...prices,
    image_url: entry.pictures[0] ?? product.image_link ?? pictureIn(html),
    availability: product.availability?.replaceAll('_', ' '),
    ...{ brand: product.brand, condition: product.condition, category: product.product_type },
    ...{ first_seen: dateIn(entry.published, now), observed_at: observed },
    ends_at: product.expiration_date ?? sale.end ?? endIn(words),
    deal_state: stated.isOver ? 'expired' : undefined,
  })
}

function filled(row: Record<string, string | undefined>): FeedRow {
  const entries = Object.entries(row).flatMap(([name, value]): [string, string][] =>
    value === undefined || (value === '' && name !== 'price') ? [] : [[name, value]],
  )
  return Object.fromEntries(entries)
}

function pricesOf(
  { product }: FeedEntry,
  salePrice: string | undefined,
  title: { price?: string; original?: string },
  texts: readonly string[],
): { price: string; original_price: string | undefined } {
  if (salePrice) return { price: salePrice, original_price: product.price }
  if (product.price) return { price: product.price, original_price: undefined }
  if (title.price) return { price: title.price, original_price: title.original }
  for (const text of texts) {
    const { price, original } = pricesInText(text)
    if (price) return { price, original_price: original }
  }
  return { price: '', original_price: undefined }
}

type Item = { asin: string; url: string }

/** The item that an entry is about: that of its own links, else the only one that its text leads to. Items of this shop come first. */
function itemOf(entry: FeedEntry, html: readonly string[], domain: string): Item | undefined {
  const own = entry.links.flatMap((url) => itemAt(decode(url)) ?? [])
  const inText = html.flatMap(linksIn).flatMap((url) => itemAt(url) ?? [])
  const isHere = ({ url }: Item) => !leadsElsewhere(url, domain)
  const named = [entry.product.id, entry.id].find(
    (id) => id !== undefined && isAsin(id) && id.startsWith('B0'),
  )
  const bare = named === undefined ? undefined : { asin: named, url: `https://www.${domain}/dp/${named}` }
  return own.find(isHere) ?? only(inText.filter(isHere)) ?? own[0] ?? only(inText) ?? bare
}

function only(items: readonly Item[]): Item | undefined {
  const [first] = items
  return items.every(({ asin }) => asin === first?.asin) ? first : undefined
}

/** Addresses of other sites look like the shop's own by chance: only one that names the shop is believed. */
function itemAt(url: string): Item | undefined {
  const isOfShop = shopOfAddress(url) !== null || /^https?:\/\/(?:www\.)?amzn\.com\//i.test(url)
  const asin = isOfShop ? asinOfAddress(url) : null
  return asin === null ? undefined : { asin, url }
}

function linksIn(html: string): string[] {
  const attributes = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]{1,4000})"|'([^']{1,4000})')/gi)]
  const bare = [...html.replace(/<[^<>]*>/g, ' ').matchAll(/https?:\/\/[^\s"'<>]{1,4000}/gi)]
  return [...attributes.map(([, one, other]) => one ?? other ?? ''), ...bare.map(([url]) => url)].map((url) =>
    decode(url),
  )
}

/** What counts visits is drawn in one dot. */
const isDot = /\b(?:width|height)\s*=\s*["']?[01](?:px)?["'\s/>]/i

function pictureIn(html: readonly string[]): string | undefined {
  for (const [tag] of html.flatMap((text) => [...text.matchAll(/<img\b[^<>]*>/gi)])) {
    const source = decode(/\bsrc\s*=\s*["']([^"']+)["']/i.exec(tag)?.[1] ?? '')
    if (/^(?:https?:)?\/\//i.test(source) && !isDot.test(tag)) return source
  }
  return undefined
}

/** The words of HTML; what is struck through is said to be what it was. */
function plainText(html: string): string {
  const words = html
    .replace(/<(script|style)\b[^<>]*>[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<(?:del|s|strike)\b[^<>]*>/gi, ' was ')
    .replace(/<\/?(?:br|p|div|li|tr|td|h\d)\b[^<>]*>/gi, '\n')
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
  return decode(words)
    .replace(/[^\S\n]+/g, ' ')
    .trim()
}

/** A date as it is written, years in full; what lies more than a day ahead is wrong. What is none is told by the importer. */
function dateIn(text: string | undefined, now: Date): string | undefined {
  const written = text?.trim().replace(/(?<=^|\s)(\d{1,2} [a-z]{3}) (\d\d)(?= \d{1,2}:)/i, '$1 20$2')
  if (!written || !/\d{4}/.test(written)) return undefined
  return Date.parse(written) > now.getTime() + dayMs ? undefined : written
}

const months = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}'
const days = String.raw`(?:\d{4}-\d\d-\d\d|${months}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2}(?:st|nd|rd|th|\.)? ${months}\.?,? \d{4}|\d{1,2}[./-]\d{1,2}[./-]\d{4})`
const time = String.raw`(?:(?:T|,? (?:at )?)\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?(?: ?(?:Z|[+-]\d\d:?\d\d|[A-Z]{2,4}\b))?)?`
const ending = new RegExp(
  String.raw`\b(?:expires?|expiring|expiry(?: date)?|expiration(?: date)?|ends?|valid (?:until|till|through|thru)|good (?:until|through)|until)\s*(?:on|at|:)?\s*(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?(${days}${time})`,
  'iu',
)

/** When a text says that a deal is over: only a whole date, with its year. */
function endIn(text: string): string | undefined {
  return ending.exec(text)?.[1]
}

/**
 * The price of a sale and its end. With `2026-05-01T08:00-0800/2026-05-03T20:00-0800` nobody can buy at it outside of these times, and shops
 * leave it there beside the usual one, as the format allows (Google's product data specification, `sale_price_effective_date`).
 */
function saleOf({ product }: FeedEntry, now: Date): { price?: string | undefined; end?: string | undefined } {
  const [begin, end] = product.sale_price_effective_date?.split('/').map((time) => time.trim()) ?? []
  const hasAnother = product.sale_price !== undefined && product.price !== undefined
  return hasAnother && !isBetween(begin, end, now) ? {} : { price: product.sale_price, end }
}
