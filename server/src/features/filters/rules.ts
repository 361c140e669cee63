import { longestFilterCode } from '@dealdeck/contract/filters'
import { normaliseFilterCode } from '@dealdeck/marketplace/filter-codes'
import { AppError } from '../../platform/errors.ts'
import { foldText } from '../deals/rules.ts'

/** Far above any name; only names made of letters that stand for whole phrases get here, and no index holds them. */
const longestFoldedBytes = 1_000

/**
 * A name as two names are compared. 'Apple', 'APPLE' and one with an invisible joiner in it look alike on a screen and
 * are asked for by name, so they are one. Throws INVALID_INPUT for a name that is too long when folded.
 */
export function foldName(name: string): string {
  const folded = foldText(name).replace(/\p{Cf}/gu, '')
  if (Buffer.byteLength(folded) <= longestFoldedBytes) return folded
  throw refusal('name', 'Name is too long')
}

/** A typed or pasted code in normal form. Throws INVALID_INPUT with what is wrong, in plain words. */
export function readCode(text: string): string {
  const read = normaliseFilterCode(text)
  if ('problem' in read) throw refusal('code', read.problem)
  if (read.code.length <= longestFilterCode) return read.code
  throw refusal('code', `Code must be at most ${longestFilterCode} characters long`)
}

function refusal(field: 'name' | 'code', message: string): AppError {
  return new AppError('INVALID_INPUT', message, { fields: { [field]: message } })
}
