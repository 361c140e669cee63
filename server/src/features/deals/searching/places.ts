import type { DealSort } from '@dealdeck/contract/deals'
import type { Cursor } from '../rules.ts'

// Where deals roughly stand in a sort, numbered as the SQL function `deal_places` does it. Each sort has narrow places,
// one after the other without gaps; discounts and prices also have wide ones, each of some narrow places.

/** Kinds of places; a place is sixteen times its number, and its kind. */
const kinds = {
  ...{ seen: 0, percent: 1, undiscounted: 2, price: 3, posted: 4, unposted: 5 },
  ...{ priceSteps: 6, priceRange: 7, percents: 8 },
}

/** What is believed of a place of each kind where nobody has counted any, a share of all deals. */
const guessedShares = [1 / 64, 1 / 64, 1 / 64, 1 / 256, 1 / 64, 1 / 64, 1 / 32, 1 / 12, 1 / 16]
/** And of one that isn't among those counted: it is rare. */
const rareShare = 1e-4

/** With which first two digits the wider places of prices begin. */
const widerPrices = [
  { kind: kinds.priceSteps, starts: [10, 12, 15, 20, 30, 40, 50, 70] },
  { kind: kinds.priceRange, starts: [10, 20, 50] },
]

/** The share of all deals that stand in a place; empty where nobody has counted. */
export type Shares = ReadonlyMap<number, number>

export const kindOf = (place: number) => ((place % 16) + 16) % 16
export const numberOf = (place: number) => Math.floor(place / 16)

/** The most digits of a price, in thousandths. */
const mostPower = 13

/** The number of a kind's last narrow place; times go on for ever. */
export function lastNumber(kind: number): number {
  if (kind === kinds.price) return mostPower * 90 + 89
  return kind === kinds.seen || kind === kinds.posted ? -Infinity : 0
}

/** Whether no deals follow those of this kind: behind the discounts are those without one. */
export const isListEnd = (kind: number) => kind !== kinds.percent

/** A place: how many narrow ones it holds, how many of these are left from some narrow one on, its share of all deals. */
export type Place = { place: number; length: number; left: number; share: number }

/** The places that hold this narrow one, itself first, then the wider ones. */
export function placesAt(kind: number, at: number, shares: Shares): [Place, ...Place[]] {
  const placeOf = (ofKind: number, number: number, length: number, left: number): Place => {
    const place = number * 16 + ofKind
    const unknown = (shares.size === 0 && guessedShares[ofKind]) || rareShare
    return { place, length, left, share: shares.get(place) ?? unknown }
  }
  const narrow = placeOf(kind, at, 1, 1)
  // Discounts fall, so that the highest of four comes first.
  if (kind === kinds.percent) return [narrow, placeOf(kinds.percents, Math.floor(at / 4), 4, (at % 4) + 1)]
  if (kind !== kinds.price) return [narrow]
  const { power, digits } = priceAt(at)
  const wider = widerPrices.map(({ kind: ofKind, starts }) => {
    const bucket = starts.filter((start) => start <= digits).length
    const [start = 0, end = 100] = starts.slice(bucket - 1)
    return placeOf(ofKind, power * (starts.length + 1) + bucket, end - start, end - digits)
  })
  return [narrow, ...wider]
}

/** The lowest price in a narrow place, or the first one after it that is a whole number of cents. */
function startOf(at: number): number {
  const { power, digits } = priceAt(at)
  return Math.ceil((digits * 10 ** power) / 1000) / 100
}

/** The first two digits of the prices in a narrow place, and how many digits they have in thousandths. */
function priceAt(at: number): { power: number; digits: number } {
  const power = Math.floor(at / 90)
  return { power, digits: at - power * 90 + 10 }
}

/** The narrow place of a price, as of one that deals can have. */
export function placeOfPrice(price: number): number {
  const thousandths = String(Math.round(Math.min(price, 9_999_999_999.99) * 1000)).padStart(2, '0')
  return (thousandths.length * 90 + Number(thousandths.slice(0, 2)) - 10) * 16 + kinds.price
}

/** Every widest place of prices with its first price and that of the next. */
const priceRanges: { place: number; from: number; to: number }[] = []
for (let at = 2 * 90; at <= lastNumber(kinds.price); ) {
  const [{ length }, , range] = placesAt(kinds.price, at, new Map())
  if (range) priceRanges.push({ place: range.place, from: startOf(at), to: startOf(at + range.length) })
  at += range?.length ?? length
}

/** The share of all deals from one price to another, at least: that of the widest places which lie between them. */
export function shareOfPrices(from: number, to: number, shares: Shares): number {
  let share = 0
  for (const range of priceRanges)
    if (range.from >= from && range.to <= to) share += shares.get(range.place) ?? 0
  return share
}

/** The narrow place of deals first seen at a time. */
export function placeOfTime(seen: Date): number {
  return Math.floor(seen.getTime() / 1000 / 2 ** 16) * 16 + kinds.seen
}

/** The cursor behind the narrow place `last`, before `next`; ids begin at 1, so with id 0 it says: whatever the id. */
export function borderOf(sort: DealSort, kind: number, last: number, next: number): Cursor {
  if (kind === kinds.percent) return { sort, key: String(last), id: 0 }
  if (kind === kinds.undiscounted) return { sort, key: '-1', id: last * 2 ** 14 }
  if (kind === kinds.unposted) return { sort, key: '-infinity', id: last * 2 ** 14 }
  if (kind === kinds.price) return { sort, key: startOf(next).toFixed(2), id: 0 }
  const border = new Date(last * 2 ** 16 * 1000)
  return { sort, key: Number.isNaN(border.getTime()) ? '' : border.toISOString(), id: 0 }
}
