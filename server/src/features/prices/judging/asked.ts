import type { DealVerdict, PriceFigures } from '@dealdeck/contract/prices'
import type { Evidence } from './evidence.ts'
import { highSince, lowSince } from './lows.ts'
import type { Series } from './series.ts'
import { day, thresholds } from './thresholds.ts'
import { watchedFor, windowOf } from './windows.ts'

/** What of a verdict is asked for and ordered by; money in the marketplace's currency, shares in whole percent. */
export type AskedFigures = Omit<DealVerdict, 'kind' | 'short' | 'sparkline'>

/**
 * What deals are asked for and ordered by. Where it is too early to judge, only how the price last changed is known, and not that where it is wrong. Shares are rounded down, so that
 * who asks for at least so much never gets less.
 */
export function askedFigures(
  series: Series,
  evidence: Evidence,
  figures: PriceFigures,
  isJudged: boolean,
): AskedFigures {
  const { price } = evidence
  const { typical, coverage_90 } = figures
  const judged = isJudged ? typical : null
  return {
    best: judged === null ? null : bestOf(judged - price, coverage_90),
    under_typical: judged === null || price >= judged ? null : wholePercent(judged - price, judged),
    low_days: isJudged ? lowDays(series, evidence) : null,
    ...(evidence.isShownWrong ? noDrop : lastDrop(series)),
  }
}

/**
 * Money times certainty. The share is one of whole tenths, so that what a day more adds is no change that everybody has to be told of; and the money of
 * whole cents, as it is ordered by.
 */
function bestOf(money: number, coverage: number): number {
  return Math.round((cents(money) * Math.floor(coverage * 10 + 1e-9)) / 10) / 100
}

/** The longest window of which the price of now is the low, once that was higher within it; null for none. */
function lowDays({ runs, priced, trusted }: Series, { now, price }: Evidence): number | null {
  const isLow = (days: number) =>
    price <= (lowSince(trusted, now - days * day)?.price ?? 0) &&
    price < (highSince(priced, now - days * day)?.price ?? 0)
  const isWatched = ({ days, age }: (typeof thresholds.lowAges)[number]) =>
    watchedFor(runs, windowOf(now, days * day)) >= age
  return thresholds.lowAges.findLast((low) => isWatched(low) && isLow(low.days))?.days ?? null
}

const noDrop = { drop: null, dropped_at: null }

/** By how much the price fell when it last changed, suspects left out; null where it rose, or is a suspect itself. */
function lastDrop({ priced, trusted }: Series): Pick<DealVerdict, 'drop' | 'dropped_at'> {
  const last = priced.at(-1)
  const before = trusted.findLastIndex(({ price }) => price !== last?.price)
  const [other, began] = [trusted[before], trusted[before + 1]]
  if (!last || trusted.at(-1) !== last || !other || !began || other.price < last.price) return noDrop
  return {
    drop: wholePercent(other.price - last.price, other.price),
    dropped_at: new Date(began.from).toISOString(),
  }
}

const cents = (amount: number) => Math.round(amount * 100)
/** In whole cents, of which no part is lost. */
const wholePercent = (part: number, of: number) => Math.floor((cents(part) * 100) / cents(of))
