import { nameValue } from './completing.ts'
import { readText } from './grammar.ts'
import type { Condition, NameTest, Question } from './question.ts'
import { quoted } from './quoting.ts'
import { unspoken } from './spoken.ts'
import { writeComparison, writeDuration } from './values.ts'

/** The one text of a question, which is understood as the same question. */
export function printQuestion({ condition, sort }: Question): string {
  const text = condition === null ? '' : writeCondition(condition)
  return unspoken(sort === null ? text : `${text}${text && ' '}sort:${sort}`)
}

/** A condition as text. */
export function printCondition(condition: Condition): string {
  return unspoken(writeCondition(condition))
}

/** The same where words may be taken for more than words; within others it stands in parentheses only where it has to. */
export function writeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
      return condition.of.map(writeCondition).join(' ')
    case 'any':
      return condition.of
        .map((one) => (one.kind === 'all' ? inParentheses(one) : writeCondition(one)))
        .join(' OR ')
    case 'not': {
      const { kind } = condition.of
      return `-${kind === 'all' || kind === 'any' ? inParentheses(condition.of) : writeCondition(condition.of)}`
    }
    case 'text':
      return isWord(condition) ? condition.text : quoted(condition.text)
    case 'number':
      return `${condition.field}:${condition.tests.map((test) => writeComparison(test, String)).join(',')}`
    case 'duration':
      return `${condition.field}:${condition.tests.map((test) => (test.op === 'today' ? test.op : writeComparison(test, writeDuration))).join(',')}`
    case 'name':
      return `${condition.field}:${condition.tests.map(printName).join(',')}`
    case 'code':
    case 'choice':
      return `${condition.field}:${condition.tests.join(',')}`
  }
}

type TextCondition = Extract<Condition, { kind: 'text' }>

const inParentheses = (condition: Condition) => `(${writeCondition(condition)})`

function printName({ op, text }: NameTest): string {
  return (op === 'is' ? '=' : '') + nameValue(text)
}

/** Whether a text is understood as itself without quotes, wherever it stands. */
function isWord({ text, inflects }: TextCondition): boolean {
  if (/^[-−–－″,]|[\s\\()（）]/.test(text) || (/["“”„«»＂]/.test(text) && !inflects)) return false
  const { question, problems } = readText(text)
  const read = question.condition
  return read?.kind === 'text' && read.text === text && read.inflects === inflects && problems.length === 0
}
