import type { PriceRun } from './history.ts'
import type { Series } from './series.ts'
import { day, thresholds } from './thresholds.ts'
import { knownTime, typicalPrice, type Window, windowOf } from './windows.ts'

/** A price and the latest time it was seen, in milliseconds. */
export type SeenPrice = { price: number; seenAt: number }

/** The low of what was seen since `from`, with its latest date; null where nothing was seen. */
export function lowSince(runs: readonly PriceRun[], from: number): SeenPrice | null {
  return extremeSince(runs, from, (price, low) => price <= low)
}

/** The high of what was seen since `from`, with its latest date; null where nothing was seen. */
export function highSince(runs: readonly PriceRun[], from: number): SeenPrice | null {
  return extremeSince(runs, from, (price, high) => price >= high)
}

function extremeSince(
  runs: readonly PriceRun[],
  from: number,
  isBeyond: (price: number, other: number) => boolean,
): SeenPrice | null {
  let extreme: SeenPrice | null = null
  for (const { price, lastSeen } of runs) {
    if (lastSeen >= from && (!extreme || isBeyond(price, extreme.price))) {
      extreme = { price, seenAt: lastSeen }
    }
  }
  return extreme
}

/** A price below all before it, and the lowest of these. `at`: when it began, in milliseconds. */
export type NewLow = { price: number; before: number; at: number }

/** Each time that a price was lower than all that were seen before, oldest first. The first of all is none. */
export function newLows(runs: readonly PriceRun[]): NewLow[] {
  const lows: NewLow[] = []
  let before = runs[0]?.price ?? 0
  for (const { price, storedAt } of runs) {
    if (price >= before) continue
    lows.push({ price, before, at: storedAt })
    before = price
  }
  return lows
}

/** The run with which the price of the last one began, whatever list price was shown beside it and whether or not it was seen throughout. */
export function firstOfPrice(runs: readonly PriceRun[]): PriceRun | undefined {
  const current = runs.at(-1)?.price
  const other = runs.findLastIndex(({ price }) => price !== current)
  return runs[other + 1]
}

/** When the price of the last run began. */
export const priceBegan = (runs: readonly PriceRun[]): number => firstOfPrice(runs)?.from ?? 0

/**
 * The prior price of Directive 98/6/EC, Article 6a: the lowest of the 30 days before the present price began; null where none was
 * known then.
 */
export function priorPrice(runs: readonly PriceRun[]): number | null {
  const window = windowOf(priceBegan(runs), 30 * day)
  let prior: number | null = null
  for (const { price, from, until } of runs) {
    if (from < window.to && until > window.from && (prior === null || price < prior)) prior = price
  }
  return prior
}

/**
 * The low since the typical price last rose for good, so that an old low which can't come back counts no more. Such a rise lifts
 * the price from about the typical one of the 90 days before to a typical price of the up to 90 days after that is 10 % above, with
 * 30 known days on either side. Without one the low of all. Of the last 16 rises; null where nothing was seen. `since`: when that rise was, in milliseconds.
 */
export function lowSinceRise(
  { trusted: runs, trustedByPrice }: Series,
  now: number,
): { low: SeenPrice | null; since: number } {
  const { by, known } = thresholds.lastingRise
  let looked = 0
  for (let index = runs.length - 1; index > 0 && looked < thresholds.risesLookedAt; index -= 1) {
    const [before, raised] = [runs[index - 1], runs[index]]
    if (!before || !raised || raised.price < before.price * (1 + thresholds.alike)) continue
    looked += 1
    const typical = (window: Window) => {
      const time = knownTime(runs, window)
      return time < known ? null : typicalPrice(trustedByPrice, window, time)
    }
    const from = typical(windowOf(raised.from, 90 * day))
    if (from === null || before.price > from * (1 + thresholds.alike)) continue
    const to = typical({ from: raised.from, to: Math.min(now, raised.from + 90 * day) })
    if (to !== null && to >= from * (1 + by))
      return { low: lowSince(runs.slice(index), 0), since: raised.from }
  }
  return { low: lowSince(runs, 0), since: 0 }
}
