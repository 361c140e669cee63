import { percentOff } from '../../deals/following/facts.ts'
import type { Run } from './history.ts'
import { highSince, lowSince, priceBegan, type SeenPrice } from './lows.ts'
import { findRaise, type Raise } from './raises.ts'
import type { Series } from './series.ts'
import { day, thresholds } from './thresholds.ts'
import { isCovered, knownTime, overlap, timeBelow, typicalPrice, watchedFor, windowOf } from './windows.ts'

/** What the gates of verdicts go by, and what their sentences name. Times in milliseconds, money in the marketplace's currency. */
export type Evidence = {
  now: number
  /** The last that is known: a price, or that there is no offer; undefined without a point. */
  current: Run | undefined
  /** Whether the price shown was marked as wrong; `price` is one before it then. */
  isShownWrong: boolean
  /** The price of now, or the last one before there was no offer; 0 without any. */
  price: number
  listPrice: number | null
  /** Since the first observation, and since the first that 90 days have: one of long ago says nothing of these. */
  age: number
  age90: number
  /** Known time of 30 and of 90 days, and of all. */
  known30: number
  known90: number
  knownInAll: number
  /** Of the age, what is known: a price, or that there was none. */
  watchedInAll: number
  isCovered30: boolean
  isCovered90: boolean
  isSuspect: boolean
  /** Whether no other price was ever known. */
  isOnlyPrice: boolean
  typical: number
  /** Suspects are no lows, but a high is whatever was seen. */
  low90: SeenPrice
  high90: SeenPrice
  /** A suspect of 90 days below the price of now, which its sentence has to name. */
  lowerSuspect: SeenPrice | null
  /** Known time of 90 days at lower prices, suspects left out, as the sentence that names one says. */
  cheaper90: number
  /** Whole percent that the shop takes off the list price, as its card shows them, where that is worth the name; else null. */
  discount: number | null
  /** Whether the list price was charged at any time of 365 days that was seen. */
  isListPriceSeen: boolean
  raise: Raise | null
}

export function evidenceOf(
  series: Series,
  { listPrice, isShownWrong }: { listPrice: number | null; isShownWrong: boolean },
  now: number,
): Evidence {
  const { runs, priced, trusted, pricedByPrice, suspects } = series
  const [month, quarter] = [windowOf(now, 30 * day), windowOf(now, 90 * day)]
  const last = priced.at(-1)
  const price = last?.price ?? 0
  const lastSeen = { price, seenAt: last?.lastSeen ?? now }
  const isDiscounted = listPrice !== null && price <= listPrice * (1 - thresholds.shownDiscount)
  const lower = [...suspects].filter((suspect) => suspect.price < price)
  return {
    now,
    current: runs.at(-1),
    isShownWrong,
    price,
    listPrice,
    age: now - (runs[0]?.from ?? now),
    age90: watchedFor(runs, quarter),
    known30: knownTime(priced, month),
    known90: knownTime(priced, quarter),
    knownInAll: knownTime(priced, { from: 0, to: now }),
    watchedInAll: runs.reduce((sum, run) => sum + overlap(run, { from: 0, to: now }), 0),
    isCovered30: isCovered(runs, month, thresholds.coverage30),
    isCovered90: isCovered(runs, quarter, thresholds.contradictingCoverage90),
    isSuspect: last !== undefined && suspects.has(last),
    isOnlyPrice: priceBegan(priced) === (priced[0]?.from ?? 0),
    typical: typicalPrice(pricedByPrice, quarter) ?? price,
    low90: lowSince(trusted, quarter.from) ?? lastSeen,
    high90: highSince(priced, quarter.from) ?? lastSeen,
    lowerSuspect: lowSince(lower, quarter.from),
    cheaper90: timeBelow(trusted, quarter, price, false),
    discount: isDiscounted ? percentOff(price, listPrice) : null,
    isListPriceSeen: priced.some(
      (run) => run.price >= (listPrice ?? 0) * thresholds.listPriceCharged && run.lastSeen >= now - 365 * day,
    ),
    raise: findRaise(series, listPrice, now),
  }
}
