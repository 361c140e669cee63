import { cutSpan, withoutTerms } from '@dealdeck/query/editing'
import type { ParsedQuestion, Span, Term } from '@dealdeck/query/parsing'
import { type Comparison, type Condition, combine, conjunctsOf } from '@dealdeck/query/question'
import { isAny } from '@dealdeck/query/values'
import { sayCondition, sayQuestion } from '@dealdeck/query/words'
import {
  atMost,
  controlsOf,
  hidesContradicted,
  ownOf,
  readText,
  saysPrice,
  withContradicted,
  withControls,
} from './asking.ts'
import { type Asker, wholeAmount } from './filters.ts'

type Money = (amount: number) => string

/** A part of a question that can be taken away. */
export type Chip = {
  /** Where it stands in the text, which tells apart two of the same words; -1 for what no text says. */
  at: number
  label: string
  /** The text without exactly its characters and a space, or that says otherwise what no text says. */
  without: string
  /** Whether it hides deals. */
  hides: boolean
}

/** Everything that is understood of a text beside its words, in order; first the reader's own highest price, where it counts. */
export function chipsOf(text: string, asker: Asker, money: Money): Chip[] {
  const parsed = readText(text, asker)
  const { terms, question } = parsed
  const chips = terms.filter(isSaidIn(parsed)).map(({ start, end, condition }): Chip => {
    const label =
      condition === null ? sayQuestion({ condition, sort: question.sort }) : labelOf(condition, money)
    return {
      at: start,
      label,
      without: withoutTerm(text, { start, end, condition }, asker),
      hides: condition !== null && !isAnyPrice(condition),
    }
  })
  const anyPrice = withControls(text, { min: null, max: null }, asker)
  const own = { at: -1, label: `≤ ${wholeAmount(asker.defaultMax, money)}`, without: anyPrice, hides: true }
  return saysPrice(question.condition) ? chips : [own, ...chips]
}

/** The text without a term. A price that is taken away is no limit any more, so the reader's own doesn't come back if it is lower. */
function withoutTerm(text: string, { start, end, condition }: Omit<Term, 'field'>, asker: Asker): string {
  const rest = cutOut(text, { start, end })
  if (!saysPrice(condition) || (condition !== null && isAnyPrice(condition))) return rest
  if (saysPrice(readText(rest, asker).question.condition)) return rest
  const { max } = controlsOf(text, asker)
  return max !== null && max <= asker.defaultMax ? rest : withControls(rest, { min: null, max: null }, asker)
}

/** Without the space before it as well, where another or a comma follows. */
function cutOut(text: string, { start, end }: Span): string {
  const from = /^[\s,]/.test(text.slice(end)) ? text.slice(0, start).trimEnd().length : start
  return cutSpan(text, { start: from, end }).trim()
}

/** The words of a text, which are a part of the question too; undefined without any. */
export function wordsOf(text: string, asker: Asker): Chip | undefined {
  const words = readText(text, asker).terms.filter(isWord)
  const label = `The search “${words.map(({ start, end }) => text.slice(start, end)).join(' ')}”`
  const without = withoutTerms(text, isWord, asker).replace(/ {2,}/g, ' ').trim()
  return words.length === 0 ? undefined : { at: -2, label, without, hides: true }
}

/** What the asker's preference hides from what a text asks for; undefined where it hides nothing. */
export function contradictedOf(text: string, asker: Asker): Chip | undefined {
  if (!hidesContradicted(readText(text, asker).question.condition, asker)) return undefined
  const without = withContradicted(text, asker)
  return { at: -3, label: 'Your preference about contradicted discounts', without, hides: true }
}

/** A question in words, as soon as it has more than words in it; with the reader's own highest price, where that counts. */
export function sentenceOf(text: string, asker: Asker, money: Money): string | undefined {
  const parsed = readText(text, asker)
  const { terms, question } = parsed
  if (!terms.some(isSaidIn(parsed))) return undefined
  const own = saysPrice(question.condition) ? [] : [atMost(asker.defaultMax)]
  const condition = combine('all', [
    ...conjunctsOf(question.condition),
    ...own,
    ...ownOf(question.condition, asker),
  ])
  return sayQuestion({ ...question, condition }, { money: (amount) => wholeAmount(amount, money) })
}

const isWord = ({ condition }: Term) => condition?.kind === 'text'
/** Of sorts only the one that counts is said: a wrong one, or one more, asks nothing. */
const isSaidIn =
  ({ tokens }: ParsedQuestion) =>
  ({ condition, field, start, end }: Term) =>
    condition === null
      ? field === 'sort' &&
        tokens.some((token) => token.isUnderstood && token.start >= start && token.end <= end)
      : condition.kind !== 'text'

const isAnyPrice = (condition: Condition) =>
  condition.kind === 'number' && condition.field === 'price' && condition.tests.some(isAny)

const signs = { '<': '<', '<=': '≤', '=': '=', '>=': '≥', '>': '>' }

/** As short as can be for what is asked most, in words for everything else. */
function labelOf(condition: Condition, money: Money): string {
  const says = sayCondition(condition, (amount) => wholeAmount(amount, money))
  if (condition.kind === 'choice' && condition.tests.join() === 'yes') return `${says} only`
  if (condition.kind === 'duration' && condition.field === 'new' && condition.tests[0]?.op === 'today')
    return condition.tests.length === 1 ? 'Today only' : says
  const [test, ...more] = condition.kind === 'number' ? condition.tests : []
  if (!test || more.length > 0 || condition.kind !== 'number') return says
  if (condition.field === 'off' && isAny(test)) return 'Discounted only'
  if (isAny(test)) return says
  switch (condition.field) {
    case 'price':
      return writeTest(test, (amount) => wholeAmount(amount, money))
    case 'off':
      return `${writeTest(test, (value) => `${value}%`)} off`
    case 'typical':
      return `${writeTest(test, (value) => `${value}%`)} under typical`
    case 'drop':
      return `Fell ${writeTest(test, (value) => `${value}%`)}`
    case 'rating':
      return `${writeTest(test, String)} stars`
    case 'reviews':
      return `${writeTest(test, String)} reviews`
  }
}

const writeTest = (test: Comparison, write: (value: number) => string) =>
  test.op === '..' ? `${write(test.from)} – ${write(test.to)}` : `${signs[test.op]} ${write(test.value)}`
