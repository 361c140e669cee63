import type { DealFacts } from './facts.ts'
import { choicesOf, fields } from './fields.ts'
import { plainText, plainTitle } from './folding.ts'
import { formsOf, wholeWord } from './inflecting.ts'
import { asksForHidden, type Comparison, type Condition, type DurationTest, leavesOf } from './question.ts'

/** When a question is asked: now, and the midnight before it where the reader is, in milliseconds since 1970. */
export type Moment = { now: number; midnight: number }

/** Whether a deal meets a condition. */
export type Matcher = (deal: DealFacts, moment: Moment) => boolean

/**
 * A condition as a function, made once and asked for any number of deals. It decides as the feed does with SQL: hidden
 * deals only where the condition asks for them; of what is not known about a deal no test is met, so that its opposite is.
 */
export function matcherOf(condition: Condition | null): Matcher {
  const matches = condition === null ? () => true : compile(condition)
  return asksForHidden(condition) ? matches : (deal, moment) => deal.isVisible && matches(deal, moment)
}

function compile(condition: Condition): Matcher {
  switch (condition.kind) {
    case 'all': {
      const all = condition.of
        .toSorted((one, other) => +searchesText(one) - +searchesText(other))
        .map(compile)
      return (deal, moment) => {
        for (const one of all) if (!one(deal, moment)) return false
        return true
      }
    }
    case 'any':
      return anyOf(condition.of.map(compile))
    case 'not': {
      const one = compile(condition.of)
      return (deal, moment) => !one(deal, moment)
    }
    case 'text': {
      const text = plainTitle(condition.text)
      const isPart: Matcher = (deal) => deal.title.includes(text)
      if (!condition.inflects) return isPart
      const forms = formsOf(text).map((form): Matcher => {
        const whole = new RegExp(wholeWord(form))
        return (deal) => deal.title.includes(form) && whole.test(deal.title)
      })
      return anyOf([isPart, ...forms])
    }
    case 'number': {
      const { of } = fields[condition.field]
      return anyOf(
        condition.tests.map((test) => {
          const holds = comparison(test)
          return (deal) => holds(of(deal))
        }),
      )
    }
    case 'duration': {
      const { of, lies } = fields[condition.field]
      return anyOf(condition.tests.map((test) => duration(test, of, lies)))
    }
    case 'name': {
      const { of, folds } = fields[condition.field]
      const fold = folds === 'title' ? plainTitle : plainText
      return anyOf(
        condition.tests.map(({ op, text }): Matcher => {
          const folded = fold(text)
          return op === 'is' ? (deal) => of(deal) === folded : (deal) => of(deal)?.includes(folded) ?? false
        }),
      )
    }
    case 'code': {
      const { of } = fields[condition.field]
      return anyOf(condition.tests.map((beginning) => (deal) => of(deal).startsWith(beginning)))
    }
    case 'choice': {
      const choices = choicesOf(condition.field)
      return anyOf(condition.tests.map((name) => choices[name]?.of ?? (() => false)))
    }
  }
}

/** Whether a condition looks through a text, which takes ten times as long as the others and so comes last. */
const searchesText = (condition: Condition) =>
  leavesOf(condition).some(
    (leaf) => leaf.kind === 'text' || (leaf.kind === 'name' && leaf.tests.some(({ op }) => op === 'has')),
  )

function anyOf(matchers: readonly Matcher[]): Matcher {
  const [only, ...more] = matchers
  if (only && more.length === 0) return only
  return (deal, moment) => {
    for (const one of matchers) if (one(deal, moment)) return true
    return false
  }
}

function comparison(test: Comparison): (value: number | null) => boolean {
  if (test.op === '..') return (value) => value !== null && value >= test.from && value <= test.to
  const { op, value: limit } = test
  const holds: Record<typeof op, (value: number) => boolean> = {
    '<': (value) => value < limit,
    '<=': (value) => value <= limit,
    '=': (value) => value === limit,
    '>=': (value) => value >= limit,
    '>': (value) => value > limit,
  }
  const one = holds[op]
  return (value) => value !== null && one(value)
}

/** How long ago, or ahead, in minutes, is a comparison like any other. */
function duration(
  test: DurationTest,
  of: (deal: DealFacts) => number | null,
  lies: 'behind' | 'ahead',
): Matcher {
  if (test.op === 'today') return (deal, { midnight }) => (of(deal) ?? -Infinity) >= midnight
  const scaled: Comparison =
    test.op === '..'
      ? { ...test, from: test.from * 60_000, to: test.to * 60_000 }
      : { ...test, value: test.value * 60_000 }
  const holds = comparison(scaled)
  const sign = lies === 'behind' ? 1 : -1
  return (deal, { now }) => {
    const time = of(deal)
    return holds(time === null ? null : (now - time) * sign)
  }
}
