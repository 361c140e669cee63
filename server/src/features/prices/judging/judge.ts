import type { DealVerdict, Verdict } from '@dealdeck/contract/prices'
import { askedFigures } from './asked.ts'
import { nextDue } from './due.ts'
import { evidenceOf } from './evidence.ts'
import { figuresOf } from './figures.ts'
import { isAheadOf, type StoredPoint, toRuns } from './history.ts'
import { seriesOf } from './series.ts'
import { sparklineOf } from './sparkline.ts'
import { strongestVerdict } from './verdicts.ts'

export type Judgement = {
  verdict: Verdict
  /** What the deal carries; null where there is no point, or only wrong ones. */
  dealVerdict: DealVerdict | null
  /** The `seenAt` of the points that are left out of lows. */
  suspects: Set<number>
  /** When the verdict is to be made again without news, in milliseconds; Infinity where that changes nothing. */
  nextDue: () => number
}

/**
 * What the observed prices of a deal allow to be said at `now`, in milliseconds. Points come in any order. Pure: the same points,
 * time and options give the same. `listPrice` is the deal's own of now, null without one; `formatMoney` writes an amount of
 * the marketplace's currency; `isShownWrong` where the price shown is one of the wrong points, so that none of the others is the deal's.
 */
export function judge(
  points: readonly StoredPoint[],
  now: number,
  {
    formatMoney,
    listPrice,
    isShownWrong = false,
  }: { formatMoney: (amount: number) => string; listPrice: number | null; isShownWrong?: boolean },
): Judgement {
  const series = seriesOf(toRuns(points, now))
  const evidence = evidenceOf(series, { listPrice, isShownWrong }, now)
  const { kind, text, short } = strongestVerdict(evidence, formatMoney)
  const figures = figuresOf(series, listPrice, now)
  const asked = askedFigures(series, evidence, figures, kind !== 'new')
  const sparkline = sparklineOf(series.priced, now)
  return {
    verdict: { kind, short, text, as_of: new Date(now).toISOString(), figures },
    dealVerdict: series.runs.length === 0 ? null : { kind, short, ...asked, sparkline },
    suspects: new Set([...series.suspects].map(({ storedAt }) => storedAt)),
    // Only for who asks: it takes half as long as all else, and what is put in words for a message needs none. As a getter it would give
    // each of these objects a shape of its own, which V8 keeps: its collector stopped everything for 8 ms at a time instead of 0.3.
    nextDue: () =>
      series.runs.length === 0 ? Number.POSITIVE_INFINITY : nextDue(series, evidence, isAheadOf(points, now)),
  }
}
