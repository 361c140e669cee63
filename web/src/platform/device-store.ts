import { useSyncExternalStore } from 'react'
import type { DeviceKey } from './device-keys.ts'
import { readStored, writeStored } from './storage.ts'

/** A value stored on this device, the same in all its tabs, and never sent anywhere. */
export type DeviceStore<T> = {
  /** The same object until it changes. */
  get(): T
  /** False when the device refuses to keep it; then it lives until the page is closed. */
  set(value: T): boolean
  subscribe(listener: () => void): () => void
}

/** Keeps a JSON value under `key`; `parse` makes sense of whatever was stored there. */
export function deviceStore<T>(key: DeviceKey, parse: (stored: unknown) => T): DeviceStore<T> {
  let current: { value: T } | undefined
  const listeners = new Set<() => void>()
  return {
    get() {
      current ??= { value: parse(readStored(key)) }
      return current.value
    },
    set(value) {
      current = { value }
      const isKept = writeStored(key, value)
      for (const listener of listeners) listener()
      return isKept
    },
    subscribe(listener) {
      const onStorage = (event: StorageEvent) => {
        if (event.key !== key && event.key !== null) return
        current = undefined
        listener()
      }
      listeners.add(listener)
      window.addEventListener('storage', onStorage)
      return () => {
        listeners.delete(listener)
        window.removeEventListener('storage', onStorage)
      }
    },
  }
}

/** The current value of a store. */
export function useDeviceStore<T>(store: DeviceStore<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
