import { vi } from 'vitest'

/** Stands in for what a browser keeps on the device; returns what is stored, by key. `vi.unstubAllGlobals` takes it away. */
export function stubDeviceStorage(): Map<string, string> {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  })
  return stored
}
