import type { FieldName } from './fields.ts'
import { type ParsedQuestion, type ParsingOptions, parseQuestion, type Span, type Term } from './parsing.ts'
import { printQuestion } from './printing.ts'
import { type Condition, combine } from './question.ts'

/**
 * A text without exactly the characters of one of its terms. What stood on both sides of it keeps its meaning: where taken together
 * it would say something else, a space or the word AND keeps it apart. Where neither does, such as between two quotes that would
 * become a pair, what is left is written anew.
 */
export function cutSpan(text: string, { start, end }: Span): string {
  const [before, rest] = [text.slice(0, start), text.slice(end)]
  const { terms, question } = parseQuestion(text, { isAdministrator: true })
  const kept = terms.filter((term) => term.end <= start || term.start >= end)
  const ways = [before + rest, `${before} ${rest}`, `${before} AND ${rest.trimStart()}`]
  const meant = meaningOf(kept)
  const way = ways.find((way) => meaningOf(parseQuestion(way, { isAdministrator: true }).terms) === meant)
  if (way !== undefined) return way
  const conditions = kept.flatMap(({ condition }) => condition ?? [])
  const sort = kept.some(({ field }) => field === 'sort') ? question.sort : null
  return printQuestion({ condition: combine('all', conditions), sort })
}

const meaningOf = (terms: readonly Term[]) =>
  JSON.stringify(terms.map(({ field, condition }) => [field, condition]))

/**
 * What all deals of a question have to meet in one field, as a control of that field shows it; undefined where the question
 * says nothing of it, and null where it says more than one control can show.
 */
export function controlOf({ terms }: ParsedQuestion, field: FieldName): Condition | null | undefined {
  const found = terms.filter((term) => term.field === field)
  return found.length > 1 ? null : found[0]?.condition
}

/** A text without those of its terms, and one of the spaces beside each. */
export function withoutTerms(
  text: string,
  isGone: (term: Term) => boolean,
  options?: ParsingOptions,
): string {
  const found = parseQuestion(text, options).terms.findLast(isGone)
  if (!found) return text
  const { start, end } = found
  const from = text[start - 1] === ' ' && (text[end] ?? ' ') === ' ' ? start - 1 : start
  const rest = cutSpan(text, { start: from, end: from === start && text[end] === ' ' ? end + 1 : end })
  return withoutTerms(rest, isGone, options)
}

/** A text that asks `value` of a field (such as `<10` of the price; null: nothing) instead of what its own terms ask of it. */
export function withField(
  text: string,
  field: FieldName | 'sort',
  value: string | null,
  options?: ParsingOptions,
): string {
  const rest = withoutTerms(text, (term) => term.field === field, options)
  if (value === null) return rest
  const added = `${rest}${rest === '' || rest.endsWith(' ') ? '' : ' '}${field}:${value}`
  // Behind an open quote or parenthesis, an OR, or words that leave something out, it would be part of that.
  const last = parseQuestion(added, options).terms.at(-1)
  return last?.field === field && last.condition?.kind !== 'not' ? added : `${field}:${value} ${rest}`
}
