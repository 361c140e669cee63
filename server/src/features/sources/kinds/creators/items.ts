import { isObject, type JsonObject, listOf } from '../../../../platform/outgoing/service-answers.ts'
import { textOf } from './answers.ts'

/** What items are asked for with. */
export const resources = [
  ...['images.primary.large', 'itemInfo.title', 'itemInfo.byLineInfo', 'browseNodeInfo.browseNodes'],
  ...['browseNodeInfo.browseNodes.ancestor', 'customerReviews.count', 'customerReviews.starRating'],
  ...['offersV2.listings.availability', 'offersV2.listings.condition', 'offersV2.listings.dealDetails'],
  ...['offersV2.listings.isBuyBoxWinner', 'offersV2.listings.price', 'offersV2.listings.type'],
]

/** An item as a row for the importer, or why it is none; `isForPrime`: its price is for Prime members only. */
export type ReadItem =
  | { row: JsonObject; isForPrime: boolean; missing?: undefined }
  | { missing: 'offer' | 'price' | 'hidden price' }

/** What was paid before, by the interface's word for it; the others are the lowest price of late, which nobody was asked. */
const formerPrices = new Set(['LIST_PRICE', 'WAS_PRICE'])

/** Reads an item as it was answered at this time. */
export function readItem(item: JsonObject, now: Date): ReadItem {
  const listings = listOf(at(item, 'offersV2', 'listings')).filter(isObject)
  const listing = listings.find(({ isBuyBoxWinner }) => isBuyBoxWinner === true) ?? listings[0]
  if (!listing) return { missing: 'offer' }
  // Below the lowest price that may be advertised it is shown in the cart only: whatever stands here is another one.
  if (listing.violatesMAP === true) return { missing: 'hidden price' }
  const money = at(listing, 'price', 'money')
  if (!isObject(money) || typeof money.amount !== 'number') return { missing: 'price' }
  const basis = at(listing, 'price', 'savingBasis')
  const basisType = isObject(basis) ? textOf(basis.savingBasisType) : null
  const isFormer = basisType !== null && formerPrices.has(basisType)
  const row = {
    asin: item.asin,
    title: at(item, 'itemInfo', 'title', 'displayValue'),
    brand: at(item, 'itemInfo', 'byLineInfo', 'brand', 'displayValue'),
    category: categoryOf(item),
    condition: at(listing, 'condition', 'value'),
    price: money.amount,
    currency: money.currency,
    list_price: isFormer ? at(basis, 'money', 'amount') : null,
    saving_basis_type: isFormer ? basisType : null,
    rating: ratingOf(at(item, 'customerReviews', 'starRating')),
    review_count: at(item, 'customerReviews', 'count'),
    availability: availabilityOf(listing.availability),
    ends_at: timeOf(at(listing, 'dealDetails', 'endTime')),
    image_url:
      at(item, 'images', 'primary', 'large', 'url') ?? at(item, 'images', 'primary', 'medium', 'url'),
    product_url: item.detailPageURL,
    observed_at: now.toISOString(),
  }
  // Each row has each column, or the first rows wouldn't show them all.
  const filled = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null]))
  return { row: filled, isForPrime: at(listing, 'dealDetails', 'accessType') === 'PRIME_EXCLUSIVE' }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
}

/** The importer knows the interface's words; of a few left it says itself how many. */
function availabilityOf(availability: unknown): string | null {
  if (!isObject(availability)) return null
  const type = textOf(availability.type)
  return type === 'IN_STOCK_SCARCE' ? (textOf(availability.message) ?? type) : type
}

/** Stars as a number, or in an object around it. */
function ratingOf(value: unknown): unknown {
  return isObject(value) ? value.value : value
}

/** A time in UTC, whose seconds may be left out. */
function timeOf(value: unknown): string | null {
  const text = textOf(value)
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/.test(text)) return null
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** The first category with those above it, the highest first. */
function categoryOf(item: JsonObject): string | null {
  const names: string[] = []
  let node: unknown = listOf(at(item, 'browseNodeInfo', 'browseNodes'))[0]
  while (isObject(node) && names.length < 10) {
    const name = textOf(node.displayName)
    if (name !== null) names.unshift(name)
    node = node.ancestor
  }
  return names.length === 0 ? null : names.join(' > ')
}
