import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from './storage.ts'

export type ThemeChoice = 'system' | 'light' | 'dark'

/** What a user chose on this device. It takes effect at once, in every tab, and is never sent anywhere. */
export type Preferences = {
  theme: ThemeChoice
  /** Whether new deals raise the toast. */
  notifications: boolean
  /** Whether the feed keeps itself current by stream and poll. */
  autoRefresh: boolean
  /** The highest price the feed and the link generator start with, in the marketplace's currency. */
  defaultMaxPrice: number
}

/** Read by `public/theme.js` too. */
export const preferencesKey = 'dealdeck.preferences'

export const defaultPreferences: Preferences = {
  theme: 'system',
  notifications: true,
  autoRefresh: true,
  defaultMaxPrice: 30,
}

/** Preferences from what was stored; anything missing or nonsensical falls back to its default. */
export function parsePreferences(stored: unknown): Preferences {
  const given: Partial<Record<keyof Preferences, unknown>> =
    typeof stored === 'object' && stored !== null ? stored : {}
  const { theme, notifications, autoRefresh, defaultMaxPrice } = given
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    notifications: typeof notifications === 'boolean' ? notifications : defaultPreferences.notifications,
    autoRefresh: typeof autoRefresh === 'boolean' ? autoRefresh : defaultPreferences.autoRefresh,
    defaultMaxPrice:
      typeof defaultMaxPrice === 'number' && defaultMaxPrice >= 1 && defaultMaxPrice <= 1000
        ? defaultMaxPrice
        : defaultPreferences.defaultMaxPrice,
  }
}

let current: Preferences | undefined
const listeners = new Set<() => void>()

/** The preferences now. The same object until one of them changes. */
export function getPreferences(): Preferences {
  current ??= parsePreferences(readStored(preferencesKey))
  return current
}

/** Changes some preferences, here and in every other tab. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...getPreferences(), ...change }
  writeStored(preferencesKey, current)
  for (const listener of listeners) listener()
}

/** Calls `listener` after every change, of this tab or another; answers the function that stops it. */
export function onPreferencesChange(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== preferencesKey && event.key !== null) return
    current = undefined
    listener()
  }
  listeners.add(listener)
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', onStorage)
  }
}

/** The preferences of this device, kept current. Change them with `setPreferences`. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(onPreferencesChange, getPreferences)
}
