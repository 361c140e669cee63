import type { DealFacts } from '@dealdeck/query/facts'
import type { Moment } from '@dealdeck/query/matching'
import { midnightBefore } from '../../../platform/local-times.ts'
import type { DealChange, ReadChanges } from '../../deals/following/changes.ts'
import { factsBefore } from '../../deals/following/facts.ts'
import type { KnownAlert, KnownAlerts } from './known-alerts.ts'

/** What became of a deal, and who asks for it as it is now. */
export type JudgedDeal = {
  dealId: number
  /** Null where nobody sees it now. */
  price: number | null
  off: number | null
  /** It isn't seen now, or wasn't in between. */
  wasGone: boolean
  /** What it costs is different. */
  isRepriced: boolean
  /** `isEdge`: at some time since it was judged last the deal didn't meet it. */
  matching: { alert: KnownAlert; isEdge: boolean }[]
}

/** All changes of each deal, the oldest first. */
export function changesByDeal({ revisions }: Pick<ReadChanges, 'revisions'>): Map<number, DealChange[]> {
  const byDeal = new Map<number, DealChange[]>()
  for (const { changes } of revisions)
    for (const change of changes) {
      const known = byDeal.get(change.deal_id)
      if (known) known.push(change)
      else byDeal.set(change.deal_id, [change])
    }
  return byDeal
}

/**
 * Judges a deal by its changes and by what it is now, which may be what later changes made of it: then these find nothing more.
 * `facts` is null where nobody sees it.
 */
export function judgeDeal(
  alerts: Pick<KnownAlerts, 'mayMatch'>,
  dealId: number,
  changes: readonly DealChange[],
  facts: DealFacts | null,
  moments: Moments,
): JudgedDeal {
  const wasGone = facts === null || changes.some(({ after }) => after?.is_visible !== true)
  const isRepriced = changes.some(
    ({ before, after }) => before?.price !== after?.price || before?.original_price !== after?.original_price,
  )
  const judged = { dealId, wasGone, isRepriced, price: facts?.price ?? null, off: facts?.off ?? null }
  if (!facts) return { ...judged, matching: [] }
  const earlier: DealFacts[] = []
  for (const change of changes.toReversed()) earlier.push(factsBefore(earlier.at(-1) ?? facts, change))
  const first = earlier.at(-1) ?? facts
  const matching: JudgedDeal['matching'] = []
  for (const alert of alerts.mayMatch(dealId, facts)) {
    const moment = moments.now(alert.time_zone)
    if (!alert.matches(facts, moment)) continue
    const isEdge =
      wasGone ||
      earlier.some((before) => !alert.matches(before, moment)) ||
      // What time alone has changed since is an edge too.
      (alert.dependsOnClock && !alert.matches(first, moments.at(first.lastUpdated, alert.time_zone)))
    matching.push({ alert, isEdge })
  }
  return { ...judged, matching }
}

/** Clocks differ by whole quarters of an hour, so that a day begins with one, wherever that is; in milliseconds. */
const quarterMs = 15 * 60_000

/** Moments of questions, where their owners are. */
export class Moments {
  readonly #now: number
  readonly #known = new Map<string, Moment>()
  /** Midnights before each quarter of an hour that was asked for: prices are seen at ever other seconds. */
  readonly #midnights = new Map<string, number>()

  constructor(now: Date) {
    this.#now = now.getTime()
  }

  now(zone: string): Moment {
    const known = this.#known.get(zone)
    if (known) return known
    const moment = momentAt(this.#now, zone)
    this.#known.set(zone, moment)
    return moment
  }

  at(time: number, zone: string): Moment {
    const key = `${Math.floor(time / quarterMs)} ${zone}`
    const midnight = this.#midnights.get(key) ?? midnightBefore(time, zone)
    this.#midnights.set(key, midnight)
    return { now: time, midnight }
  }
}

/** Midnight takes some 50 µs to find out. */
const momentAt = (time: number, zone: string): Moment => ({ now: time, midnight: midnightBefore(time, zone) })
