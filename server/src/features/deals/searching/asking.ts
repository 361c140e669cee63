import type { ExplainedQuestion } from '@dealdeck/contract/deals'
import { declarationOf, fieldNames } from '@dealdeck/query/fields'
import type { Moment } from '@dealdeck/query/matching'
import { parseQuestion } from '@dealdeck/query/parsing'
import { printQuestion } from '@dealdeck/query/printing'
import { asksForHidden, type Condition, combine, conjunctsOf, isThatHidden } from '@dealdeck/query/question'
import { isAny } from '@dealdeck/query/values'
import { sayQuestion } from '@dealdeck/query/words'
import type { FeedQuery } from './conditions.ts'

/**
 * A query narrowed by a question's condition: what the plans of a page know of goes there, all else is a condition of its own.
 * Asking for hidden deals looks among all, which the caller has to have the right to.
 */
export function narrowed(query: FeedQuery, condition: Condition | null, moment: Moment): FeedQuery {
  const conjuncts = conjunctsOf(condition)
  const remaining = conjuncts.filter((one) => !isNotHidden(one))
  const includeHidden = query.includeHidden || remaining.some((one) => asksForHidden(one))
  const found: FeedQuery = { ...query, includeHidden }
  // That a deal isn't hidden is a condition only where hidden ones are looked at.
  const asked = includeHidden ? conjuncts : remaining
  const others = asked.filter((one) => !isPlanned(found, one, moment))
  const rest = combine('all', others)
  return rest ? { ...found, asked: { condition: rest, moment } } : found
}

/** Whether a condition is `-is:hidden`. */
const isNotHidden = (condition: Condition) => condition.kind === 'not' && isThatHidden(condition.of)

/** Whether a condition is one of those that pages are planned by; then `query` gets it. */
function isPlanned(query: FeedQuery, condition: Condition, { now, midnight }: Moment): boolean {
  if (condition.kind === 'choice' && condition.field === 'prime' && condition.tests.join() === 'yes') {
    query.prime_only = true
    return true
  }
  // Any of several tests is more than a filter says.
  if (!('tests' in condition) || condition.tests.length !== 1) return false
  if (condition.kind === 'number') {
    const [test] = condition.tests
    if (test?.op === '>=' && condition.field === 'off') {
      query.min_discount = Math.max(query.min_discount ?? 0, Math.ceil(test.value))
      return true
    }
    if (test?.op === '>=' && condition.field === 'rating') {
      query.min_rating = Math.max(query.min_rating ?? 0, test.value)
      return true
    }
    if (!test || condition.field !== 'price' || (test.op === '<' && test.value === 0)) return false
    // Every deal has a price.
    if (isAny(test)) return true
    const [least, most] = test.op === '..' ? [test.from, test.to] : [test.value, test.value]
    // A price is a whole number of cents, so below a value is the cent before it.
    if (test.op !== '<' && test.op !== '<=')
      query.min_price = Math.max(query.min_price ?? 0, test.op === '>' ? cents(least, 1) : least)
    if (test.op !== '>' && test.op !== '>=')
      query.max_price = Math.min(query.max_price ?? Infinity, test.op === '<' ? cents(most, -1) : most)
    return true
  }
  if (condition.kind === 'duration' && (condition.field === 'new' || condition.field === 'updated')) {
    const [test] = condition.tests
    if (test?.op !== '<=' && test?.op !== 'today') return false
    const since = test.op === 'today' ? midnight : now - test.value * 60_000
    const name = condition.field === 'new' ? 'seenSince' : 'updatedSince'
    query[name] = new Date(Math.max(query[name]?.getTime() ?? -Infinity, since))
    return true
  }
  return false
}

const cents = (amount: number, more: number) => (Math.round(amount * 100) + more) / 100

const clockNames = fieldNames.flatMap((name) => {
  const { type, aliases } = declarationOf(name)
  return type === 'duration' ? [name, ...aliases] : []
})
const clockField = new RegExp(`(?:${clockNames.join('|')})\\s*[:：<>=≤≥]`, 'iu')

/** Whether the answer to a question may change with the clock alone; told from its text, without understanding it. */
export function mayDependOnClock(text: string): boolean {
  return clockField.test(text)
}

/** What is understood of a text, as one text and in words, and what is wrong with it. */
export function explainQuestion(text: string, isAdministrator: boolean): ExplainedQuestion {
  const { question, problems } = parseQuestion(text, { isAdministrator })
  return {
    canonical: printQuestion(question),
    words: sayQuestion(question),
    faults: problems.map(({ start: from, end: to, message, suggestion }) => ({
      from,
      to,
      message,
      suggestion,
    })),
  }
}
