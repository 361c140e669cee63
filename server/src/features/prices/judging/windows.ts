import type { PriceRun, Run } from './history.ts'

/** A stretch of time in milliseconds, from its start to before its end. */
export type Window = { from: number; to: number }

/** The `length` milliseconds up to `to`. */
export const windowOf = (to: number, length: number): Window => ({ from: to - length, to })

/** How much of a run lies within a window, in milliseconds. */
export function overlap(run: Run, { from, to }: Window): number {
  return Math.max(0, Math.min(run.until, to) - Math.max(run.from, from))
}

/** Known time with a price, in milliseconds. */
export function knownTime(runs: readonly Run[], window: Window): number {
  let known = 0
  for (const run of runs) if (run.price !== null) known += overlap(run, window)
  return known
}

/**
 * Known time with a price as a share of the window without the time in which the deal was known not to be offered, from 0 to 1;
 * 0 where it was not offered at all.
 */
export function coverage(runs: readonly Run[], window: Window): number {
  let unoffered = 0
  for (const run of runs) if (run.price === null) unoffered += overlap(run, window)
  const offered = window.to - window.from - unoffered
  return offered <= 0 ? 0 : Math.min(1, knownTime(runs, window) / offered)
}

/** For how long a window has been watched: since the first in it that is known, a price or that there was none; 0 without any. In milliseconds. */
export function watchedFor(runs: readonly Run[], { from, to }: Window): number {
  const first = runs.find((run) => run.until > from)
  return first ? Math.max(0, to - Math.max(first.from, from)) : 0
}

/** Whether so large a share of the window is known; the time without an offer asks for nothing. */
export function isCovered(runs: readonly Run[], window: Window, share: number): boolean {
  let balance = -share * (window.to - window.from)
  for (const run of runs) balance += overlap(run, window) * (run.price === null ? share : 1)
  return balance >= 0
}

/** Known time at prices below `price`, or at most `price`, in milliseconds. */
export function timeBelow(
  runs: readonly PriceRun[],
  window: Window,
  price: number,
  orEqual: boolean,
): number {
  let time = 0
  for (const run of runs)
    if (run.price < price || (orEqual && run.price === price)) time += overlap(run, window)
  return time
}

/**
 * A quantile of the price by time: of prices in ascending order the first with whose time the sum reaches `share` of all known time.
 * See https://arxiv.org/abs/2304.07265 for quantiles with weights. `byPrice` is sorted by price, `known` its known time in the
 * window where the caller has it; null where no time is known.
 */
export function quantile(
  byPrice: readonly PriceRun[],
  window: Window,
  share: number,
  known = knownTime(byPrice, window),
): number | null {
  const needed = known * share
  let sum = 0
  for (const run of byPrice) {
    const time = overlap(run, window)
    sum += time
    if (time > 0 && sum >= needed) return run.price
  }
  return null
}

/** The typical price: the median by time. A shop's own 'was' price is the median of 90 days too. Null where no time is known. */
export const typicalPrice = (byPrice: readonly PriceRun[], window: Window, known?: number) =>
  quantile(byPrice, window, 0.5, known)

/** The price that held longest in the window, of equals the lower one; null where no time is known. */
export function usualPrice(byPrice: readonly PriceRun[], window: Window): number | null {
  let usual: number | null = null
  let longest = 0
  let price: number | null = null
  let held = 0
  for (const run of byPrice) {
    held = run.price === price ? held + overlap(run, window) : overlap(run, window)
    price = run.price
    if (held > longest) [usual, longest] = [price, held]
  }
  return usual
}
