import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { money } from '../../platform/money.ts'
import type { StoredVerdict } from '../deals/writing/verdicts.ts'
import { type StoredPoint, toRuns } from './judging/history.ts'
import { type Judgement, judge } from './judging/judge.ts'
import { firstOfPrice, type NewLow, newLows } from './judging/lows.ts'
import { seriesOf } from './judging/series.ts'
import { thresholds } from './judging/thresholds.ts'
import { tooEarly } from './judging/verdicts.ts'

/** A deal's points, oldest first, and what it costs now. Times in milliseconds since 1970. */
export type PriceHistory = {
  price: number
  original_price: number | null
  observed_at: number
  /** Whether it is stated to be available, and not over. */
  is_offered: boolean
  points: StoredPoint[]
}

/**
 * Whether the price shown is one that was wrong when it was there last, so that what the others say would be of another price: also where
 * it came again by an import whose history may not be kept, of which there is no point to be marked.
 */
function isShownWrong({ points, price, is_offered }: PriceHistory): boolean {
  return is_offered && points.findLast((point) => point.price === price)?.isWrong === true
}

/**
 * The points with what the deal costs now, where that is none of them, or one that nobody knew of any more: an import whose history may
 * not be kept saw it last. Without it the verdict would be about a price that nobody is shown, or deny that it was seen.
 */
function withPresent(history: PriceHistory): StoredPoint[] {
  const { points, price, original_price: listPrice, observed_at, is_offered } = history
  if (!is_offered || isShownWrong(history)) return points
  const last = points.findLast(({ isWrong }) => !isWrong)
  const knownUntil = last ? (last.confirmedUntil ?? last.seenAt) + thresholds.grace : 0
  if (last && (last.seenAt >= observed_at || (last.price === price && knownUntil >= observed_at)))
    return points
  return [
    ...points,
    { seenAt: observed_at, confirmedUntil: null, price, listPrice, importId: null, isWrong: false },
  ]
}

/** What a deal's prices say at `now`, in milliseconds. */
export function judgeHistory(history: PriceHistory, now: number, marketplace: Marketplace): Judgement {
  return judge(withPresent(history), now, {
    formatMoney: (amount) => money(amount, marketplace),
    listPrice: history.original_price,
    isShownWrong: isShownWrong(history),
  })
}

/** What is new of a deal's price, as far as its points are read one by one. Times in milliseconds. */
export type PriceNews = {
  /** When the last price began that was asked, not when it was seen again after a silence or a gap; null without any. */
  changedAt: number | null
  /** Each low as verdicts count them: none of a price that is suspect, or marked as wrong. Oldest first. */
  lows: NewLow[]
}

/** The news in a deal's points at `now`, in milliseconds; lows from `since` on, as those of before have no time of their own. */
export function priceNews(points: readonly StoredPoint[], since: number, now: number): PriceNews {
  const { priced, trusted } = seriesOf(toRuns(points, now))
  return {
    changedAt: firstOfPrice(priced)?.storedAt ?? null,
    lows: newLows(trusted).filter(({ at }) => at >= since),
  }
}

/** A deal that was first seen less than this ago carries no verdict, unless its price fell: too early is all it could say. In milliseconds. */
const firstDayMs = 86_400_000

/** What a deal carries of a judgement. A new deal's says nothing yet, and writing it would tell everybody of the deal once more. */
function carriedVerdict({ verdict, dealVerdict }: Judgement): string | null {
  const isNews = verdict.short !== tooEarly || ageOf(verdict) >= firstDayMs || dealVerdict?.drop !== null
  return dealVerdict && isNews ? JSON.stringify(dealVerdict) : null
}

/** For how long the deal had been watched, in milliseconds. */
const ageOf = ({ as_of, figures }: Judgement['verdict']) =>
  Date.parse(as_of) - Date.parse(figures.watched_since)

/** When it is to be made again, in milliseconds from when it was made; null where that changes nothing. */
function dueInMs({ verdict, nextDue }: Judgement, isCarried: boolean): number | null {
  const dueAt = nextDue()
  if (!Number.isFinite(dueAt)) return null
  const due = dueAt - Date.parse(verdict.as_of)
  return isCarried ? due : Math.min(due, firstDayMs - ageOf(verdict))
}

/** A judgement as it is stored; `was_due` as the table had it when the points were read. */
export function toStored(deal_id: number, was_due: string, judgement: Judgement): StoredVerdict {
  const { verdict, dealVerdict } = judgement
  const { figures } = verdict
  const carried = carriedVerdict(judgement)
  return {
    ...{ deal_id, was_due, computed_at: verdict.as_of, kind: dealVerdict ? verdict.kind : null },
    due_in_ms: dueInMs(judgement, carried !== null),
    ...{ watched_since: figures.watched_since, coverage_90: figures.coverage_90, typical: figures.typical },
    ...{ low_30: figures.low_30?.price ?? null, low_30_at: figures.low_30?.seen_at ?? null },
    ...{ low_90: figures.low_90?.price ?? null, low_90_at: figures.low_90?.seen_at ?? null },
    ...{ low_365: figures.low_365?.price ?? null, low_365_at: figures.low_365?.seen_at ?? null },
    verdict: carried,
  }
}
