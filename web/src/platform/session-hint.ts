import type { Role, Session, UserStatus } from '@dealdeck/contract/session'
import { accountKeys, deviceKeys } from './device-keys.ts'
import { readStored, writeStored } from './storage.ts'

/** Who was signed in on this device last, or null: a hint for the first paint, which grants nothing. Anything unreadable is nobody. */
export function readSessionHint(): Session | null {
  return parseSessionHint(readStored(deviceKeys.session))
}

/** Keeps {id as text, username, role, status}, or forgets it for null. */
export function writeSessionHint(session: Session | null): void {
  // Also where another account replaces one that was never signed out here.
  if (readSessionHint()?.id !== session?.id) for (const key of accountKeys) writeStored(key, null)
  writeStored(deviceKeys.session, session && { ...session, id: String(session.id) })
}

// Plain comparisons: the contract's schemas would bring the whole schema library into the first load.
const roles: readonly Role[] = ['admin', 'user']
const statuses: readonly UserStatus[] = ['approved', 'pending', 'rejected']

/** The session of a stored record; null for anything that is not one. */
export function parseSessionHint(stored: unknown): Session | null {
  if (typeof stored !== 'object' || stored === null) return null
  const record: { id?: unknown; username?: unknown; role?: unknown; status?: unknown } = stored
  const id = Number(record.id)
  const role = roles.find((known) => known === record.role)
  const status = statuses.find((known) => known === record.status)
  if (!Number.isInteger(id) || typeof record.username !== 'string' || !role || !status) return null
  return { id, username: record.username, role, status }
}
