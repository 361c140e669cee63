import type { PriceFigures } from '@dealdeck/contract/prices'
import type { PriceRun } from './history.ts'
import { highSince, lowSince, lowSinceRise, priorPrice, type SeenPrice } from './lows.ts'
import type { Series } from './series.ts'
import { day, thresholds } from './thresholds.ts'
import {
  coverage,
  knownTime,
  quantile,
  timeBelow,
  typicalPrice,
  usualPrice,
  type Window,
  windowOf,
} from './windows.ts'

/**
 * The figures of a history at `now` (milliseconds), with the definitions of the functions they come from. Lows leave suspects out,
 * all else has them: a price seen once is hardly worth its time, and what was seen may not be denied.
 */
export function figuresOf(series: Series, listPrice: number | null, now: number): PriceFigures {
  const { runs, priced, pricedByPrice: byPrice, trusted } = series
  const [month, quarter, year] = [windowOf(now, 30 * day), windowOf(now, 90 * day), windowOf(now, 365 * day)]
  const present = priced.at(-1)?.price
  const risen = lowSinceRise(series, now)
  return {
    watched_since: iso(runs[0]?.from ?? now),
    coverage_30: coverage(runs, month),
    coverage_90: coverage(runs, quarter),
    coverage_365: coverage(runs, year),
    days_known_90: knownTime(priced, quarter) / day,
    days_known_365: knownTime(priced, year) / day,
    usual: usualPrice(byPrice, quarter),
    typical: typicalPrice(byPrice, quarter),
    low_30: seen(lowSince(trusted, month.from), trusted, month),
    low_90: seen(lowSince(trusted, quarter.from), trusted, quarter),
    low_365: seen(lowSince(trusted, year.from), trusted, year),
    low_since_rise: seen(risen.low, trusted, { from: risen.since, to: now }),
    high_90: seen(highSince(priced, quarter.from), priced, quarter),
    days_at_or_below: present === undefined ? 0 : timeBelow(priced, quarter, present, true) / day,
    prior_30: priorPrice(trusted),
    changes_30: changes(priced, month),
    spread: spread(byPrice, quarter),
    list_ever_charged: listPrice === null ? null : shareCharged(priced, year, listPrice),
  }
}

/** Changes of the price within the window, those over a time of which nothing is known counted as one. */
function changes(priced: readonly PriceRun[], { from, to }: Window): number {
  let count = 0
  for (const [index, run] of priced.entries()) {
    const before = priced[index - 1]
    if (before && before.price !== run.price && run.from >= from && run.from <= to) count += 1
  }
  return count
}

/** Volatility: the interquartile range by time as a share of the median; null where no time is known. */
function spread(byPrice: readonly PriceRun[], window: Window): number | null {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(byPrice, window, share))
  if (low == null || middle == null || high == null || middle === 0) return null
  return (high - low) / middle
}

/** Share of the known time at which the list price, or 98 % of it, was charged; null where no time is known. */
function shareCharged(priced: readonly PriceRun[], window: Window, listPrice: number): number | null {
  const known = knownTime(priced, window)
  if (known === 0) return null
  const charged = priced.filter(({ price }) => price >= listPrice * thresholds.listPriceCharged)
  return knownTime(charged, window) / known
}

const iso = (time: number) => new Date(time).toISOString()
/** With how long it held in the window, all its times together. */
const seen = (found: SeenPrice | null, runs: readonly PriceRun[], window: Window) =>
  found && {
    ...{ price: found.price, seen_at: iso(found.seenAt) },
    days:
      knownTime(
        runs.filter(({ price }) => price === found.price),
        window,
      ) / day,
  }
