import fc from 'fast-check'
import {
  type ChoiceField,
  choicesOf,
  declarationOf,
  type FieldName,
  fieldNames,
  fields,
  sortNames,
} from '../src/fields.ts'
import {
  type Condition,
  combine,
  type FieldCondition,
  negate,
  type Question,
  wordCondition,
} from '../src/question.ts'
import { tidyText } from '../src/quoting.ts'

/** Letters of several scripts, cases, widths and compositions, and every sign that means something in a question. */
export const signs = [
  ...'abAB01 éÉ机Лл،ＡａßİςΣ\u0301%_.-–−’\'"“”\\(),=<>:…',
  ...['e\u0301', 'OR', '🎁', 'ü', '5"', '٣', '\u200d', '\u0000', '\ud800'],
]

const anyText = fc
  .array(fc.constantFrom(...signs), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''))

/** A text as a question holds it: not empty, single spaces, well-formed. */
export const tidy = (texts: fc.Arbitrary<string>) =>
  texts.map((text) => tidyText(text.toWellFormed())).filter((text) => text !== '')

/** What comparisons and negations are said with. */
const spoken = [
  ...[
    'under',
    'Below',
    'less',
    'than',
    'at',
    'least',
    'most',
    'up',
    'to',
    'over',
    'half',
    'off',
    'price',
    '30',
    '$9,99',
  ],
  ...[
    '50%',
    '5',
    'percent',
    'stars',
    'reviews',
    'dollars',
    '€',
    'minutes',
    'not',
    'NOT',
    'without',
    'but',
    '″',
    ',not',
    ',NOT',
    ',without',
    ',but not',
    ',',
    ')',
  ],
]

type Values = {
  /** Amounts to draw from, for each type of field. */
  numbers: fc.Arbitrary<number>
  minutes: fc.Arbitrary<number>
  texts: fc.Arbitrary<string>
  /** Words as they are typed, with and without other forms, and such as comparisons are said in. */
  words: fc.Arbitrary<string>
  asins: fc.Arbitrary<string>
}

export const anyValues: Values = {
  numbers: fc.oneof(
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: 0, max: 500 }).map((cents) => cents / 100),
  ),
  minutes: fc.oneof(fc.integer({ min: 1, max: 5_256_000 }), fc.constantFrom(60, 90, 1440, 10_080)),
  texts: tidy(anyText),
  words: fc.constantFrom(...spoken, 'lamps', 'battery', 'Ｗatches', 't-shirts', '27"', "5.5''"),
  asins: fc.string({ unit: fc.constantFrom(...'AB019Z'), minLength: 1, maxLength: 10 }),
}

const comparisonOps = ['<', '<=', '>=', '>'] as const

function comparisons(values: fc.Arbitrary<number>) {
  const range = fc
    .tuple(values, values)
    .filter(([one, other]) => one !== other)
    .map(([one, other]) => ({ op: '..' as const, from: Math.min(one, other), to: Math.max(one, other) }))
  return fc.oneof(fc.record({ op: fc.constantFrom(...comparisonOps), value: values }), range)
}

const several = <Test>(tests: fc.Arbitrary<Test>) => fc.array(tests, { minLength: 1, maxLength: 3 })

/** Any condition of a field; of administrators' choices too. */
export function fieldConditions(name: FieldName, values: Values): fc.Arbitrary<FieldCondition> {
  const of = (kind: FieldCondition['kind'], tests: fc.Arbitrary<unknown>) =>
    // The cast holds: a declaration's type says which of the conditions its field belongs to.
    several(tests).map((some) => ({ kind, field: name, tests: some }) as FieldCondition)
  const { type } = declarationOf(name)
  switch (type) {
    case 'number': {
      const exact = values.numbers.map((value) => ({ op: '=' as const, value }))
      return of(type, fc.oneof(comparisons(values.numbers), exact))
    }
    case 'duration': {
      const today = name === 'ends' ? [] : [fc.constant({ op: 'today' as const })]
      return of(type, fc.oneof(comparisons(values.minutes), ...today))
    }
    case 'name':
      return of(type, fc.record({ op: fc.constantFrom('has', 'is'), text: values.texts }))
    case 'code':
      return of(type, values.asins)
    case 'choice':
      // As above.
      return of(type, fc.constantFrom(...Object.keys(choicesOf(name as ChoiceField))))
  }
}

/** Any condition in its normal form, up to three levels deep. */
export function conditions(values: Values = anyValues): fc.Arbitrary<Condition> {
  const text = fc.oneof(
    values.texts.map((one): Condition => ({ kind: 'text', text: one })),
    values.words.map(wordCondition),
  )
  const leaf = fc.oneof(
    { weight: 2, arbitrary: text },
    ...fieldNames.map((name) => fieldConditions(name, values)),
  )
  const negated = fc.oneof({ weight: 3, arbitrary: leaf }, leaf.map(negate))
  let any: fc.Arbitrary<Condition> = negated
  for (let level = 0; level < 2; level++) {
    const group = fc
      .tuple(
        fc.constantFrom('all' as const, 'any' as const),
        fc.array(any, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
      )
      .map(([kind, of, isNegated]): Condition => {
        // Null only of none.
        const made = combine(kind, of) ?? { kind: 'text', text: 'a' }
        return isNegated ? negate(made) : made
      })
    any = fc.oneof(negated, { weight: 2, arbitrary: group })
  }
  return any
}

export function questions(values?: Values): fc.Arbitrary<Question> {
  return fc.record({
    condition: fc.option(conditions(values), { freq: 10 }),
    sort: fc.option(fc.constantFrom(...sortNames)),
  })
}

const names = [...fieldNames, ...fieldNames.flatMap((name) => [...fields[name].aliases]), 'sort', 'colour']
const values = [
  '<10',
  '<ten',
  '1.234,50',
  '$5..$10',
  '10..5',
  '>=4',
  '50%',
  '2h',
  '<1d',
  'today',
  'yes',
  'none',
  '=a,"b c"',
  '',
  'hidden',
  'newest',
]

/** Texts somebody could have typed, or half of them, or a cat. */
export const typedTexts: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      anyText,
      fc.constantFrom(
        ' ',
        ' ',
        ' ',
        ' OR ',
        '-',
        '(',
        ')',
        '"',
        ', ',
        'lamps',
        'men’s',
        'B0ABCDEFGH',
        'between 10 ',
        'and 20',
      ),
      fc.constantFrom(...spoken).map((word) => `${word} `),
      fc
        .tuple(fc.constantFrom(...names), fc.constantFrom(':', ':', '：', ''), fc.constantFrom(...values))
        .map((parts) => parts.join('')),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))
