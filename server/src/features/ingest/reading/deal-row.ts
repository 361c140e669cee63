import type { DealCondition } from '@dealdeck/contract/deals'
import type { ImportField } from '@dealdeck/contract/ingest'
import {
  asinOf,
  asinOfAddress,
  leadsElsewhere,
  repairedIsbn,
  shopOfAddress,
} from '@dealdeck/marketplace/asin'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { readImage } from './addresses.ts'
import { currencyInName } from './column-names.ts'
import type { Mapping } from './columns.ts'
import { currencyOf, isCurrencyOf, oneCurrency } from './currencies.ts'
import { readCount, readRating } from './figures.ts'
import type { Findings } from './findings.ts'
import { readAvailability, readBoolean, readPrime, strayAvailability } from './flags.ts'
import { readBrand, readCategory, readCondition } from './labels.ts'
import { shopOf } from './marketplace-names.ts'
import type { DecimalMark } from './money.ts'
import { type Believed, noOriginal, Originals } from './originals.ts'
import { noPriceReasons, readOriginal, readPrice } from './price-texts.ts'
import type { RawRow } from './raw-row.ts'
import { readState, stateReader } from './states.ts'
import { cellText, cleanText } from './text.ts'
import { type DateOrder, type Microseconds, readEnd, readTime } from './times.ts'
import { readTitle } from './titles.ts'

/** What a row says of a deal. Null where it says nothing; what that means for a stored deal is the merge's business. */
export type DealRow = {
  asin: string
  title: string
  brand: string | null
  category: string | null
  condition: DealCondition | null
  price: number
  original_price: number | null
  /**
   * Whether it may be the price of a unit, which the whole body decides. Null: it isn't believed, and stands here for whoever looks at the
   * rows before they are merged.
   */
  is_original_doubtful: boolean | null
  rating: number | null
  review_count: number | null
  image_url: string | null
  availability: string | null
  prime_eligible: boolean | null
  first_seen: Microseconds | null
  observed_at: Microseconds | null
  /** May lie ahead. */
  ends_at: Microseconds | null
  is_over: boolean | null
  posted_to_discord: boolean | null
  discord_timestamp: Microseconds | null
  /** The currency of its prices and the marketplace it is of, where it states others than ours. */
  other_currency: string | null
  other_marketplace: string | null
}

/** Whether a row states another currency or marketplace than ours. */
export const isOfOtherShop = ({ other_currency, other_marketplace }: DealRow): boolean =>
  other_currency !== null || other_marketplace !== null

type Refusal = { asin: string | null; reason: string }
/** `isElsewhere`: the row is of another marketplace, so it is no deal of this one. */
export type RowResult =
  | { deal: DealRow; refusal?: undefined }
  | { refusal: Refusal; isElsewhere: boolean; deal?: undefined }

export type RowRules = {
  mapping: Mapping
  marketplace: Marketplace
  /** The availability of rows that state none; '' leaves them without. */
  availability: string
  /** How the price columns write decimals. */
  priceMark: DecimalMark
  originalMark: DecimalMark
  /** How the columns of times write dates in numbers. */
  dateOrders: Partial<Record<ImportField, DateOrder>>
  /** Whether rows that state another currency or marketplace are read and marked, rather than refused; so are originals that aren't believed. */
  marksOtherShops: boolean
  /** Hears what reading the rows comes upon. */
  findings: Findings
}

/** Above this no price is believed. */
const highestPrice = 9_999_999
/** Of what stands for a currency or a shop. */
const [longestCurrency, longestShop] = [20, 40]

