import type { DealSort } from '@dealdeck/contract/deals'
import type { Cursor } from '../rules.ts'

// A sort bucket holds deals that stand together in one sort, such as all of one percent. The SQL function `deal_places`
// numbers them, and this file computes the same numbers. The narrow buckets of a sort follow one another without gaps;
// discounts and prices also have wide ones, each as large as some narrow ones.

/** Kinds of buckets. A bucket's id is sixteen times its number, plus its kind. */
const kinds = {
  ...{ seen: 0, percent: 1, undiscounted: 2, price: 3, posted: 4, unposted: 5 },
  ...{ priceSteps: 6, priceRange: 7, percents: 8 },
}

/** The share of all deals assumed of a bucket of each kind while the database has counted none. */
const defaultShares = [1 / 64, 1 / 64, 1 / 64, 1 / 256, 1 / 64, 1 / 64, 1 / 32, 1 / 12, 1 / 16]
/** And of one that isn't among those counted: it is rare. */
const rareShare = 1e-4

/** With which first two digits the wide buckets of prices begin. */
const widePrices = [
  { kind: kinds.priceSteps, starts: [10, 12, 15, 20, 30, 40, 50, 70] },
  { kind: kinds.priceRange, starts: [10, 20, 50] },
]

/** The share of all deals in a bucket, by its id; empty while the database has counted none. */
export type BucketShares = ReadonlyMap<number, number>

export const kindOf = (id: number) => ((id % 16) + 16) % 16
export const numberOf = (id: number) => Math.floor(id / 16)

/** The most digits of a price, in thousandths. */
const mostPower = 13

/** The number of a kind's last narrow bucket; times go on for ever. */
export function lastNumber(kind: number): number {
  if (kind === kinds.price) return mostPower * 90 + 89
  return kind === kinds.seen || kind === kinds.posted ? -Infinity : 0
}

/** Whether no deals follow those of this kind: behind the discounts are those without one. */
export const isListEnd = (kind: number) => kind !== kinds.percent

/** `length`: how many narrow buckets it is as large as. `left`: how many of them there are from a narrow one on. */
export type SortBucket = { id: number; length: number; left: number; share: number }

/** The buckets around the narrow one with number `at`: itself first, then the wider ones. */
export function bucketsAt(kind: number, at: number, shares: BucketShares): [SortBucket, ...SortBucket[]] {
  const bucketOf = (ofKind: number, number: number, length: number, left: number): SortBucket => {
    const id = number * 16 + ofKind
    const unknown = (shares.size === 0 && defaultShares[ofKind]) || rareShare
    return { id, length, left, share: shares.get(id) ?? unknown }
  }
  const narrow = bucketOf(kind, at, 1, 1)
  // Discounts fall, so that the highest of four comes first.
  if (kind === kinds.percent) return [narrow, bucketOf(kinds.percents, Math.floor(at / 4), 4, (at % 4) + 1)]
  if (kind !== kinds.price) return [narrow]
  const { power, digits } = priceAt(at)
  const wide = widePrices.map(({ kind: ofKind, starts }) => {
    const step = starts.filter((start) => start <= digits).length
    const [start = 0, end = 100] = starts.slice(step - 1)
    return bucketOf(ofKind, power * (starts.length + 1) + step, end - start, end - digits)
  })
  return [narrow, ...wide]
}

/** The lowest price in a narrow bucket, or the first one after it that is a whole number of cents. */
function lowestPriceIn(at: number): number {
  const { power, digits } = priceAt(at)
  return Math.ceil((digits * 10 ** power) / 1000) / 100
}

/** The first two digits of the prices in a narrow bucket, and how many digits they have in thousandths. */
function priceAt(at: number): { power: number; digits: number } {
  const power = Math.floor(at / 90)
  return { power, digits: at - power * 90 + 10 }
}

/** The narrow bucket of a price, cut to the highest that deals can have. */
export function bucketOfPrice(price: number): number {
  const thousandths = String(Math.round(Math.min(price, 9_999_999_999.99) * 1000)).padStart(2, '0')
  return (thousandths.length * 90 + Number(thousandths.slice(0, 2)) - 10) * 16 + kinds.price
}

/** Each of the widest buckets of prices, with its first price and that of the next. */
const priceRanges: { id: number; from: number; to: number }[] = []
for (let at = 2 * 90; at <= lastNumber(kinds.price); ) {
  const [{ length }, , range] = bucketsAt(kinds.price, at, new Map())
  if (range) priceRanges.push({ id: range.id, from: lowestPriceIn(at), to: lowestPriceIn(at + range.length) })
  at += range?.length ?? length
}

/** The share of all deals from one price to another, at least: that of the widest buckets which lie between them. */
export function shareOfPrices(from: number, to: number, shares: BucketShares): number {
  let share = 0
  for (const range of priceRanges)
    if (range.from >= from && range.to <= to) share += shares.get(range.id) ?? 0
  return share
}

/** The narrow bucket of deals first seen at a time. */
export function bucketOfTime(seen: Date): number {
  return Math.floor(seen.getTime() / 1000 / 2 ** 16) * 16 + kinds.seen
}

/** The narrow bucket of deals with so many percent off. */
export function bucketOfDiscount(percent: number): number {
  return percent * 16 + kinds.percent
}

/** The cursor behind the narrow bucket `last`, before `next`; ids begin at 1, so id 0 stands for any of them. */
export function cursorBetween(sort: DealSort, kind: number, last: number, next: number): Cursor {
  if (kind === kinds.percent) return { sort, key: String(last), id: 0 }
  if (kind === kinds.undiscounted) return { sort, key: '-1', id: last * 2 ** 14 }
  if (kind === kinds.unposted) return { sort, key: '-infinity', id: last * 2 ** 14 }
  if (kind === kinds.price) return { sort, key: lowestPriceIn(next).toFixed(2), id: 0 }
  const time = new Date(last * 2 ** 16 * 1000)
  return { sort, key: Number.isNaN(time.getTime()) ? '' : time.toISOString(), id: 0 }
}
