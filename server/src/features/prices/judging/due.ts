import type { Evidence } from './evidence.ts'
import type { Run } from './history.ts'
import type { Series } from './series.ts'
import { nowUnknownFrom } from './sparkline.ts'
import { day, thresholds } from './thresholds.ts'

/** A sum over the known times in a window that moves with now, and whether it is below 0: what a gate goes by. */
type Balance = { length: number; weightOf: (run: Run) => number; constant: number }

/**
 * The earliest time after `now`, in milliseconds, at which the verdict's kind, short form or the window of its low can be another without news;
 * Infinity where they can't. Until then judging again gives the same of these; the days and money that the text names, the figures and the sparkline
 * may have moved on. Looks once along the runs for each gate. An hour at least, so what changes sooner is late by that much; and a week
 * at most while there is something in the sparkline, which slides; that is looked at too when it reaches the present no more.
 */
export function nextDue(series: Series, evidence: Evidence, isAhead: boolean): number {
  const { now } = evidence
  const soonest = now + thresholds.leastPause
  // Times ahead of now move along with it, and with them all that follows.
  if (isAhead) return soonest
  const { runs, priced } = series
  const isDrawn = priced.some(({ until }) => until > now - 90 * day)
  const latest = isDrawn ? now + thresholds.sparklineAge : Number.POSITIVE_INFINITY
  const due = Math.min(
    ...turnsByAge(evidence),
    ...thresholds.lowAges.flatMap((low) => turnsByWatch(runs, low, now)),
    ...turnsBySights(series, evidence),
    ...balances(evidence).map((balance) => turnOf(runs, balance, now, latest)),
    ...[nowUnknownFrom(priced)].filter((time) => time > now),
    latest,
  )
  return Math.max(soonest, due)
}

/** When gates by age open, and a raise is too old. */
function turnsByAge({ now, age, raise }: Evidence): number[] {
  const first = now - age
  return [
    first + thresholds.youngest,
    first + thresholds.listPriceAge,
    raise?.expires ?? Number.POSITIVE_INFINITY,
  ].filter((time) => time > now)
}

/** When a window has been watched for long enough, and when what lies before a silence leaves it, after which it hasn't been. */
function turnsByWatch(
  runs: readonly Run[],
  { days, age }: { days: number; age: number },
  now: number,
): number[] {
  const length = days * day
  const first = runs.findIndex(({ until }) => until > now - length)
  if (first === -1) return []
  const silent = runs.find(({ until }, at) => at >= first && until < (runs[at + 1]?.from ?? 0))
  const begun = Math.max(runs[first]?.from ?? now, now - length)
  return [begun + age, silent ? silent.until + length : now].filter((time) => time > now)
}

/** When the last sight of what stands against a claim leaves its window. */
function turnsBySights({ priced, trusted }: Series, { now, price, listPrice }: Evidence): number[] {
  const leaves = (runs: readonly Run[], length: number, isAgainst: (seen: number) => boolean) => {
    const last = runs.findLast((run) => run.price !== null && isAgainst(run.price))
    const time = (last?.lastSeen ?? now) + length + 1
    return last && time > now ? time : Number.POSITIVE_INFINITY
  }
  return [
    ...thresholds.lowAges.flatMap(({ days }) => [
      leaves(trusted, days * day, (seen) => price > seen),
      leaves(priced, days * day, (seen) => price < seen),
    ]),
    leaves(trusted, 90 * day, (seen) => price > seen * (1 + thresholds.alike)),
    leaves(
      priced,
      365 * day,
      (seen) => seen >= (listPrice ?? Number.POSITIVE_INFINITY) * thresholds.listPriceCharged,
    ),
  ]
}

/** The gates by known time: coverage, and what the typical price is compared with. */
function balances({ price }: Evidence): Balance[] {
  const covered = (length: number, share: number): Balance => ({
    length,
    weightOf: (run) => (run.price === null ? share : 1),
    constant: -share * length,
  })
  // A median fulfils what prices do that held for longer than those which don't.
  const typical = (fulfils: (typical: number) => boolean): Balance => ({
    length: 90 * day,
    weightOf: (run) => (run.price === null ? 0 : fulfils(run.price) ? 1 : -1),
    constant: -1,
  })
  return [
    covered(30 * day, thresholds.coverage30),
    covered(90 * day, thresholds.contradictingCoverage90),
    {
      length: 90 * day,
      weightOf: (run) => (run.price === null ? 0 : 1),
      constant: -thresholds.leastWatched,
    },
    typical((value) => price <= value * (1 - thresholds.alike)),
    typical((value) => price <= value * (1 - thresholds.goodUnderTypical)),
    typical((value) => price <= value * (1 + thresholds.alike)),
  ]
}

/**
 * When the balance goes below 0, or no longer is; may be Infinity if that is after `latest`. Between the moments at which the
 * window's ends pass those of a run it is a line, and the moments are in order as the runs are.
 */
function turnOf(
  runs: readonly Run[],
  { length, weightOf, constant }: Balance,
  now: number,
  latest: number,
): number {
  let value = constant
  for (const run of runs) {
    const time = Math.min(run.until, now) - Math.max(run.from, now - length)
    if (time > 0) value += weightOf(run) * time
  }
  const isBelow = value < 0
  const last = runs.at(-1)
  let at = now
  let found = Number.POSITIVE_INFINITY
  const lead = (time: number) => (last && last.until > time ? weightOf(last) : 0)
  /** Goes on to a time up to which `leaving` is what leaves the window; true once the turn is found. */
  const goTo = (to: number, leaving: number): boolean => {
    const stops = last && last.until > at && last.until < to ? [last.until, to] : [to]
    for (const stop of stops) {
      const slope = lead(at) - leaving
      const end = value + slope * (stop - at)
      if (end < 0 !== isBelow) {
        const exact = at - value / slope
        found = isBelow ? Math.ceil(exact) : Math.floor(exact) + 1
        return true
      }
      value = end
      at = stop
    }
    return false
  }
  for (const run of runs) {
    if (at > latest) break
    if (run.from + length > at && goTo(run.from + length, 0)) return found
    if (run.until + length > at && goTo(run.until + length, weightOf(run))) return found
  }
  return found
}
