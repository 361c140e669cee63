import { type Marketplace, marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { isObject, type JsonObject, type RawRow } from './raw-row.ts'

/** Keepa's numbers of the marketplaces. */
const domains = [
  ...['', 'amazon.com', 'amazon.co.uk', 'amazon.de', 'amazon.fr', 'amazon.co.jp', 'amazon.ca', ''],
  ...['amazon.it', 'amazon.es', 'amazon.in', 'amazon.com.mx', 'amazon.com.br'],
]
/** Positions in Keepa's lists of current values. */
const type = {
  ...{ shop: 0, lowestNew: 1, listPrice: 4, lightning: 8, warehouse: 9, fulfilled: 10 },
  ...{ rating: 16, reviews: 17, buyBox: 18 },
}
/** Histories whose entries are time, price and shipping; all others are time and value. */
const withShipping = new Set([7, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 32])
const warehouseConditions: Record<number, string> = {
  ...{ 2: 'Used - Like New', 3: 'Used - Very Good', 4: 'Used - Good', 5: 'Used - Acceptable' },
}
const availabilities: Record<number, string> = { 0: 'In stock', 1: 'Pre-order', 3: 'Back-order' }

const pictureFolder = 'https://m.media-amazon.com/images/I/'
const pictureName = /^[\w+%.-]{3,100}\.(?:jpe?g|png|gif|webp)$/i

export const keepaNote =
  'Read as documents of Keepa: the price is the lightning deal’s while there is one, else the buy box’s, else the lowest of the new offers, else the warehouse’s'

/**
 * A document of Keepa's interface (of /deal, /product or /lightningdeal) as a row with plain columns: its amounts are in
 * the smallest unit of the currency, -1 and -2 mean none, times are minutes since 2011. Any other row as null.
 */
export function rowOfKeepa(object: JsonObject, own: Marketplace): RawRow | null {
  const { asin, current, csv, stats, dealPrice, lastUpdate, domainId } = object
  if (typeof asin !== 'string' || typeof lastUpdate !== 'number') return null
  const { decimals } = marketplaceByDomain(domainOf(domainId) ?? '') ?? own
  const read = (values: unknown) => readerOf(values, 10 ** decimals)
  if (Array.isArray(current) && Array.isArray(object.deltaLast)) return rowOfDeal(object, read(current))
  if (typeof domainId !== 'number') return null
  if (typeof dealPrice === 'number' && typeof object.dealState === 'string')
    return rowOfLightningDeal(object, read([dealPrice, object.currentPrice]))
  if (csv === undefined && !isObject(stats)) return null
  const latest = isObject(stats) && Array.isArray(stats.current) ? stats.current : latestOf(csv)
  return rowOfProduct(
    object,
    read(isObject(stats) && stats.buyBoxIsUsed === true ? withoutBuyBox(latest) : latest),
  )
}

/** The buy box is none of a new item's prices while a used one has it. */
function withoutBuyBox(values: readonly unknown[]): unknown[] {
  return values.map((value, at) => (at === type.buyBox ? null : value))
}

type Values = { money(at: number): number | null; count(at: number): number | null }

/** Takes values from one of Keepa's lists; what is negative is absent. */
function readerOf(values: unknown, unit: number): Values {
  const list: unknown[] = Array.isArray(values) ? values : []
  const count = (at: number) => {
    const value = list[at]
    return typeof value === 'number' && value >= 0 ? value : null
  }
  const money = (at: number) => {
    const amount = count(at)
    return amount === null || amount === 0 ? null : amount / unit
  }
  return { money, count }
}

function rowOfDeal(deal: JsonObject, values: Values): RawRow {
  const { warehouseCondition, creationDate, lightningEnd } = deal
  const isLightning = typeof lightningEnd === 'number' && lightningEnd > 0
  const condition = typeof warehouseCondition === 'number' ? warehouseConditions[warehouseCondition] : null
  return row(deal, {
    ...offerOf(values, isLightning, condition ?? null),
    ...ratingOf(values),
    image_url: pictureOf(deal.image),
    first_seen: secondsOf(creationDate),
    ends_at: isLightning ? secondsOf(lightningEnd) : null,
  })
}

function rowOfProduct(product: JsonObject, values: Values): RawRow {
  const { availabilityAmazon: availability, imagesCSV, images, categoryTree } = product
  const picture: unknown = Array.isArray(images) ? images[0] : undefined
  const steps = Array.isArray(categoryTree)
    ? categoryTree.map((step: unknown) => isObject(step) && step.name)
    : []
  return row(product, {
    ...offerOf(values, true, 'Used'),
    ...ratingOf(values),
    brand: product.brand,
    category: steps.filter((step) => typeof step === 'string').join(' > '),
    image_url:
      typeof imagesCSV === 'string'
        ? pictureOf(imagesCSV.split(',', 1)[0])
        : pictureOf(isObject(picture) ? (picture.l ?? picture.m) : undefined),
    // It is that of the shop's own offer, which says nothing of those of others.
    availability:
      typeof availability === 'number' && values.money(type.shop) ? availabilities[availability] : null,
  })
}

function rowOfLightningDeal(deal: JsonObject, values: Values): RawRow {
  const { rating, totalReviews, dealState } = deal
  return row(deal, {
    price: values.money(0),
    list_price: values.money(1),
    rating: typeof rating === 'number' && rating > 0 ? rating / 10 : null,
    review_count: typeof totalReviews === 'number' && totalReviews >= 0 ? totalReviews : null,
    image_url: pictureOf(deal.image),
    prime_eligible: deal.isPrimeEligible,
    deal_state: dealState,
    ends_at: secondsOf(deal.endTime),
  })
}

/** What it costs now and cost before. A lightning deal without a list price is held against the price beside it. */
function offerOf({ money }: Values, mayBeLightning: boolean, warehouseCondition: string | null): JsonObject {
  const offers = [money(type.shop), money(type.lowestNew), money(type.fulfilled)].filter(
    (price) => price !== null,
  )
  const lowest = offers.length === 0 ? null : Math.min(...offers)
  const lightning = mayBeLightning ? money(type.lightning) : null
  const ofNew = lightning ?? money(type.buyBox) ?? lowest
  const list_price = money(type.listPrice) ?? (lightning === null ? null : (money(type.shop) ?? lowest))
  if (ofNew !== null) return { price: ofNew, list_price, condition: 'New' }
  const used = warehouseCondition === null ? null : money(type.warehouse)
  return { price: used, list_price, condition: used === null ? null : warehouseCondition }
}

function ratingOf({ count }: Values): JsonObject {
  const rating = count(type.rating)
  return { rating: rating ? rating / 10 : null, review_count: count(type.reviews) }
}

/** The row of a document: every column is there in each, so that the first rows show them all. */
function row(document: JsonObject, columns: JsonObject): RawRow {
  const { asin, title, domainId, lastUpdate } = document
  return {
    object: { asin, title, ...columns, domain: domainOf(domainId), observed_at: secondsOf(lastUpdate) },
  }
}

const domainOf = (id: unknown): string | null => (typeof id === 'number' ? (domains[id] ?? null) : null)

/** The last value of each history. */
function latestOf(csv: unknown): unknown[] {
  const histories: unknown[] = Array.isArray(csv) ? csv : []
  return histories.map((history, at) => {
    if (!Array.isArray(history)) return null
    if (!withShipping.has(at)) return history.at(-1)
    const [price, shipping] = [history.at(-2), history.at(-1)]
    return typeof price !== 'number' || price < 0 ? null : price + Math.max(0, Number(shipping))
  })
}

/** The address of a picture from its name, which may come as the codes of its characters. */
function pictureOf(stated: unknown): string | null {
  const isCodes =
    Array.isArray(stated) && stated.length <= 120 && stated.every((code) => typeof code === 'number')
  const name = isCodes ? String.fromCharCode(...stated) : stated
  return typeof name === 'string' && pictureName.test(name) ? pictureFolder + name : null
}

/** Seconds since 1970 of Keepa's minutes. */
function secondsOf(minutes: unknown): number | null {
  return typeof minutes === 'number' && minutes > 0 ? (minutes + 21_564_000) * 60 : null
}
