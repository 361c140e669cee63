import { deviceKeys } from './device-keys.ts'
import { readStored, writeStored } from './storage.ts'

const { linkPresets, customFilters, deviceEntriesOwner } = deviceKeys

/** Presets and filters as they are stored on the device; null for none. */
export type StoredEntries = { presets: unknown; filters: unknown }

/**
 * What earlier versions stored on this device, for the account that was the first to ask; null for every other account, and
 * when there is nothing.
 */
export function readDeviceEntries(userId: number): StoredEntries | null {
  const presets = readStored(linkPresets)
  const filters = readStored(customFilters)
  if (presets === null && filters === null) return null
  if (readStored(deviceEntriesOwner) === null) writeStored(deviceEntriesOwner, userId)
  return readStored(deviceEntriesOwner) === userId ? { presets, filters } : null
}

/** Stores what is left of the entries of the account that has them. */
export function writeDeviceEntries({ presets, filters }: StoredEntries): void {
  writeStored(linkPresets, presets)
  writeStored(customFilters, filters)
  if (presets === null && filters === null) writeStored(deviceEntriesOwner, null)
}
