import { priceGraceMs } from '@dealdeck/contract/price-times'

/** In milliseconds. */
const hour = 3_600_000
export const day = 24 * hour

/** Every number that a verdict depends on, each with its reason. Shares are from 0 to 1, times in milliseconds. */
export const thresholds = {
  /** How long a price counts as known after it was last seen. */
  grace: priceGraceMs,
  /** Younger histories say nothing yet. Two weeks hold two weekends; others ask for 14 daily points. */
  youngest: 14 * day,
  /** Known time of 90 days below which nothing is said, however much of the rest wasn't offered. */
  leastWatched: 14 * day,
  /** Half a month known: less could hide a price that held longer than those seen. */
  coverage30: 0.5,
  /** Contradicting a shop needs more than half: with 60 % known, what was missed held for 36 of 90 days at most. */
  contradictingCoverage90: 0.6,
  /** 'Not seen in 90 days' is said after as many days as the law looks back for a prior price. */
  listPriceAge: 30 * day,
  /** Five weeks, as other trackers wait before they call a price the best. */
  lowestAge: 35 * day,
  /** How long ago the first sight in so many days has to be for a low of them: as much of them as of 90, and never less than for any verdict. */
  lowAges: [
    { days: 30, age: 14 * day },
    { days: 90, age: 35 * day },
    { days: 365, age: 142 * day },
  ],
  /** Prices so near to each other are the same to a buyer. */
  alike: 0.05,
  /** What is worth being called good: less is within the sway of ordinary weeks. */
  goodUnderTypical: 0.1,
  /** Of the known time: what was cheaper for longer was so on more than 'only' some days. */
  seldom: 0.25,
  /** Rounding and cents: a price of 98 % of the list price is the list price. */
  listPriceCharged: 0.98,
  /** A shop announces a reduction from this on; less shows as nothing or 'save 3 %'. */
  shownDiscount: 0.05,
  /** Rule A: list price and price that rise by so much, within so long of each other, rise together. */
  risesTogether: { by: 0.05, within: 3 * day },
  /** Rule B: a raise above the typical price by so much, given back after so long at most (the 30 days of the law). */
  raisedAbove: { by: 0.1, forAtMost: 30 * day },
  /** After so long the price that followed a rise is a price of its own. Rule B adds how long the raise may hold. */
  riseCounts: 30 * day,
  /** Known time that the price before a rise needs: two weeks, as for any verdict. */
  knownBeforeRise: 14 * day,
  /** A rise for good by so much, with so much known time on either side. */
  lastingRise: { by: 0.1, known: 30 * day },
  /** Rises looked at, the latest first: bounds the work on prices that change by the hour. */
  risesLookedAt: 16,
  /** A price of less than 5 % of its list price is more often an error of reading than an offer. */
  leastOfListPrice: 0.05,
  /** Hampel's identifier: 3 scaled median absolute deviations. */
  deviations: 3,
  /** And by so much: where one price held most of the time the deviation is 0, and every change would be an outlier. */
  leastDeviation: 0.2,
  /**
   * Sights so near to each other are one: a stored price is confirmed once an hour, so that how many there were depends on how they came,
   * and an error of ten minutes is one however often it was looked at.
   */
  oneSight: hour,
  /** A price seen once is suspect if another followed sooner; seen daily, give or take, a sale of one day is seen once. */
  suspectBefore: 20 * hour,
  /** Known time that outliers are told by: with less nobody knows which price is the odd one. */
  knownForSuspects: 7 * day,
  /** A verdict is looked at again at least so often while its sparkline can still move: 7 of 90 units. */
  sparklineAge: 7 * day,
  /** And at most so often. */
  leastPause: hour,
} as const