/** Makes the function that reads one row of a body with these columns. */
export function dealReader(rules: RowRules): (row: RawRow) => RowResult {
  const { mapping, marketplace, availability: assumed, findings, dateOrders, marksOtherShops } = rules
  const cell = (field: ImportField) => mapping.fields[field]?.read ?? nothing
  const read = {
    asin: cell('asin'),
    url: cell('product_url'),
    title: cell('title'),
    brand: cell('brand'),
    category: cell('category'),
    condition: cell('condition'),
    price: cell('price'),
    original: cell('original_price'),
    currency: cell('currency'),
    shop: cell('marketplace'),
    rating: cell('rating'),
    count: cell('review_count'),
    image: cell('image_url'),
    availability: cell('availability'),
    prime: cell('prime_eligible'),
    firstSeen: cell('first_seen'),
    observed: cell('observed_at'),
    ends: cell('ends_at'),
    state: cell('deal_state'),
    posted: cell('posted_to_discord'),
    discord: cell('discord_timestamp'),
    flag: mapping.availableFlag?.read ?? nothing,
    discount: mapping.statedDiscount?.read ?? nothing,
  }
  const fallback = mapping.priceFallback?.read
  const named = {
    price: currencyInName(mapping.fields.price?.name ?? ''),
    original: currencyInName(mapping.fields.original_price?.name ?? ''),
  }
  const noPrice = mapping.fields.price ? 'no price' : 'no price column found'
  const isOver = stateReader(mapping.fields.deal_state?.name ?? '')
  const own = `https://www.${marketplace.domain}/`
  const foreignShop = memoizeLast((text) => {
    const shop = shopOf(text)
    return shop !== null && leadsElsewhere(`https://${shop}/`, marketplace.domain) ? shop : null
  })
  const columnCurrency = memoizeLast(currencyOf)
  const isOwn = (currency: Currency) => isCurrencyOf(currency, marketplace.currency)
  /** What the column, the cell and its name come to where some of it isn't ours: one currency, or all that contradict each other. */
  const foreign = (column: Currency, cell: Currency = null, name: Currency = null): Currency => {
    if (isOwn(column) && isOwn(cell) && isOwn(name)) return null
    const all = [column, cell, name].flatMap((currency) => currency?.split(', ') ?? [])
    return cleanText(oneCurrency(all) ?? '', longestCurrency)
  }
  // Their amounts say nothing of what stands in the rows of this shop.
  const originalsElsewhere = new Originals()
  const originalOf = (row: RawRow, price: number, title: string, other: Elsewhere): Believed => {
    const cell = read.original(row)
    const found = readOriginal(cell, rules.originalMark)
    const originals = isElsewhere(other) ? originalsElsewhere : findings.originals
    if (typeof found === 'string') return originals.refuse(found)
    if (found === null || found.amount <= 0) {
      if (isDiscountText(read.discount(row)) || isDiscountText(cell)) findings.discount()
      return noOriginal
    }
    const currency = other.currency ?? marketplace.currency
    const isOfPrice = isCurrencyOf(found.currency, currency) && isCurrencyOf(named.original, currency)
    if (!isOfPrice || found.amount > highestPrice) return noOriginal
    return originals.believed(found.amount, price, title)
  }

  const timeOf = (field: ImportField, cell: unknown, readAs = readTime): Microseconds | null => {
    const time = readAs(cell, dateOrders[field])
    if (time === null && cell !== undefined && cell !== null) {
      const text = cellText(cell)
      if (text !== '') findings.time(field, text)
    }
    return time
  }

  return (row) => {
    if (row.problem !== undefined) return refuse(null, row.problem)
    const url = cellText(read.url(row))
    const stated = cellText(read.asin(row))
    const asin = asinOf(stated) ?? (url === '' ? null : asinOfAddress(url)) ?? repairedIsbn(stated)
    const shop =
      foreignShop(read.shop(row)) ??
      (url === '' || url.startsWith(own) || !leadsElsewhere(url, marketplace.domain)
        ? null
        : shopOfAddress(url))
    const inColumn = columnCurrency(read.currency(row))
    const other: Elsewhere = {
      currency: foreign(inColumn),
      marketplace: shop?.slice(0, longestShop) ?? null,
    }
    if (isElsewhere(other) && !(marksOtherShops && isOneCurrency(other))) return refuse(asin, '', other)
    if (asin === null) return refuse(null, stated === '' ? 'no ASIN' : 'the ASIN is not valid', other)
    const rawTitle = read.title(row)
    const title = readTitle(
      typeof rawTitle === 'string' && rawTitle.length > 9 ? rawTitle : cellText(rawTitle),
      findings.title,
    )
    if (title === '') return refuse(asin, 'no title', other)
    if (isAmount(title)) return refuse(asin, 'the title is an amount', other)

    const priceCell = read.price(row)
    const isFallback = fallback !== undefined && cellText(priceCell) === ''
    const priceText = isFallback ? fallback(row) : priceCell
    const money = readPrice(priceText, isFallback ? rules.originalMark : rules.priceMark)
    if (money === null)
      return refuse(asin, cellText(priceText) === '' ? noPrice : 'the price is not a number', other)
    if (typeof money === 'string') return refuse(asin, noPriceReasons[money], other)
    other.currency = foreign(inColumn, money.currency, isFallback ? named.original : named.price)
    if (isElsewhere(other) && !(marksOtherShops && isOneCurrency(other))) return refuse(asin, '', other)
    const price = money.amount
    if (price <= 0) return refuse(asin, 'the price is zero or below', other)
    if (price > highestPrice) return refuse(asin, 'the price is absurdly high', other)

    const original = isFallback ? noOriginal : originalOf(row, price, title, other)
    const unbelieved = marksOtherShops ? (original.stated ?? null) : null
    const countCell = read.count(row)
    const rating = readRating(read.rating(row))
    const count = readCount(countCell)
    return {
      deal: {
        asin,
        title,
        brand: readBrand(read.brand(row)),
        category: readCategory(read.category(row)),
        condition: readCondition(read.condition(row)),
        price,
        original_price: unbelieved ?? original.amount,
        is_original_doubtful: unbelieved === null ? original.isDoubtful : null,
        rating,
        // Rated by nobody can't be: there a zero means that the count is missing.
        review_count: count === 0 && rating !== null ? null : count,
        image_url: readImage(read.image(row), marketplace.domain, findings.picture),
        availability: availabilityOf(read.availability(row), readBoolean(read.flag(row)), countCell, assumed),
        prime_eligible: readPrime(read.prime(row)),
        first_seen: timeOf('first_seen', read.firstSeen(row)),
        observed_at: timeOf('observed_at', read.observed(row)),
        ends_at: timeOf('ends_at', read.ends(row), readEnd),
        is_over: isOver(read.state(row)),
        posted_to_discord: readBoolean(read.posted(row)),
        discord_timestamp: timeOf('discord_timestamp', read.discord(row)),
        other_currency: other.currency,
        other_marketplace: other.marketplace,
      },
    }
  }
}

