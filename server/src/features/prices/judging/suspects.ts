import type { PriceRun } from './history.ts'
import { thresholds } from './thresholds.ts'

/**
 * The runs whose price is far from the others and was seen only once: below 5 % of its list price, or more than 3 scaled median
 * absolute deviations (by time, of logarithms) from the median, which is Hampel's identifier. Where the deviation is 0, because
 * one price held most of the time, 20 % count as far. Not suspect is what another price followed only a day or more later, or
 * what any other observation has too. Does not depend on now: time alone confirms nothing.
 */
export function suspectRuns(runs: readonly PriceRun[]): Set<PriceRun> {
  const seenOnce = runs.filter((run, index) => {
    const next = runs[index + 1]
    return !run.isSeenAgain && (!next || next.from - run.from < thresholds.suspectBefore)
  })
  if (seenOnce.length === 0) return new Set()
  const times = new Map<number, number>()
  for (const { price } of runs) times.set(price, (times.get(price) ?? 0) + 1)
  const isFar = farFromOthers(runs)
  return new Set(
    seenOnce.filter(
      (run) =>
        times.get(run.price) === 1 &&
        (isFar(run.price) || run.price < thresholds.leastOfListPrice * (run.listPrice ?? 0)),
    ),
  )
}

function farFromOthers(runs: readonly PriceRun[]): (price: number) => boolean {
  const held = runs.map(({ price, from, until }) => ({ value: Math.log(price), time: until - from }))
  const known = held.reduce((sum, { time }) => sum + time, 0)
  if (known < thresholds.knownForSuspects) return () => false
  const middle = weightedMedian(held, known)
  const deviations = held.map(({ value, time }) => ({ value: Math.abs(value - middle), time }))
  // 1.4826 makes the deviation comparable to a standard deviation.
  const far = thresholds.deviations * 1.4826 * weightedMedian(deviations, known)
  if (far > 0) return (price) => Math.abs(Math.log(price) - middle) > far
  return (price) => Math.abs(price / Math.exp(middle) - 1) > thresholds.leastDeviation
}

function weightedMedian(values: readonly { value: number; time: number }[], total: number): number {
  let sum = 0
  for (const { value, time } of values.toSorted((a, b) => a.value - b.value)) {
    sum += time
    if (sum >= total / 2) return value
  }
  return 0
}
