import type { Deal } from '@dealdeck/contract/deals'

const newFor = 30 * 60_000
/** When an unchanged price was last seen is stored to within this time. */
const freshFor = 60 * 60_000

/** Whether a deal was first seen, and its price last, within the last 30 minutes. `now` in milliseconds. */
export function isNew({ first_seen, observed_at }: Deal, now: number): boolean {
  return [first_seen, observed_at].every((time) => now - Date.parse(time) <= newFor)
}

/** How long ago the price was seen, where that isn't just now and reads otherwise than the deal's own age; `ago` writes both. */
export function priceAge(deal: Deal, now: number, ago: (time: string) => string): string | undefined {
  if (now - Date.parse(deal.observed_at) <= freshFor) return undefined
  const seen = ago(deal.observed_at)
  return seen === ago(deal.first_seen) ? undefined : seen
}
