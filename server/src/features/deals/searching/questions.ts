import {
  type ChoiceField,
  type ChoiceOf,
  type CodeField,
  type DurationField,
  fields,
  type NameField,
  type NumberField,
} from '@dealdeck/query/fields'
import { plainPattern, plainSigns, plainText, plainTitle } from '@dealdeck/query/folding'
import { formsOf, wholeWord } from '@dealdeck/query/inflecting'
import type { Moment } from '@dealdeck/query/matching'
import {
  type Comparison,
  type Condition,
  type DurationTest,
  type NameTest,
  negate,
} from '@dealdeck/query/question'
import { literal } from '../rules.ts'

/** Adds a value to a statement; returns what stands for it in the text. */
export type Value = (given: unknown) => string

/** A condition of a question, with when it is asked. */
export type AskedCondition = { condition: Condition; moment: Moment }

// The SQL of each field of the language; what is missing here or there does not compile.
const numbers: Record<NumberField, string> = {
  price: 'price',
  off: 'discount_percentage',
  rating: 'rating',
  reviews: 'review_count',
  typical: 'under_typical',
  drop: 'price_drop',
}
const times: Record<DurationField, string> = {
  new: 'first_seen',
  checked: 'observed_at',
  updated: 'last_updated',
  ends: 'ends_at',
  dropped: 'dropped_at',
}
const codes: Record<CodeField, string> = { asin: 'asin' }
const names: Record<NameField, string> = { brand: 'brand', category: 'category', title: 'title_folded' }
const choices: { [Name in ChoiceField]: Record<ChoiceOf<Name>, string> } = {
  prime: { yes: 'prime_eligible', no: 'not prime_eligible' },
  condition: {
    new: "condition = 'new'",
    renewed: "condition = 'renewed'",
    used: "condition = 'used'",
    unknown: 'condition is null',
  },
  list: { has: 'original_price is not null', none: 'original_price is null' },
  verdict: {
    lowest: "verdict_kind = 'lowest'",
    good: "verdict_kind = 'good'",
    usual: "verdict_kind in ('usual', 'unchanged')",
    high: "verdict_kind = 'high'",
    raised: "verdict_kind = 'raised'",
    listnotseen: "verdict_kind = 'listnotseen'",
    new: "coalesce(verdict_kind, 'new') = 'new'",
    unchanged: "verdict_kind = 'unchanged'",
    any: 'true',
  },
  low: { '30d': 'low_days >= 30', '90d': 'low_days >= 90', '365d': 'low_days >= 365' },
  is: { sample: 'is_sample', hidden: 'not is_visible' },
}

/**
 * A condition as SQL, true of exactly those deals that `matcherOf` of the language finds, and otherwise false or null. That
 * only visible deals are looked at, unless the condition asks for hidden ones, is left to the statement.
 */
