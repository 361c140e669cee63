import type { ImportField } from '@dealdeck/contract/ingest'
import { asinOf, asinOfAddress, repairedIsbn, shopOfAddress } from '@dealdeck/marketplace/asin'
import { readCount, readRating } from './figures.ts'
import { readBoolean, readPrime, strayAvailability } from './flags.ts'
import { shopOf } from './marketplace-names.ts'
import { currencyOf, readMoney } from './money.ts'
import { cellText } from './text.ts'
import { readTime } from './times.ts'

const isZero = (value: unknown) => /^0(?:\.0+)?$/.test(cellText(value))
const isAddress = (text: string) => /^(?:https?:)?\/\/\S/i.test(text)

const fits: Record<ImportField, (value: unknown, text: string) => boolean> = {
  asin: (_, text) => asinOf(text) !== null || repairedIsbn(text) !== null,
  title: (_, text) => /\p{L}/u.test(text) && !isAddress(text),
  price: (value) => readMoney(value, '.') !== null,
  original_price: (value) => readMoney(value, '.') !== null,
  currency: (_, text) => text.length <= 12 && (currencyOf(text) !== null || text === '$'),
  marketplace: (_, text) => shopOf(text) !== null,
  rating: (value) => readRating(value) !== null || isZero(value),
  review_count: (value) => readCount(value) !== null || strayAvailability(value) !== undefined,
  image_url: (_, text) => isAddress(text),
  product_url: (_, text) => asinOfAddress(text) !== null || shopOfAddress(text) !== null,
  availability: (value, text) =>
    typeof value === 'boolean' ||
    (text.length < 1000 && !isAddress(text.replace(/^https?:\/\/schema\.org/, ''))),
  prime_eligible: (value, text) => readBoolean(value) !== null || text.length > 3,
  first_seen: (value) => readTime(value) !== null,
  observed_at: (value) => readTime(value) !== null,
  posted_to_discord: (value) => readBoolean(value) !== null,
  discord_timestamp: (value) => readTime(value) !== null,
}

/** Which part of a column's filled cells a field could use, 0 to 1; 1 when no cell is filled. */
export function fitOf(field: ImportField, values: readonly unknown[]): number {
  let filled = 0
  let fitting = 0
  for (const value of values) {
    const text = cellText(value)
    if (text === '') continue
    filled += 1
    if (fits[field](value, text)) fitting += 1
  }
  if (filled === 0) return 1
  // What is said about a delivery tells of Prime only where some row mentions it.
  if (field === 'prime_eligible' && !values.some((value) => readBoolean(value) !== null || readPrime(value)))
    return 0
  return fitting / filled
}
