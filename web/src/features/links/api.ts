import type { NamedCode } from '@dealdeck/marketplace/filters'
import { deviceStore, useDeviceStore } from '../../platform/device-store.ts'
import { type Preset, parseCustomFilters, parsePresets } from './view.ts'

export const customFilters = deviceStore('dealdeck.custom-filters', parseCustomFilters)
export const presets = deviceStore('dealdeck.link-presets', parsePresets)

/** The custom filters kept on this device. */
export function useCustomFilters(): readonly NamedCode[] {
  return useDeviceStore(customFilters)
}

/** The set-ups kept on this device. */
export function usePresets(): readonly Preset[] {
  return useDeviceStore(presets)
}
