import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyValues, fieldConditions, typedTexts } from '../testing/questions.ts'
import { completionAt, nameValue } from './completing.ts'
import { controlOf, cutSpan, withField } from './editing.ts'
import { fieldNames } from './fields.ts'
import { longestQuestion, mostTerms } from './limits.ts'
import { parseQuestion } from './parsing.ts'
import { printCondition } from './printing.ts'
import { countTerms } from './question.ts'

const options = { isAdministrator: true }

test.each([
  ['lamp', '<10', 'lamp price:<10'],
  ['', '<10', 'price:<10'],
  ['lamp price:<20 shade', '<10', 'lamp shade price:<10'],
  ['price:<20 shade', null, 'shade'],
  ['lamp  price:<20 -price:<5', null, 'lamp '],
  ['casio OR seiko', '<10', 'casio OR seiko price:<10'],
  ['lamp price:<ten', '<10', 'lamp price:<10'],
  ['lamp "bra', '<10', 'price:<10 lamp "bra'],
  ['lamp OR', '<10', 'price:<10 lamp OR'],
  ['watches under 30 half off', '<10', 'watches half off price:<10'],
  ['lamp, not', '<10', 'price:<10 lamp, not'],
])("the price of '%s' set to %s", (text, value, changed) => {
  expect(withField(text, 'price', value)).toBe(changed)
})

test.each([
  ['lamp price:<20 shade', 'lamp  shade'],
  ['a OR(b c)d', 'd'],
  ['OR(b c)d', 'OR d'],
  ['AND(b c)d', 'AND d'],
  ['DOOR -(b c) d', 'DOOR  d'],
  ['watches under 30, casio', 'watches , casio'],
  ['under price:<10 30', 'under  AND 30'],
  ['lamp, price:<10 not x', 'lamp,  AND not x'],
])("of '%s' a term is cut out, and what stood beside it is as it was", (text, rest) => {
  const { terms } = parseQuestion(text)
  const term = terms.find(({ condition }) => condition?.kind !== 'text')
  expect(term && cutSpan(text, term)).toBe(rest)
})

test('what a control writes into any text it reads back, and all else stays as it was', () => {
  const pick = fc.constantFrom(...fieldNames).chain((name) => fieldConditions(name, anyValues))
  fc.assert(
    fc.property(typedTexts, pick, (text, condition) => {
      const before = parseQuestion(text, options)
      // An OR at the very beginning would join whatever is put before it.
      const first = before.terms[0]?.start ?? text.length
      fc.pre(!before.problems.some(({ message, end }) => message.includes('both sides') && end <= first))
      const [, value = ''] = /^\w+:(.*)$/s.exec(printCondition(condition)) ?? []
      const changed = withField(text, condition.field, value, options)
      fc.pre(changed.length <= longestQuestion && countTerms(before.question.condition) < mostTerms - 3)
      const after = parseQuestion(changed, options)
      expect(controlOf(after, condition.field), changed).toEqual(condition)
      const others = ({ terms }: typeof after) =>
        terms.filter(({ field }) => field !== condition.field).map((term) => term.condition)
      expect(others(after), changed).toEqual(others(before))
      expect(after.question.sort).toBe(before.question.sort)
    }),
    { numRuns: 2_000 },
  )
})

test('of two terms of a field a control can show neither', () => {
  expect(controlOf(parseQuestion('price:<10 price:>5'), 'price')).toBeNull()
  expect(controlOf(parseQuestion('lamp'), 'price')).toBeUndefined()
})

test.each([
  ['lamp pri|', { start: 5, end: 8, typed: 'pri', field: null, offers: ['price:', 'prime:'] }],
  ['lamp -so|', { start: 6, end: 8, typed: 'so', field: null, offers: ['sort:'] }],
  ['brand:a,"b c|', { start: 8, end: 12, typed: 'b c', field: 'brand', offers: 'brands' }],
  ['brand:"a, |b"', { start: 6, end: 12, typed: 'a, ', field: 'brand', offers: 'brands' }],
  ['brand:x,="a, b|",c', { start: 8, end: 15, typed: 'a, b', field: 'brand', offers: 'brands' }],
  ['brand:"a, b",|', { start: 13, end: 13, typed: '', field: 'brand', offers: 'brands' }],
  ['prime:| x', { start: 6, end: 6, typed: '', field: 'prime', offers: ['yes', 'no'] }],
  [
    'sort:di| x',
    {
      start: 5,
      end: 7,
      typed: 'di',
      field: 'sort',
      offers: ['newest', 'discount', 'price', 'discord', 'updated', 'best'],
    },
  ],
  ['lamp |', undefined],
  ['"pri|"', undefined],
  ['pr|ice', undefined],
  ['under 30|', undefined],
])('at %s there can be offered %o', (typed, completion) => {
  const caret = typed.indexOf('|')
  const text = typed.replace('|', '')
  expect(completionAt(text, parseQuestion(text), caret)).toEqual(completion)
})

test('a name is written so that it is read as that name', () => {
  for (const name of ['casio', 'Black + Decker', 'a,b', '=x', 'say "hi"', '(a)'])
    expect(parseQuestion(`brand:${nameValue(name)}`).question.condition).toMatchObject({
      tests: [{ op: 'has', text: name }],
    })
})
