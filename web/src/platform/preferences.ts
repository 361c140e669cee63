import { defaultQuestion } from '@dealdeck/contract/preloads'
import { deviceKeys } from './device-keys.ts'
import { deviceStore, useDeviceStore } from './device-store.ts'

export type ThemeChoice = 'system' | 'light' | 'dark'
/** How the feed draws its deals: cards in columns, or one under the other in a line each. */
export type FeedLayout = 'grid' | 'list'

/** What a user chose on this device. It takes effect at once, in every tab, and is never sent anywhere. */
export type Preferences = {
  theme: ThemeChoice
  /** Whether new deals raise the toast. */
  notifications: boolean
  /** Whether the feed keeps itself current by stream and poll. */
  autoRefresh: boolean
  /** The highest price the feed and the link generator start with, in the marketplace's currency. */
  defaultMaxPrice: number
  /** Whether the feed leaves out discounts that the prices seen contradict. */
  hidesContradicted: boolean
  layout: FeedLayout
}

export const defaultPreferences: Preferences = {
  theme: 'system',
  notifications: true,
  autoRefresh: true,
  defaultMaxPrice: defaultQuestion.max_price,
  hidesContradicted: false,
  layout: 'grid',
}

/** Preferences from what was stored; anything missing or nonsensical falls back to its default. */
export function parsePreferences(stored: unknown): Preferences {
  const given: Partial<Record<keyof Preferences, unknown>> =
    typeof stored === 'object' && stored !== null ? stored : {}
  const { theme, notifications, autoRefresh, defaultMaxPrice, hidesContradicted, layout } = given
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    notifications: typeof notifications === 'boolean' ? notifications : defaultPreferences.notifications,
    autoRefresh: typeof autoRefresh === 'boolean' ? autoRefresh : defaultPreferences.autoRefresh,
    defaultMaxPrice:
      typeof defaultMaxPrice === 'number' && defaultMaxPrice >= 1 && defaultMaxPrice <= 1000
        ? defaultMaxPrice
        : defaultPreferences.defaultMaxPrice,
    hidesContradicted: hidesContradicted === true,
    layout: layout === 'list' ? 'list' : defaultPreferences.layout,
  }
}

const store = deviceStore(deviceKeys.preferences, parsePreferences)

/** The preferences now. The same object until one of them changes. */
export const getPreferences = store.get

/** Changes some preferences, here and in every other tab. */
export function setPreferences(change: Partial<Preferences>): void {
  store.set({ ...store.get(), ...change })
}

/** Calls a listener after every change, of this tab or another; answers the function that stops it. */
export const onPreferencesChange = store.subscribe

/** The current preferences of this device. Change them with `setPreferences`. */
export function usePreferences(): Preferences {
  return useDeviceStore(store)
}
