import type { Deal } from '@dealdeck/contract/deals'

const newFor = 30 * 60_000
/** When an unchanged price was last seen is stored to within this time. */
const freshFor = 60 * 60_000

/** Whether a deal was first seen, and its price last, within the last 30 minutes. `now` in milliseconds. */
export function isNew({ first_seen, observed_at }: Deal, now: number): boolean {
  return [first_seen, observed_at].every((time) => now - Date.parse(time) <= newFor)
}

const hour = 60 * 60_000

/** What of a deal isn't in its title and may decide: a brand, a condition other than new, and an end within two days. */
export function notesOf({ brand, title, condition, ends_at }: Deal, now: number): string[] {
  const left = ends_at === null ? Number.NaN : Date.parse(ends_at) - now
  const end = left < hour ? `${Math.max(1, Math.floor(left / 60_000))} min` : `${Math.floor(left / hour)} h`
  const notes: string[] = []
  if (left < 48 * hour) notes.push(`Ends in ${end}`)
  if (condition === 'renewed') notes.push('Renewed')
  if (condition === 'used') notes.push('Used')
  if (brand && !title.toLowerCase().includes(brand.toLowerCase())) notes.push(brand)
  return notes
}

/** How long ago the price was seen, where that isn't just now and reads otherwise than the deal's own age; `ago` writes both. */
export function priceAge(deal: Deal, now: number, ago: (time: string) => string): string | undefined {
  if (now - Date.parse(deal.observed_at) <= freshFor) return undefined
  const seen = ago(deal.observed_at)
  return seen === ago(deal.first_seen) ? undefined : seen
}
