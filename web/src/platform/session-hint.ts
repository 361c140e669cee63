import { roleSchema, type Session, userStatusSchema } from '@dealdeck/contract/session'
import { readStored, writeStored } from './storage.ts'

/** The specification's record of who is signed in. A hint for the first paint; it grants nothing. */
export const sessionHintKey = 'dealdeck.session'

/** Who was signed in on this device last, or null. Anything unreadable is nobody. */
export function readSessionHint(): Session | null {
  return parseSessionHint(readStored(sessionHintKey))
}

/** Keeps {id as text, username, role, status}, or forgets it for null. */
export function writeSessionHint(session: Session | null): void {
  writeStored(sessionHintKey, session && { ...session, id: String(session.id) })
}

/** The session of a stored record; null for anything that is not one. */
export function parseSessionHint(stored: unknown): Session | null {
  if (typeof stored !== 'object' || stored === null) return null
  const record = stored as Partial<Record<keyof Session, unknown>> // an object; each field is checked below
  const id = Number(record.id)
  const role = roleSchema.safeParse(record.role)
  const status = userStatusSchema.safeParse(record.status)
  if (!Number.isInteger(id) || typeof record.username !== 'string' || !role.success || !status.success)
    return null
  return { id, username: record.username, role: role.data, status: status.data }
}
