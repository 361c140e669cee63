import type { DealFacts } from '@dealdeck/query/facts'
import { fields, type NumberField } from '@dealdeck/query/fields'
import { type Moment, matcherOf } from '@dealdeck/query/matching'
import { type Condition, conjunctsOf } from '@dealdeck/query/question'
import { sayCondition } from '@dealdeck/query/words'

/** All that is said of a deal that members can't see. */
export const notShown = 'not shown to members'

/**
 * Whether somebody who was told of a price is told of this one too, which is lower by so many percent; in whole cents, as a rounded share
 * of little is no fall.
 */
export const hasFallenBy = (told: number, price: number, percent: number): boolean =>
  Math.round(price * 100) * 100 <= Math.round(told * 100) * (100 - percent)

/**
 * The parts of a question that a deal doesn't meet, in words, such as `under $10 (it costs $12)`; none where it matches. Of a deal that is not
 * visible `notShown` alone. `money` writes amounts as the reader's page does.
 */
export function failedParts(
  condition: Condition | null,
  facts: DealFacts,
  moment: Moment,
  money?: (amount: number) => string,
): string[] {
  if (!facts.isVisible) return [notShown]
  const failed = conjunctsOf(condition).filter((part) => !matcherOf(part)(facts, moment))
  return failed.map((part) => `${sayCondition(part, money)}${sayHas(part, facts, money)}`)
}

const verbs: Partial<Record<NumberField, string>> = { price: 'it costs', off: 'it is', rating: 'it is' }

/** What the deal has of what a part asks for, in parentheses; '' of what the words of the part say by themselves. */
function sayHas(part: Condition, facts: DealFacts, money: (amount: number) => string = String): string {
  switch (part.kind) {
    case 'number': {
      const declaration = fields[part.field]
      const value = declaration.of(facts)
      if (value === null) return ' (it is not known of this deal)'
      const amount = declaration.say('isMoney' in declaration ? money(value) : String(value))
      return ` (${verbs[part.field] ?? 'it has'} ${amount})`
    }
    case 'name': {
      const value = fields[part.field].of(facts)
      return value === null ? ' (it is not known of this deal)' : ` (it has '${value}')`
    }
    case 'text':
      return ' (not in its title)'
    case 'not':
      return part.of.kind === 'text'
        ? ' (it is in its title)'
        : part.of.kind === 'any'
          ? ''
          : sayHas(part.of, facts, money)
    case 'any':
      return part.of.every(({ kind }) => kind === 'text') ? ' (not in its title)' : ''
    default:
      return ''
  }
}
