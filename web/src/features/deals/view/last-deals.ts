import type { Deal } from '@dealdeck/contract/deals'
import { deviceKeys } from '../../../platform/device-keys.ts'
import { readStored } from '../../../platform/storage.ts'

/** Deals and when they were last known to be current, in ISO 8601. */
export type LastDeals = { time: string; deals: Deal[] }

/** The deals this user saw last on this device; undefined when there are none. */
export function readLastDeals(userId: number): LastDeals | undefined {
  const kept = Object(readStored(deviceKeys.lastDeals))
  return kept.userId === userId && Array.isArray(kept.deals) && kept.deals.length > 0 ? kept : undefined
}
