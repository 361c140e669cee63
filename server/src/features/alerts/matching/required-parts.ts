import type { DealFacts } from '@dealdeck/query/facts'
import { plainText, plainTitle } from '@dealdeck/query/folding'
import { formsOf } from '@dealdeck/query/inflecting'
import { type Comparison, type Condition, conjunctsOf } from '@dealdeck/query/question'

/** The texts of a deal in which required ones are looked for. */
export const textsOf = {
  title: (deal: DealFacts) => deal.title,
  brand: (deal: DealFacts) => deal.brand,
  category: (deal: DealFacts) => deal.category,
} as const
export type TextName = keyof typeof textsOf

/** A text that one of a deal's texts has in it, or is. */
export type RequiredText = { of: TextName; text: string; isWhole: boolean }

/** What every deal of a question has: one of these texts, or a beginning of its ASIN, … */
export type RequiredPart =
  | { kind: 'texts'; any: readonly RequiredText[] }
  | { kind: 'asins'; any: readonly string[] }
  /** … or a price up to this, or so many percent off. */
  | { kind: 'price'; most: number }
  | { kind: 'off'; least: number }

/** Parts of a question that each of its deals has; none where nothing of the kind can be said. */
export function requiredParts(condition: Condition | null): RequiredPart[] {
  return conjunctsOf(condition).flatMap((part) => requiredBy(part) ?? [])
}

function requiredBy(condition: Condition): RequiredPart | null {
  switch (condition.kind) {
    case 'text': {
      const text = plainTitle(condition.text)
      const forms = condition.inflects ? formsOf(text) : []
      return texts([text, ...forms].map((one) => ({ of: 'title', text: one, isWhole: false })))
    }
    case 'name': {
      const { field, tests } = condition
      const fold = field === 'title' ? plainTitle : plainText
      return texts(tests.map(({ op, text }) => ({ of: field, text: fold(text), isWhole: op === 'is' })))
    }
    case 'code':
      return { kind: 'asins', any: condition.tests }
    case 'number': {
      if (condition.field === 'price') {
        const most = Math.max(...condition.tests.map(mostOf))
        return most < Infinity ? { kind: 'price', most } : null
      }
      if (condition.field !== 'off') return null
      return { kind: 'off', least: Math.min(...condition.tests.map(leastOf)) }
    }
    case 'any': {
      // A deal has one of them, so it is enough to look for all.
      const parts = condition.of.map((one) => requiredBy(one) ?? firstTexts(one))
      const any = parts.map((part) => (part?.kind === 'texts' ? part.any : null))
      return any.some((one) => one === null) ? null : texts(any.flatMap((one) => one ?? []))
    }
    default:
      return null
  }
}

/** Of alternatives that are several conditions each. */
const firstTexts = (condition: Condition): RequiredPart | null =>
  requiredParts(condition).find(({ kind }) => kind === 'texts') ?? null

// What folds to nothing is in every text.
const texts = (any: readonly RequiredText[]): RequiredPart | null =>
  any.every(({ text }) => text !== '') ? { kind: 'texts', any } : null

const mostOf = (test: Comparison): number =>
  test.op === '..' ? test.to : test.op === '>' || test.op === '>=' ? Infinity : test.value
/** Without a discount no test holds, so that there is always a least. */
const leastOf = (test: Comparison): number =>
  test.op === '..' ? test.from : test.op === '<' || test.op === '<=' ? -Infinity : test.value
