import { declarationOf, type FieldName, fieldNames, sortNames } from './fields.ts'
import type { ParsedQuestion, Span } from './parsed.ts'
import { listedValues, quoted } from './quoting.ts'

/** What can be offered for a part of the text, to stand in its place. */
export type Completion = Span & {
  /** The part as far as it is typed. */
  typed: string
  /** Null: the name of a field is being typed, else its value. */
  field: FieldName | 'sort' | null
  /** The offers, or where to look for them. Values of a name are written by `nameValue`. */
  offers: readonly string[] | 'brands' | 'categories'
}

const allNames: readonly (FieldName | 'sort')[] = [...fieldNames, 'sort']

/** What can be offered where the caret stands; undefined within a phrase, a gap, or a word that begins no field's name. */
export function completionAt(
  text: string,
  { tokens }: ParsedQuestion,
  caret: number,
): Completion | undefined {
  const token = tokens.find(({ start, end }) => start < caret && caret <= end)
  if (!token || token.isSpoken) return undefined
  const { field, valueStart, end } = token
  if (field === null) {
    const typed = text.slice(valueStart, caret).toLowerCase()
    const offers = allNames.filter((name) => name.startsWith(typed)).map((name) => `${name}:`)
    return caret < end || offers.length === 0
      ? undefined
      : { ...{ start: valueStart, end, typed, field, offers } }
  }
  if (caret < valueStart) return undefined
  const values = listedValues(text.slice(valueStart, end))
  const value = values.find((one) => caret <= valueStart + one.end)
  const start = valueStart + (value?.start ?? 0)
  const offers = field === 'sort' ? sortNames : declarationOf(field).suggests
  const typed = text.slice(start, caret).replace(/^=?["“„«]?/, '')
  return { start, end: value ? valueStart + value.end : end, typed, field, offers }
}

/** A name as it is written behind a colon, such as the brand of a deal. */
export function nameValue(name: string): string {
  return /^[=“„«»”＂]|[\s"\\,()（）]/.test(name) ? quoted(name) : name
}