export function conditionSql({ condition, moment }: AskedCondition, value: Value): string {
  const { from, to } = plainSigns()
  let signs: [string, string] | undefined
  /** A column as `plainText` has it; in plain ASCII there is only the case. */
  const plain = (column: string) => {
    signs ??= [value(from), value(to)]
    const lower = `lower(${column} collate "C")`
    return `case when octet_length(${column}) = char_length(${column}) then ${lower} else translate(${lower}, ${signs}) end`
  }
  const titleHolds = (text: string) =>
    `case when octet_length(title_folded) = char_length(title_folded) then strpos(title_folded, ${value(text)}) > 0
      else title_folded ~ ${value(plainPattern(text))} end`
  /** With several tests the column is folded once for all of them. */
  const name = (field: NameField, tests: readonly NameTest[]) => {
    const column = plain(names[field])
    const fold = fields[field].folds === 'title' ? plainTitle : plainText
    const folded = tests.map(({ op, text }) => ({ op, text: fold(text) }))
    const [only, ...more] = folded
    if (only && more.length === 0)
      return only.op === 'is'
        ? `${column} = ${value(only.text)}`
        : `strpos(${column}, ${value(only.text)}) > 0`
    return folded.every(({ op }) => op === 'is')
      ? `${column} = any(${value(folded.map(({ text }) => text))}::text[])`
      : `${column} like any (${value(folded.map(likePattern))}::text[])`
  }
  const write = (one: Condition): string => {
    switch (one.kind) {
      case 'all':
        return `(${withListedNames(one).map(write).join(' and ')})`
      case 'any':
        return anyOf(withListedNames(one), write)
      case 'not':
        // What is not known of a deal is null, and doesn't meet it.
        return `(${write(one.of)}) is not true`
      case 'text':
        return anyOf([plainTitle(one.text), ...(one.inflects ? formsOf(one.text) : [])], (text, at) =>
          // Whether a form is a word of its own is asked of titles that hold it.
          at === 0
            ? `(${titleHolds(text)})`
            : `((${titleHolds(text)}) and ${plain('title_folded')} ~ ${value(wholeWord(text))})`,
        )
      case 'number':
        return anyOf(one.tests, (test) => number(numbers[one.field], test, value))
      case 'duration': {
        const sign = fields[one.field].lies === 'behind' ? -1 : 1
        return anyOf(one.tests, (test) => time(times[one.field], test, sign, moment, value))
      }
      case 'name':
        return `(${name(one.field, one.tests)})`
      case 'code':
        return anyOf(one.tests, (beginning) => `${codes[one.field]} like ${value(`${beginning}%`)}`)
      case 'choice': {
        const ofField: Record<string, string | undefined> = choices[one.field]
        return anyOf(one.tests, (choice) => `(${ofField[choice] ?? 'false'})`)
      }
    }
  }
  return write(condition)
}

/** The parts of a condition, where alternatives of a name are one list, and so are names that are all not to be. */
function withListedNames({ kind, of }: Extract<Condition, { kind: 'all' | 'any' }>): Condition[] {
  const others: Condition[] = []
  const lists = new Map<NameField, NameTest[]>()
  for (const part of of) {
    const alternative = kind === 'any' ? part : part.kind === 'not' ? part.of : null
    if (alternative?.kind === 'name') {
      const { field, tests } = alternative
      lists.set(field, [...(lists.get(field) ?? []), ...tests])
    } else others.push(part)
  }
  const listed = [...lists].map(([field, tests]): Condition => ({ kind: 'name', field, tests }))
  return [...others, ...(kind === 'any' ? listed : listed.map(negate))]
}

function likePattern({ op, text }: NameTest): string {
  return op === 'is' ? literal(text) : `%${literal(text)}%`
}

function anyOf<Test>(tests: readonly Test[], write: (test: Test, at: number) => string): string {
  return `(${tests.map(write).join(' or ')})`
}

function number(column: string, test: Comparison, value: Value): string {
  const given = (one: number) => `${value(one)}::numeric`
  return test.op === '..'
    ? `${column} between ${given(test.from)} and ${given(test.to)}`
    : `${column} ${test.op} ${given(test.value)}`
}

const turned = { '<': '>', '<=': '>=', '>=': '<=', '>': '<' } as const

/** A time that lies so many minutes from now; `sign` -1: behind, so that more of them is earlier. */
function time(
  column: string,
  test: DurationTest,
  sign: 1 | -1,
  { now, midnight }: Moment,
  value: Value,
): string {
  const at = (moment: number) => `${value(new Date(moment))}::timestamptz`
  const away = (minutes: number) => at(now + sign * minutes * 60_000)
  if (test.op === 'today') return `${column} >= ${at(midnight)}`
  if (test.op === '..') {
    const [near, far] = [away(test.from), away(test.to)]
    return sign < 0 ? `${column} between ${far} and ${near}` : `${column} between ${near} and ${far}`
  }
  return `${column} ${sign < 0 ? turned[test.op] : test.op} ${away(test.value)}`
}
