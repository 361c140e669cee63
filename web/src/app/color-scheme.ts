import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core'
import { getPreferences, onPreferencesChange, setPreferences } from '../platform/preferences.ts'

function fromPreferences(): MantineColorScheme {
  const { theme } = getPreferences()
  return theme === 'system' ? 'auto' : theme
}

let stop: (() => void) | undefined

/** Lets the device's preferences be the only place where the theme is kept. */
export const colorSchemeManager: MantineColorSchemeManager = {
  get: fromPreferences,
  set: (scheme) => {
    // Mantine also calls this with what it has just been told.
    if (scheme !== fromPreferences()) setPreferences({ theme: scheme === 'auto' ? 'system' : scheme })
  },
  subscribe: (onUpdate) => {
    stop = onPreferencesChange(() => onUpdate(fromPreferences()))
  },
  unsubscribe: () => stop?.(),
  clear: () => setPreferences({ theme: 'system' }),
}
