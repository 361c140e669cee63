import { readText } from './grammar.ts'
import { longestQuestion } from './limits.ts'
import type { ParsedQuestion, ParsingOptions, Term } from './parsed.ts'
import { writeCondition } from './printing.ts'
import { combine } from './question.ts'
import { unspoken } from './spoken.ts'

export type { ParsedQuestion, ParsingOptions, Problem, Span, Term, Token } from './parsed.ts'

/** Shorter texts have no meaning that is too long written in full: at most five times as much, such as `asin:㎉` as `asin:KCAL`. */
const surelyFits = 80

/** Understands any text, never throws. At most the first 500 characters count, and no more than fit there written in full. */
export function parseQuestion(text: string, options?: ParsingOptions): ParsedQuestion {
  const parsed = readText(text, options)
  if (text.length <= surelyFits) return parsed
  const first = firstTooLong(parsed)
  if (!first) return parsed
  const { question, terms, tokens, problems } = parsed
  const { start } = first
  const left = terms.map((term) => (term.start < start ? term : { ...term, condition: null }))
  const message = `Written in full a question has at most ${longestQuestion} characters; the rest is left out.`
  return {
    question: {
      ...question,
      condition: combine(
        'all',
        left.flatMap(({ condition }) => condition ?? []),
      ),
    },
    terms: left,
    tokens: tokens.map((token) =>
      token.start < start || token.field === 'sort' ? token : { ...token, isUnderstood: false },
    ),
    problems: [...problems, { start, end: text.length, severity: 'error', message, suggestion: null }],
  }
}

/** The term from which on a question would be printed with more characters than it may have. */
function firstTooLong({ question: { sort }, terms }: ParsedQuestion): Term | undefined {
  const end = sort === null ? '' : ` sort:${sort}`
  let text = ''
  return terms.find(({ condition }) => {
    if (!condition) return false
    text += ` ${writeCondition(condition)}`
    return unspoken(text + end).length - 1 > longestQuestion
  })
}
