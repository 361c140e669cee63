import type { PriceRun } from './history.ts'
import type { Series } from './series.ts'
import { day, thresholds } from './thresholds.ts'
import { knownTime, typicalPrice, windowOf } from './windows.ts'

/** A price that was raised before the discount shown now. Times in milliseconds. */
export type Raise = {
  /** The price before, and the raised one. */
  from: number
  to: number
  at: number
  /** The typical price of the 90 days before, and how much of them is known. */
  typicalBefore: number
  knownBefore: number
  /** Since when the discount of now is shown. */
  shownSince: number
  /** From when on this counts no more. */
  expires: number
}

/**
 * The latest raise before the discount shown at `now`, or null. Rule A, a price and its list price that rise together so that the
 * discount is none (Park, Xie and Xie, Marketing Science 42(1), 2023): the price rose by 5 % or more, the list price came or rose as
 * much within 3 days, above all of the 90 days before, and what is asked now is no less than what was typical before. Rule B: it rose
 * 10 % or more above what was typical, for 30 days at most, and is now within 5 % of that again. Either needs a shown discount, else
 * nobody announces anything. Suspects raise nothing.
 */
export function findRaise(series: Series, listPrice: number | null, now: number): Raise | null {
  const { trusted: runs, trustedByPrice } = series
  const current = runs.at(-1)
  if (!current || listPrice === null || current.price > listPrice * (1 - thresholds.shownDiscount))
    return null
  const oldest = now - thresholds.riseCounts - thresholds.raisedAbove.forAtMost
  let looked = 0
  for (let index = runs.length - 1; index > 0 && looked < thresholds.risesLookedAt; index -= 1) {
    const [before, raised] = [runs[index - 1], runs[index]]
    if (!before || !raised || raised.from < oldest) return null
    if (!isRise(before, raised)) continue
    looked += 1
    const window = windowOf(raised.from, 90 * day)
    const known = knownTime(runs, window)
    if (known < thresholds.knownBeforeRise) continue
    const typicalBefore = typicalPrice(trustedByPrice, window, known) ?? raised.price
    const lasts = Math.max(
      current.price >= typicalBefore && comesWithListPrice(runs, index) ? thresholds.riseCounts : 0,
      isGivenBack(runs, index, typicalBefore) ? thresholds.raisedAbove.forAtMost + thresholds.riseCounts : 0,
    )
    if (now >= raised.from + lasts) continue
    return {
      from: before.price,
      to: raised.price,
      at: raised.from,
      typicalBefore,
      knownBefore: known,
      shownSince: shownSince(runs),
      expires: raised.from + lasts,
    }
  }
  return null
}

/** Whether the price rose from one run to the next, and when is known. */
const isRise = (before: PriceRun, raised: PriceRun) =>
  raised.price >= before.price * (1 + thresholds.risesTogether.by) && before.until >= raised.from

/** Rule A's first half: the list price came, or rose as much, near the rise. One that comes back, as where an import left it out, did not. */
function comesWithListPrice(runs: readonly PriceRun[], rise: number): boolean {
  const { by, within } = thresholds.risesTogether
  const at = runs[rise]?.from ?? 0
  return runs.some(({ from, listPrice }, index) => {
    if (index === 0 || listPrice === null || Math.abs(from - at) > within) return false
    const isNews = (other: PriceRun) =>
      other.lastSeen < at - 90 * day || other.listPrice === null || listPrice >= other.listPrice * (1 + by)
    return runs.every((other, place) => place >= index || isNews(other))
  })
}

/** Rule B: well above what was typical, then soon back, and there still. */
function isGivenBack(runs: readonly PriceRun[], rise: number, typicalBefore: number): boolean {
  const { by, forAtMost } = thresholds.raisedAbove
  const [raised, current] = [runs[rise], runs.at(-1)]
  if (!raised || !current || raised.price < typicalBefore * (1 + by)) return false
  const isBack = ({ price }: PriceRun) => price <= typicalBefore * (1 + thresholds.alike)
  const back = runs.slice(rise + 1).find(isBack)
  if (!back || back.from - raised.from > forAtMost) return false
  return isBack(current) && current.price >= typicalBefore * (1 - thresholds.alike)
}

/** Since when price and list price are those of now. */
function shownSince(runs: readonly PriceRun[]): number {
  const current = runs.at(-1)
  const other = runs.findLastIndex(
    ({ price, listPrice }) => price !== current?.price || listPrice !== current.listPrice,
  )
  return runs[other + 1]?.from ?? 0
}
