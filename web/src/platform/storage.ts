import type { DeviceKey } from './device-keys.ts'

/** Reads a JSON value stored on this device; null when absent, unreadable or storage is forbidden. */
export function readStored(key: DeviceKey): unknown {
  try {
    const text = localStorage.getItem(key)
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** Stores a JSON value on this device, or removes it for null. False when storage is full or forbidden, which is no error. */
export function writeStored(key: DeviceKey, value: unknown): boolean {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(value))
    return true
  } catch {
    // Private windows may refuse storage; the value then lives until the page is closed.
    return false
  }
}
