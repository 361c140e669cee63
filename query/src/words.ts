import { type Choice, choicesOf, fields, type NumberField, sorts } from './fields.ts'
import type { Comparison, Condition, DurationTest, Question } from './question.ts'
import { isAny, sayDuration } from './values.ts'

export type WordsOptions = {
  /** An amount of money as the reader's page shows it; digits alone unless given. */
  money?: (amount: number) => string
}

/** A question in words, such as `under 10, at least 50 % off, Prime, not 'refurbished'`; '' for every deal in any order. */
export function sayQuestion({ condition, sort }: Question, { money = String }: WordsOptions = {}): string {
  const parts = condition === null ? [] : [sayCondition(condition, money)]
  return [...parts, ...(sort === null ? [] : [sorts[sort].says])].join(', ')
}

/** One condition in words, as for a chip. */
export function sayCondition(condition: Condition, money: (amount: number) => string = String): string {
  const say = (one: Condition) => sayCondition(one, money)
  const sayTests = <Test>(tests: readonly Test[], one: (test: Test) => string) => tests.map(one).join(' or ')
  switch (condition.kind) {
    case 'all':
      return condition.of.map((one) => (one.kind === 'any' ? `(${say(one)})` : say(one))).join(', ')
    case 'any':
      return condition.of.map((one) => (one.kind === 'all' ? `(${say(one)})` : say(one))).join(' or ')
    case 'not': {
      const { kind } = condition.of
      if (condition.of.kind === 'choice') {
        const { field, tests } = condition.of
        return tests.map((test) => sayOpposite(choicesOf(field)[test], test)).join(' and ')
      }
      return `not ${kind === 'all' || kind === 'any' ? `(${say(condition.of)})` : say(condition.of)}`
    }
    case 'text':
      return `${condition.inflects ? 'any form of ' : ''}'${condition.text}'`
    case 'number':
      return sayTests(condition.tests, (test) => sayNumber(condition.field, test, money))
    case 'duration': {
      const { says, lies } = fields[condition.field]
      return `${says} ${sayTests(condition.tests, lies === 'behind' ? sayAge : sayWait)}`
    }
    case 'name': {
      const { says } = fields[condition.field]
      return `${says} ${sayTests(condition.tests, ({ op, text }) => (op === 'is' ? `exactly '${text}'` : `'${text}'`))}`
    }
    case 'code':
      return `${fields[condition.field].says} ${condition.tests.join(' or ')}`
    case 'choice':
      return sayTests(condition.tests, (test) => choicesOf(condition.field)[test]?.says ?? test)
  }
}

function sayOpposite(choice: Choice | undefined, test: string): string {
  return choice?.saysOpposite ?? `not ${choice?.says ?? test}`
}

const opWords = { '<': 'under', '<=': 'at most', '=': 'exactly', '>=': 'at least', '>': 'over' }

function sayNumber(name: NumberField, test: Comparison, money: (amount: number) => string): string {
  const declaration = fields[name]
  if (isAny(test)) return declaration.saysAny
  const amount = 'isMoney' in declaration ? money : String
  return declaration.say(
    test.op === '..'
      ? `${amount(test.from)} to ${amount(test.to)}`
      : `${opWords[test.op]} ${amount(test.value)}`,
  )
}

const timeWords = { '<': 'less than', '<=': 'within', '>=': 'at least', '>': 'more than' }

function sayAge(test: DurationTest): string {
  if (test.op === 'today') return test.op
  if (test.op === '<=') return `within the last ${sayDuration(test.value)}`
  return `${sayLength(test)} ago`
}

function sayWait(test: DurationTest): string {
  if (test.op === 'today') return test.op
  return test.op === '<=' ? `within ${sayDuration(test.value)}` : `in ${sayLength(test)}`
}

function sayLength(test: Exclude<DurationTest, { op: 'today' }>): string {
  return test.op === '..'
    ? `${sayDuration(test.from)} to ${sayDuration(test.to)}`
    : `${timeWords[test.op]} ${sayDuration(test.value)}`
}
