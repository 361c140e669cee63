import type { DealFacts } from '@dealdeck/query/facts'
import { type Moment, matcherOf } from '@dealdeck/query/matching'
import { type Condition, conjunctsOf } from '@dealdeck/query/question'
import { sayCondition } from '@dealdeck/query/words'

/** All that is said of a deal that members can't see. */
export const notShown = 'not shown to members'

/**
 * The parts of a question that a deal doesn't meet, in words, such as `under 10`; none where it matches. Of a deal that is not
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
  return failed.map((part) => sayCondition(part, money))
}
