import { expect, test } from 'vitest'
import { keepDraft, keptDraft, newDraft } from './kept-import.ts'

const file = new File(['asin'], 'deals.csv')

test('a chosen file is there for who chose it and for nobody else, until it is forgotten', () => {
  const draft = { ...newDraft(file), corrections: { price: 'was' } }
  keepDraft(7, draft)
  expect(keptDraft(7)).toBe(draft)
  expect(keptDraft(8)).toBeUndefined()
  keepDraft(7, undefined)
  expect(keptDraft(7)).toBeUndefined()
})

test('no two choices are taken for one, whatever became of the first', () => {
  expect(newDraft(file).chosen.key).not.toBe(newDraft(file).chosen.key)
})
