import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core'
import { getPreferences, onPreferencesChange, setPreferences } from '../platform/preferences.ts'

function fromPreferences(): MantineColorScheme {
  const { theme } = getPreferences()
  return theme === 'system' ? 'auto' : theme
}

let stop: (() => void) | undefined

/** Makes the device's preferences the only store of the theme. */
export const colorSchemeManager: MantineColorSchemeManager = {
  get: fromPreferences,
  set: (scheme) => {
    // Mantine also calls this with the value it has just been given.
    if (scheme !== fromPreferences()) setPreferences({ theme: scheme === 'auto' ? 'system' : scheme })
  },
  subscribe: (onUpdate) => {
    stop = onPreferencesChange(() => onUpdate(fromPreferences()))
  },
  unsubscribe: () => stop?.(),
  clear: () => setPreferences({ theme: 'system' }),
}
