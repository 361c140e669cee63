import type { ImportField } from '@dealdeck/contract/ingest'
import { recognition } from './fields.ts'
import { readBoolean, readPrime } from './flags.ts'
import { cellText } from './text.ts'

/** Which part of a column's filled cells a field could use, 0 to 1; 1 when no cell is filled. */
export function fitOf(field: ImportField, values: readonly unknown[]): number {
  let filled = 0
  let fitting = 0
  for (const value of values) {
    const text = cellText(value)
    if (text === '') continue
    filled += 1
    if (recognition[field].fits(value, text)) fitting += 1
  }
  if (filled === 0) return 1
  // A statement about delivery means Prime only where some row mentions it.
  if (field === 'prime_eligible' && !values.some((value) => readBoolean(value) !== null || readPrime(value)))
    return 0
  return fitting / filled
}
