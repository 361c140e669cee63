import type { FieldName } from './fields.ts'
import { type ParsedQuestion, type ParsingOptions, parseQuestion, type Span } from './parsing.ts'
import type { Condition } from './question.ts'
import { isBlank } from './quoting.ts'
import { isSpokenAcross } from './spoken.ts'

/**
 * A text without exactly the characters of one of its terms. An `OR` or `AND` before it stays a word of its own, and what
 * stood on both sides is not taken together for something else.
 */
export function cutSpan(text: string, { start, end }: Span): string {
  const before = text.slice(0, start)
  const rest = text.slice(end)
  const joins = /(?:OR|AND)$/.test(before) && !isBlank(text[end])
  if (isSpokenAcross(before + rest, start)) return `${before} AND ${rest.trimStart()}`
  return before + (joins ? ' ' : '') + rest
}

/**
 * What all deals of a question have to meet in one field, as a control of that field shows it; undefined where the question
 * says nothing of it, and null where it says more than one control can show.
 */
export function controlOf({ terms }: ParsedQuestion, field: FieldName): Condition | null | undefined {
  const found = terms.filter((term) => term.field === field)
  return found.length > 1 ? null : found[0]?.condition
}

/** A text that asks `value` of a field (such as `<10` of the price; null: nothing) instead of what its own terms ask of it. */
export function withField(
  text: string,
  field: FieldName | 'sort',
  value: string | null,
  options?: ParsingOptions,
): string {
  let rest = text
  const found = parseQuestion(text, options).terms.filter((term) => term.field === field)
  for (const { start, end } of found.toReversed()) {
    // With the term goes one of the spaces beside it.
    const from = rest[start - 1] === ' ' && (rest[end] ?? ' ') === ' ' ? start - 1 : start
    rest = cutSpan(rest, { start: from, end: from === start && rest[end] === ' ' ? end + 1 : end })
  }
  if (value === null) return rest
  const added = `${rest}${rest === '' || rest.endsWith(' ') ? '' : ' '}${field}:${value}`
  // Behind an open quote or parenthesis, an OR, or words that leave something out, it would be part of that.
  const last = parseQuestion(added, options).terms.at(-1)
  return last?.field === field && last.condition?.kind !== 'not' ? added : `${field}:${value} ${rest}`
}
