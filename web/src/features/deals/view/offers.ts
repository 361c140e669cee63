import { completionAt, nameValue } from '@dealdeck/query/completing'
import { declarationOf, type FieldName, fieldNames, sorts } from '@dealdeck/query/fields'
import { type ParsedQuestion, type Problem, parseQuestion, type Token } from '@dealdeck/query/parsing'
import { sayQuestion } from '@dealdeck/query/words'

/** A part of the text that can be completed, from one UTF-16 unit up to another. */
export type Completing = {
  start: number
  end: number
  /** What can stand there without asking the server. */
  offers: readonly Offer[]
  /** The names to ask the server for that begin so, and what stands before each. */
  names: readonly { field: 'brand' | 'category'; prefix: string; before: string }[]
}

/** Something to put into the text. */
export type Offer = {
  text: string
  /** What it means, or an example of it. */
  hint: string
  /** Whether more has to follow. */
  isOpen?: true
}

/** From so many letters on a word may be the beginning of a name. */
const leastLetters = 2
/** A word is mostly one that is looked for; its names stand beside it, not in its way. */
export const mostNamesOfWord = 3

/** What can be offered where the caret stands; undefined where nothing can. */
export function completingAt(text: string, parsed: ParsedQuestion, caret: number): Completing | undefined {
  const completion = completionAt(text, parsed, caret)
  if (completion && completion.field !== null) {
    const { field, start, end, typed, offers } = completion
    if (typeof offers === 'string') {
      const name = offers === 'brands' ? 'brand' : 'category'
      // What it is to be exactly stays so.
      const from = text[start] === '=' ? start + 1 : start
      return { start: from, end, offers: [], names: [{ field: name, prefix: typed, before: '' }] }
    }
    const begins = offers.filter(
      (value) => value.startsWith(typed.toLowerCase()) && value !== typed.toLowerCase(),
    )
    return {
      start,
      end,
      offers: begins.map((value) => ({ text: value, hint: sayValue(field, value) })),
      names: [],
    }
  }
  const amount = amountAt(text, parsed, caret)
  if (amount) return amount
  const word = parsed.tokens.find((token) => isWordAt(text, token, caret))
  const span = completion ?? (word && { start: word.valueStart, end: word.end })
  if (!span) return undefined
  const prefix = text.slice(span.start, span.end)
  const names = word && [...prefix].length >= leastLetters ? (['brand', 'category'] as const) : []
  return {
    ...{ start: span.start, end: span.end },
    offers: (completion?.offers === undefined || typeof completion.offers === 'string'
      ? []
      : completion.offers
    ).map((name) => ({ text: name, hint: exampleOf(name), isOpen: true })),
    names: names.map((field) => ({ field, prefix, before: `${field}:` })),
  }
}

/** What a number among the words may be meant as: a price, or what is off of one; with 'over' before it a price. */
function amountAt(text: string, { tokens }: ParsedQuestion, caret: number): Completing | undefined {
  const at = tokens.findIndex(({ field, end }) => field === null && end === caret)
  const token = tokens[at]
  if (!token) return undefined
  const typed = text.slice(token.valueStart, caret)
  const [, currency = '', number, percent = ''] =
    /^(\p{Sc}?)(\d{1,8}(?:[.,]\d{1,2})?)(%?)$/u.exec(typed) ?? []
  if (number === undefined) return undefined
  const before = tokens[at - 1]
  const word = before ? text.slice(before.start, before.end).toLowerCase() : ''
  const isOver = ['over', 'above'].includes(word)
  const off = Number(number.replace(',', '.')) < 100 && currency === '' ? [`off:>=${number}`] : []
  const price = percent === '' ? [`price:${isOver ? '>' : '<'}${number}`] : []
  const texts = isOver ? price : [...price, ...off]
  const hint = (offer: string) => sayQuestion(parseQuestion(offer).question)
  return {
    ...{ start: isOver && before ? before.start : token.valueStart, end: caret, names: [] },
    offers: texts.map((offer) => ({ text: offer, hint: hint(offer) })),
  }
}

const isWordAt = (text: string, { field, valueStart, end }: Token, caret: number) =>
  field === null && end === caret && /^[\p{L}\p{N}][\p{L}\p{N}'’.-]*$/u.test(text.slice(valueStart, end))

function sayValue(field: FieldName | 'sort', value: string): string {
  if (field === 'sort') return Object.entries(sorts).find(([name]) => name === value)?.[1].says ?? ''
  return sayQuestion(parseQuestion(`${field}:${value}`).question)
}

function exampleOf(offer: string): string {
  const field = fieldNames.find((name) => offer === `${name}:`)
  return `such as ${offer}${field ? declarationOf(field).example : 'price'}`
}

/** A name the server knows, as an offer. */
export function nameOffer(before: string, value: string, found: string): Offer {
  return { text: before + nameValue(value), hint: found }
}

/** A text with an offer in place of what it completes, and where the caret stands then. */
export function withOffer(
  text: string,
  { start, end }: Completing,
  offer: Offer,
): { text: string; caret: number } {
  const rest = text.slice(end)
  const before = text.slice(0, start) + offer.text
  // Behind a value of a list others follow, which a space would cut off.
  if (offer.isOpen || rest.startsWith(',')) return { text: before + rest, caret: before.length }
  return { text: `${before} ${rest.replace(/^ /, '')}`, caret: before.length + 1 }
}

/** A stretch of the text that is drawn alike. */
export type Mark = { text: string; kind: 'plain' | 'field' | 'error' | 'notice' }

/** The text in stretches: fields that are understood, and what is not or may be meant otherwise. */
export function marksOf(text: string, parsed: ParsedQuestion): Mark[] {
  const kinds = new Array<Mark['kind']>(text.length).fill('plain')
  const put = ({ start, end }: { start: number; end: number }, kind: Mark['kind']) =>
    kinds.fill(kind, start, end)
  for (const token of parsed.tokens) if (token.field !== null && token.isUnderstood) put(token, 'field')
  for (const problem of toldProblems(text, parsed)) put(problem, problem.severity)
  const marks: Mark[] = []
  for (const [at, kind] of kinds.entries()) {
    const last = marks.at(-1)
    if (last?.kind === kind) last.text += text[at]
    else marks.push({ text: text.charAt(at), kind })
  }
  return marks
}

/** What is wrong with a text, but for a field at its end whose value is still to come. */
export function toldProblems(text: string, { problems }: ParsedQuestion): readonly Problem[] {
  return /[:：]$/.test(text) ? problems.filter(({ end }) => end < text.length) : problems
}

/** A text with what could stand in the place of something wrong. */
export function mended(text: string, { start, end, suggestion }: Problem): string | undefined {
  return suggestion === null ? undefined : text.slice(0, start) + suggestion + text.slice(end)
}
