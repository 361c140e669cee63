import type { FieldName } from './fields.ts'
import { type ParsedQuestion, type ParsingOptions, parseQuestion, type Span, type Term } from './parsing.ts'
import type { Condition } from './question.ts'

/**
 * A text without exactly the characters of one of its terms. What stood on both sides of it keeps its meaning: where taken together
 * it would say something else, a space or the word AND keeps it apart.
 */
export function cutSpan(text: string, { start, end }: Span): string {
  const [before, rest] = [text.slice(0, start), text.slice(end)]
  const kept = meaningOf(text, (term) => term.end <= start || term.start >= end)
  const ways = [before + rest, `${before} ${rest}`, `${before} AND ${rest.trimStart()}`]
  return ways.find((way) => meaningOf(way) === kept) ?? before + rest
}

/** What those terms of a text mean that are asked for. */
function meaningOf(text: string, isAsked: (term: Term) => boolean = () => true): string {
  const { terms } = parseQuestion(text, { isAdministrator: true })
  return JSON.stringify(terms.filter(isAsked).map(({ field, condition }) => [field, condition]))
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
