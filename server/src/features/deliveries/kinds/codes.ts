import { createHash } from 'node:crypto'

/** By which the database knows the code that links or confirms a destination. */
export function hashOfCode(code: string): Buffer {
  return createHash('sha256').update(code.trim()).digest()
}
