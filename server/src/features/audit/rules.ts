import { z } from 'zod'
import { AppError } from '../../platform/errors.ts'

/** Where a page of the audit list ended: the last entry's time, in milliseconds, and its id. */
export type AuditCursor = { at: number; id: number }

const latest = 8_640_000_000_000_000
const cursorSchema = z.tuple([z.int().min(0).max(latest), z.int().min(0)])

export function writeCursor({ at, id }: AuditCursor): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url')
}

/** The cursor of a text made by `writeCursor`; INVALID_INPUT for any other. */
export function readCursor(text: string): AuditCursor {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString()))
  if (parsed.success) return { at: parsed.data[0], id: parsed.data[1] }
  const message = 'is not a cursor of this list; leave it out to start again'
  throw new AppError('INVALID_INPUT', `cursor ${message}`, { fields: { cursor: message } })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
