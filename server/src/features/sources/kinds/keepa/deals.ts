import { isObject, type JsonObject, listOf } from '../../../../platform/outgoing/service-answers.ts'
import { priceTypes } from './selection.ts'

/** A deal or product as Keepa's document has it. */
export type KeepaObject = JsonObject

const { amazon, lightning, listPrice, rating, reviews, warehouse, buyBox } = priceTypes
const ofNew: readonly number[] = [amazon, priceTypes.new, priceTypes.fba]
/** What a list of deals leaves empty and a product has. */
const askedOfProducts = [listPrice, rating, reviews]

const isThere = (value: unknown): boolean => typeof value === 'number' && value >= 0

/** When Keepa has last looked, in its minutes; null where it doesn't say. */
export function lastUpdateOf({ lastUpdate }: KeepaObject): number | null {
  return typeof lastUpdate === 'number' && Number.isSafeInteger(lastUpdate) ? lastUpdate : null
}

/**
 * A deal as it is handed over: the importer reads Keepa's documents itself, but takes the best of all prices of one. Here it
 * is the price that was asked for that has dropped, so the others are left out; but a lightning deal is what everybody pays while it lasts.
 * When Keepa has found a deal says nothing of when it came to us, so that is left out as well.
 */
export function handedDeal(deal: KeepaObject, priceType: number, product?: KeepaObject): KeepaObject {
  const { creationDate: _, ...handed } = deal
  const isLightning = typeof deal.lightningEnd === 'number' && deal.lightningEnd > 0
  const wanted = priceType === lightning ? ofNew : priceType === warehouse ? [warehouse] : [priceType]
  const isKept = (at: number) =>
    wanted.includes(at) ||
    (at === lightning && isLightning && priceType !== warehouse) ||
    !(ofNew.includes(at) || at === warehouse || at === buyBox || at === lightning)
  const known = product ? currentOf(product) : []
  const current = Array.from({ length: Math.max(listOf(deal.current).length, reviews + 1) }, (_, at) => {
    const stated = listOf(deal.current)[at] ?? -1
    if (!isKept(at)) return -1
    return askedOfProducts.includes(at) && !isThere(stated) ? (known[at] ?? -1) : stated
  })
  return { ...handed, current }
}

function currentOf({ stats }: KeepaObject): unknown[] {
  return isObject(stats) ? listOf(stats.current) : []
}

/** Averages of 90 days, of a month, a week and a day: the longest that there is says most. */
const averages = [3, 2, 1, 0]

/** What a deal has cost on average by the price that was asked for, in the smallest unit of the currency; null where Keepa doesn't say. */
export function usualPrice({ avg, current }: KeepaObject, priceType: number): number | null {
  // A lightning deal is held against what is offered beside it.
  const types = priceType === lightning ? ofNew.filter((at) => isThere(listOf(current)[at])) : [priceType]
  const known = averages
    .flatMap((range) => types.map((type) => listOf(listOf(avg)[range])[type]))
    .find((average) => typeof average === 'number' && average > 0)
  return typeof known === 'number' ? known : null
}
