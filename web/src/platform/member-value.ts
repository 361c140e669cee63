import type { DeviceKey } from './device-keys.ts'
import { readSessionHint } from './session-hint.ts'
import { readStored, writeStored } from './storage.ts'

type Kept = { user_id: number; value: unknown }

/**
 * Something that a member has built on a screen, kept until they come back to it: in this tab, whose own another tab's doesn't
 * replace, and on the device until they sign out.
 */
export type MemberValue = {
  /** Null forgets it. */
  keep(value: unknown): void
  /** As it was stored, which a screen reads as it reads any address; undefined where there is none of who is signed in. */
  kept(): unknown
}

/** Keeps a JSON value under `key`, which has to be one of `accountKeys`. */
export function memberValue(key: DeviceKey): MemberValue {
  let own: Kept | undefined
  return {
    keep(value) {
      const user = readSessionHint()
      if (!user) return
      own = { user_id: user.id, value }
      writeStored(key, value === null ? null : own)
    },
    kept() {
      const id = readSessionHint()?.id
      const found = [own, readStored(key)].filter(isKept).find(({ user_id }) => user_id === id)
      return found?.value ?? undefined
    },
  }
}

function isKept(stored: unknown): stored is Kept {
  return typeof stored === 'object' && stored !== null && 'user_id' in stored && 'value' in stored
}