/** Whether a title is a price, as in a row that lacks a cell; `1984` is the name of a book. */
const isAmount = (title: string) => !/\p{L}/u.test(title) && /\d[.,]\d|\p{Sc}\s?\d|\d\s?\p{Sc}/u.test(title)

/** Whether a cell says by how much a price is reduced: `15% off`, `15`, `-13%`. */
function isDiscountText(value: unknown): boolean {
  if (value === undefined || value === null || value === 0) return false
  return Number.parseFloat(cellText(value).replace(/^[^\d]+/, '')) > 0
}

/** A row that says it isn't available stays hidden, whatever is assumed for rows that say nothing. */
function availabilityOf(
  stated: unknown,
  flag: boolean | null,
  countCell: unknown,
  assumed: string,
): string | null {
  if (flag === false) return null
  const text = readAvailability(stated)
  if (text !== undefined) return readState(text) === true ? null : text
  const stray = strayAvailability(countCell)
  if (stray !== undefined) return stray
  if (flag) return 'In stock'
  return assumed === '' ? null : assumed
}

/** As it is stated, or of several that contradict each other all. */
type Currency = string | null
/** What a row states of its currency and marketplace that isn't ours. */
type Elsewhere = { currency: Currency; marketplace: string | null }
const isElsewhere = ({ currency, marketplace }: Elsewhere) => currency !== null || marketplace !== null

/** Whether its amount may be what it says in some other currency: of several that contradict each other nobody knows which. */
const isOneCurrency = ({ currency }: Elsewhere) =>
  currency === null || (currency !== '' && !currency.includes(', '))

/** Refuses a row; one of another shop for that, whatever else it lacks. */
function refuse(asin: string | null, reason: string, { currency, marketplace }: Elsewhere = ours): RowResult {
  if (marketplace !== null)
    return { refusal: { asin, reason: `another marketplace: ${marketplace}` }, isElsewhere: true }
  const why = currency === null ? reason : `another currency: ${currency}`
  return { refusal: { asin, reason: why }, isElsewhere: false }
}

const ours: Elsewhere = { currency: null, marketplace: null }

function nothing(): undefined {
  return undefined
}

/** Such columns say the same in nearly every row: the last answer is memoized. */
function memoizeLast(answer: (text: string) => string | null): (value: unknown) => string | null {
  let lastValue: unknown
  let lastAnswer: string | null = null
  return (value) => {
    if (value === undefined || value === null || value === lastValue)
      return value === lastValue ? lastAnswer : null
    const text = cellText(value)
    lastAnswer = text === '' ? null : answer(text)
    lastValue = value
    return lastAnswer
  }
}
