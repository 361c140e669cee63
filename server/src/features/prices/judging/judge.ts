import type { DealVerdict, Verdict } from '@dealdeck/contract/prices'
import { nextDue } from './due.ts'
import { evidenceOf } from './evidence.ts'
import { figuresOf, historyOf } from './figures.ts'
import { isAheadOf, type StoredPoint, toRuns } from './history.ts'
import { sparklineOf } from './sparkline.ts'
import { strongestVerdict } from './verdicts.ts'

export type Judgement = {
  verdict: Verdict
  /** What the deal carries; null where there is no point, or only wrong ones. */
  dealVerdict: DealVerdict | null
  /** The `seenAt` of the points that are left out of lows. */
  suspects: Set<number>
  /** When the verdict is to be made again without news, in milliseconds; Infinity where that changes nothing. */
  nextDue: number
}

/**
 * What the observed prices of a deal allow to be said at `now`, in milliseconds. Points come in any order. Pure: the same points,
 * time and options give the same. `listPrice` is the deal's own of now, null without one; `formatMoney` writes an amount of
 * the marketplace's currency.
 */
export function judge(
  points: readonly StoredPoint[],
  now: number,
  { formatMoney, listPrice }: { formatMoney: (amount: number) => string; listPrice: number | null },
): Judgement {
  const runs = toRuns(points, now)
  const history = historyOf(runs)
  const evidence = evidenceOf(history, listPrice, now)
  const { kind, text, short } = strongestVerdict(evidence, formatMoney)
  const figures = figuresOf(history, listPrice, now)
  return {
    verdict: { kind, short, text, as_of: new Date(now).toISOString(), figures },
    dealVerdict: runs.length === 0 ? null : { kind, short, sparkline: sparklineOf(history.priced, now) },
    suspects: new Set([...history.suspects].map(({ storedAt }) => storedAt)),
    nextDue:
      runs.length === 0 ? Number.POSITIVE_INFINITY : nextDue(history, evidence, isAheadOf(points, now)),
  }
}
