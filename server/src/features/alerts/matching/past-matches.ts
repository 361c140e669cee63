import type { DealFacts } from '@dealdeck/query/facts'
import type { Matcher } from '@dealdeck/query/matching'
import { TimeSlice } from '../../../platform/time-slice.ts'
import { percentOff } from '../../deals/following/facts.ts'
import type { Moments } from './judging.ts'

/** What a deal was seen at, and when, in milliseconds since 1970; without a price it was not offered. */
export type SeenPrice = { at: number; price: number | null; original: number | null }

/**
 * How often an alert would have told of a deal since a time, by the prices that were seen of it, the oldest first: at the edge to matching, when it
 * was cheaper by so many percent than what was told of, and after it was not offered. All else about it counts as it is now.
 */
function countPastMatches(
  matches: Matcher,
  facts: DealFacts,
  seen: readonly SeenPrice[],
  {
    since,
    zone,
    moments,
    againPercent,
  }: { since: number; zone: string; moments: Moments; againPercent: number },
): number {
  let [count, wasMatching] = [0, false]
  let told: number | null = null
  for (const { at, price, original } of seen) {
    if (price === null) {
      told = null
      wasMatching = false
      continue
    }
    const then: DealFacts = {
      ...{ ...facts, price, off: percentOff(price, original), hasListPrice: original !== null },
      ...{ lastChecked: at, lastUpdated: at, isVisible: true },
    }
    const isMatching = matches(then, moments.at(at, zone))
    const isCheaper = told === null ? !wasMatching : price <= Math.round(told * (100 - againPercent)) / 100
    if (isMatching && isCheaper) {
      // What matched before can't be told of, but is what a further fall is measured by.
      if (at >= since) count += 1
      told = price
    }
    wasMatching = isMatching
  }
  return count
}

/** The same of some deals, by their ids. Others have their turn of the event loop between them: there are thousands of prices. */
export async function countMatchesOf(
  matches: Matcher,
  facts: ReadonlyMap<number, DealFacts>,
  seen: ReadonlyMap<number, readonly SeenPrice[]>,
  window: Parameters<typeof countPastMatches>[3],
): Promise<number> {
  const slice = new TimeSlice()
  let count = 0
  for (const [id, deal] of facts) {
    await slice.pause()
    count += countPastMatches(matches, deal, seen.get(id) ?? [], window)
  }
  return count
}
