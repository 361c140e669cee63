import fc from 'fast-check'
import { expect, test } from 'vitest'
import { questions, typedTexts } from '../testing/questions.ts'
import { cutSpan } from './editing.ts'
import { longestQuestion, mostLevels, mostTerms } from './limits.ts'
import { parseQuestion } from './parsing.ts'
import { printQuestion } from './printing.ts'
import { combine, countTerms, leavesOf } from './question.ts'
import { sayQuestion } from './words.ts'

const options = { isAdministrator: true }

test('what is printed of a question is understood as that question, without a problem', () => {
  fc.assert(
    fc.property(questions(), (question) => {
      const text = printQuestion(question)
      fc.pre(text.length <= longestQuestion && countTerms(question.condition) <= mostTerms)
      const parsed = parseQuestion(text, options)
      expect(parsed.question, text).toEqual(question)
      expect(parsed.problems, text).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})

test('any text has a meaning, which its printed form has too; printing that changes nothing', () => {
  fc.assert(
    fc.property(typedTexts, (text) => {
      const { question, problems, terms, tokens } = parseQuestion(text, options)
      const printed = printQuestion(question)
      expect(printed.length).toBeLessThanOrEqual(longestQuestion)
      expect(countTerms(question.condition)).toBeLessThanOrEqual(mostTerms)
      const again = parseQuestion(printed, options)
      expect(again.question, printed).toEqual(question)
      expect(again.problems).toEqual([])
      expect(printQuestion(again.question)).toBe(printed)
      expect(sayQuestion(question) === '').toBe(printed === '')
      for (const { start, end } of [...problems, ...terms, ...tokens]) {
        expect(start).toBeGreaterThanOrEqual(0)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(Math.max(text.length, longestQuestion))
      }
    }),
    // A word that begins with a comma, before another, would leave that out.
    {
      numRuns: 3_000,
      examples: [['lamp ,not, red'], ['lamp ,NOT ,'], ['lamp ,without )'], ['lamp -, not red']],
    },
  )
})

test('taking out the characters of a term leaves the meaning of all others', () => {
  fc.assert(
    fc.property(typedTexts, fc.nat(), (text, chosen) => {
      const { terms, question, problems } = parseQuestion(text, options)
      fc.pre(text.length <= longestQuestion && countTerms(question.condition) < mostTerms)
      fc.pre(!problems.some(({ message }) => message.startsWith('Written in full')))
      const at = chosen % Math.max(1, terms.length)
      const term = terms[at]
      // Of two sorts the second counts once the first is gone.
      fc.pre(term !== undefined && term.field !== 'sort')
      const rest = terms.flatMap(({ condition }, other) => (other === at ? [] : (condition ?? [])))
      const cut = term ? cutSpan(text, term) : text
      expect(parseQuestion(cut, options).question.condition, cut).toEqual(combine('all', rest))
    }),
    {
      numRuns: 3_000,
      examples: [
        ['(lamp)under lamp 30', 2],
        [',NOT ,not "a"a', 1],
        ['“5"aunder a"', 1],
      ],
    },
  )
})

test('no question has more levels, terms or characters than there may be', () => {
  const deep = `${'('.repeat(200)}a${')'.repeat(200)} b`
  const { question, problems } = parseQuestion(deep)
  expect(printQuestion(question)).toBe('a b')
  expect(problems.map(({ start }) => start)).toEqual(
    Array.from({ length: 200 - mostLevels }, (_, at) => at + mostLevels),
  )
  const many = parseQuestion(Array.from({ length: 60 }, (_, at) => `w${at}`).join(' '))
  expect(leavesOf(many.question.condition)).toHaveLength(mostTerms)
  expect(many.problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('40 terms') }])
  const long = parseQuestion('x'.repeat(longestQuestion + 1))
  expect(long.question.condition).toEqual({ kind: 'text', text: 'x'.repeat(longestQuestion) })
  expect(long.problems).toMatchObject([{ start: longestQuestion, end: longestQuestion + 1 }])
})

test('each value of a list is one of the terms there may be', () => {
  const values = Array.from({ length: 100 }, (_, at) => `a${at}`)
  const { question, problems, tokens } = parseQuestion(`lamp brand:${values.join(',')} x`)
  expect(printQuestion(question)).toBe(`lamp brand:${values.slice(0, mostTerms - 1).join(',')}`)
  expect(problems).toMatchObject([
    { start: 5, severity: 'error', message: expect.stringContaining('40 terms') },
  ])
  expect(tokens.map(({ isUnderstood }) => isUnderstood)).toEqual([true, false, false])
})

test.each([
  ['price:', '1k,', 500],
  ['price:', '0,', 500],
  ['new:', '1y1m,', 500],
  ['asin:', '㎉,', 500],
  ['lamp ', 'B0ABCDEFGH ', 500],
  ['lamp ', 'a"" ', 500],
  ['lamp ', '"', 500],
  ['lamp brand:a', '"', 500],
  ['lamp sort:off ', 'cat:longish-name ', 500],
])('what is printed of %s%s… has no more characters than there may be', (first, repeated, length) => {
  const text = first + repeated.repeat(length).slice(0, length - first.length)
  const { question } = parseQuestion(text)
  const printed = printQuestion(question)
  expect(printed.length).toBeLessThanOrEqual(longestQuestion)
  expect(parseQuestion(printed)).toMatchObject({ question, problems: [] })
})

test('of a question that is too long written in full the last terms are left out, and named', () => {
  const text = `lamp sort:off ${'a'.repeat(200)} a${'"b'.repeat(120)} x`
  const { question, problems, terms, tokens } = parseQuestion(`${text} lamp`)
  expect(printQuestion(question)).toBe(`lamp ${'a'.repeat(200)} sort:discount`)
  expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
    { start: 215, end: text.length + 5, message: expect.stringContaining('500 characters') },
  ])
  expect(terms.map(({ condition }) => condition !== null)).toEqual([true, false, true, false, false, false])
  expect(tokens.map(({ isUnderstood }) => isUnderstood)).toEqual([true, true, true, false, false, false])
})
