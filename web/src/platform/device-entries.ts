import { readStored, writeStored } from './storage.ts'

/** Where earlier versions stored presets and filters, for whoever used the device. */
const [presetsKey, filtersKey] = ['dealdeck.link-presets', 'dealdeck.custom-filters']
/** The id of the account that they belong to. */
const ownerKey = 'dealdeck.device-entries-owner'

/** Presets and filters as they are stored on the device; null for none. */
export type StoredEntries = { presets: unknown; filters: unknown }

/**
 * What earlier versions stored on this device, for the account that was the first to ask; null for every other account, and
 * when there is nothing.
 */
export function readDeviceEntries(userId: number): StoredEntries | null {
  const presets = readStored(presetsKey)
  const filters = readStored(filtersKey)
  if (presets === null && filters === null) return null
  if (readStored(ownerKey) === null) writeStored(ownerKey, userId)
  return readStored(ownerKey) === userId ? { presets, filters } : null
}

/** Stores what is left of the entries of the account that has them. */
export function writeDeviceEntries({ presets, filters }: StoredEntries): void {
  writeStored(presetsKey, presets)
  writeStored(filtersKey, filters)
  if (presets === null && filters === null) writeStored(ownerKey, null)
}
