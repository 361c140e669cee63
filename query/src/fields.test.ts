import { expect, test } from 'vitest'
import { declarationOf, fieldNames, sortNames, sorts } from './fields.ts'
import { parseQuestion } from './parsing.ts'
import { printQuestion } from './printing.ts'
import { sayQuestion } from './words.ts'

test.each(fieldNames)(
  'the example of %s and all it suggests are understood, printed as they are, and said',
  (name) => {
    const { example, suggests } = declarationOf(name)
    const values = typeof suggests === 'string' ? [] : suggests
    for (const value of [example, ...values]) {
      const { question, problems } = parseQuestion(`${name}:${value}`)
      expect(problems).toEqual([])
      expect(printQuestion(question)).toBe(`${name}:${value}`)
      expect(sayQuestion(question)).not.toBe('')
    }
  },
)

test('no two fields share a name or alias, and no two sorts', () => {
  const names = fieldNames.flatMap((name) => [name, ...declarationOf(name).aliases])
  expect(names).toEqual([...new Set(names)])
  const sortWords = sortNames.flatMap((name) => [name, ...sorts[name].aliases])
  expect(sortWords).toEqual([...new Set(sortWords)])
})
