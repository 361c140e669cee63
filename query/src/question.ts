import type { ChoiceField, CodeField, DurationField, NameField, NumberField, Sort } from './fields.ts'
import { formsOf } from './inflecting.ts'

/** A number beside another. Money in whole units of the marketplace's currency, durations in minutes. */
export type Comparison =
  | { op: '<' | '<=' | '>=' | '>'; value: number }
  | { op: '='; value: number }
  /** From the one to the other, with both. */
  | { op: '..'; from: number; to: number }
/** A point in time is never asked for exactly. `today`: since midnight where the reader is. */
export type DurationTest = Exclude<Comparison, { op: '=' }> | { op: 'today' }
/** A name that has the text in it, or is the text. */
export type NameTest = { op: 'has' | 'is'; text: string }

/** What a deal has to meet. Of the tests of a field any is enough. */
export type Condition =
  | { kind: 'all'; of: readonly Condition[] }
  | { kind: 'any'; of: readonly Condition[] }
  | { kind: 'not'; of: Condition }
  /** The title has this in it: a word, or a phrase with single spaces. `inflects`: or another form of the word; never false. */
  | { kind: 'text'; text: string; inflects?: true }
  | FieldCondition

export type FieldCondition =
  | { kind: 'number'; field: NumberField; tests: readonly Comparison[] }
  | { kind: 'duration'; field: DurationField; tests: readonly DurationTest[] }
  | { kind: 'name'; field: NameField; tests: readonly NameTest[] }
  /** How the code begins, in capitals; a whole one is the code. */
  | { kind: 'code'; field: CodeField; tests: readonly string[] }
  | { kind: 'choice'; field: ChoiceField; tests: readonly string[] }

/** What somebody asks for. Without a condition: every deal; without a sort: whatever the list begins with. */
export type Question = { condition: Condition | null; sort: Sort | null }

/** All, or any, of some conditions in their normal form: none nested in its like, none alone; null for none at all. */
export function combine(kind: 'all' | 'any', conditions: readonly Condition[]): Condition | null {
  const of = conditions.flatMap((condition) => (condition.kind === kind ? condition.of : [condition]))
  return of.length > 1 ? { kind, of } : (of[0] ?? null)
}

/** A word as it is typed without quotes. */
export function wordCondition(text: string): Condition {
  return { kind: 'text', text, ...(formsOf(text).length > 0 && { inflects: true }) }
}

export function negate(condition: Condition): Condition {
  return condition.kind === 'not' ? condition.of : { kind: 'not', of: condition }
}

/** Every condition that holds no other, in order. */
export function leavesOf(condition: Condition | null): Exclude<Condition, { kind: 'all' | 'any' | 'not' }>[] {
  if (condition === null) return []
  if (condition.kind === 'not') return leavesOf(condition.of)
  if (condition.kind === 'all' || condition.kind === 'any') return condition.of.flatMap(leavesOf)
  return [condition]
}

/** How many terms a question has; of a list each value is one. */
export function countTerms(condition: Condition | null): number {
  return leavesOf(condition).reduce((sum, leaf) => sum + ('tests' in leaf ? leaf.tests.length : 1), 0)
}

/** What all deals of a question have to meet, each by itself. */
export function conjunctsOf(condition: Condition | null): readonly Condition[] {
  if (condition === null) return []
  return condition.kind === 'all' ? condition.of : [condition]
}

/** Whether a question asks for hidden deals, or for others than these: then it looks among all deals, else among visible ones. */
export function asksForHidden(condition: Condition | null): boolean {
  return leavesOf(condition).some(
    (leaf) => leaf.kind === 'choice' && leaf.field === 'is' && leaf.tests.includes('hidden'),
  )
}

/** Whether a condition is that a deal is hidden, and nothing else. */
export function isThatHidden(condition: Condition): boolean {
  return condition.kind === 'choice' && condition.field === 'is' && condition.tests.join() === 'hidden'
}
