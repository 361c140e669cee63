import { isPriced, type PriceRun, type Run } from './history.ts'
import { thresholds } from './thresholds.ts'

/**
 * The runs whose price is far from the others and was seen only once, or for an hour at most: below 5 % of its list price, or more
 * than 3 scaled median absolute deviations (by time, of logarithms) from the median, which is Hampel's identifier, and more than 20 % too: where one
 * price held most of the time the deviation is 0. Not suspect is what another price followed only a day later, or what an
 * observation more than an hour later has too; another list price beside it, or another price between, confirms nothing. Does not depend
 * on now: time alone confirms nothing either, nor does it that the offer went, as where a shop pulls an error. `runs` are all, oldest
 * first; `byPrice` those with a price, cheapest first, of one price the oldest first.
 */
export function suspectRuns(runs: readonly Run[], byPrice: readonly PriceRun[]): Set<PriceRun> {
  const isSeenOnce = (run: Run, index: number) => {
    const next = runs[index + 1]
    const isConfirmed = next?.price != null && next.from - run.from >= thresholds.suspectBefore
    return run.lastSeen - run.from <= thresholds.oneSight && !isConfirmed
  }
  const seenOnce = new Set(runs.filter(isSeenOnce).filter(isPriced))
  if (seenOnce.size === 0) return seenOnce
  const firstSights = new Map<number, number>()
  const confirmed = new Set<number>()
  // Of one price the oldest run comes first.
  for (const run of byPrice) {
    const first = firstSights.get(run.price) ?? run.from
    firstSights.set(run.price, first)
    if (!seenOnce.has(run) || run.lastSeen - first > thresholds.oneSight) confirmed.add(run.price)
  }
  const isFar = farFromOthers(byPrice)
  return new Set(
    [...seenOnce].filter(
      (run) =>
        !confirmed.has(run.price) &&
        (isFar(run.price) || run.price < thresholds.leastOfListPrice * (run.listPrice ?? 0)),
    ),
  )
}

function farFromOthers(byPrice: readonly PriceRun[]): (price: number) => boolean {
  const held = byPrice.map(({ price, from, until }) => ({ value: Math.log(price), time: until - from }))
  const known = held.reduce((sum, { time }) => sum + time, 0)
  if (known < thresholds.knownForSuspects) return () => false
  const middle = weightedMedian(held, known)
  const deviations = held.map(({ value, time }) => ({ value: Math.abs(value - middle), time }))
  deviations.sort((a, b) => a.value - b.value)
  // 1.4826 makes the deviation comparable to a standard deviation.
  const far = thresholds.deviations * 1.4826 * weightedMedian(deviations, known)
  return (price) =>
    Math.abs(Math.log(price) - middle) > far &&
    Math.abs(price / Math.exp(middle) - 1) > thresholds.leastDeviation
}

/** Of values in ascending order. */
function weightedMedian(values: readonly { value: number; time: number }[], total: number): number {
  let sum = 0
  for (const { value, time } of values) {
    sum += time
    if (sum >= total / 2) return value
  }
  return 0
}
