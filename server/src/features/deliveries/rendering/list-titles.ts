import type { CollectedFor } from '../../../platform/database/alert-tables.ts'
import { countText } from './texts.ts'

const causes: Record<CollectedFor, string> = {
  quiet: 'while you had quiet hours',
  pause: 'while messages were paused',
  burst: 'found at once',
  hour: 'beyond what you want in an hour',
  daily: 'of the last day',
  weekly: 'of the last week',
}

/** A list's title in plain words, such as `7 deals while you had quiet hours`; null: of what matched when an alert was made. */
export function listTitle(count: number, collectedFor: CollectedFor | null): string {
  const deals = countText(count, 'deal')
  return collectedFor === null ? deals : `${deals} ${causes[collectedFor]}`
}
