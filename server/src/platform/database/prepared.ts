import { createHash } from 'node:crypto'

/** A statement that each connection reads once, and plans once where its settings don't ask for a plan for the values each time. */
export type PreparedStatement = { name: string; text: string }

/**
 * A statement that each connection plans once, under a name of its text: a pooler may hand a connection on to another release, which
 * must not find another text under the name of its own.
 */
export function prepared(name: string, text: string): PreparedStatement {
  return { name: `${name} ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, text }
}

/** Whether a connection doesn't have what was prepared on it: a pooler has given out another session. */
export function isPreparedLost(code: string | undefined): boolean {
  return code === '26000' || code === '42P05'
}
