import type { BlacklistedWord, WordPreview } from '@dealdeck/contract/blacklist'
import { expect, test } from 'vitest'
import { builtInWords, countLine, previewLine, shownWords } from './view.ts'

const word = (text: string, isActive = true): BlacklistedWord => ({
  ...{ id: text.length, word: text, is_active: isActive, created_at: '2026-05-01T00:00:00.000Z' },
})
const number = String

test('active words come alphabetically, with inactive ones in the server’s order; search takes any case', () => {
  const words = [word('wig'), word('keychain', false), word('banner'), word('hair wig')]
  const names = (text: string, withInactive: boolean) =>
    shownWords(words, text, withInactive).map((shown) => shown.word)
  expect(names('', false)).toEqual(['banner', 'hair wig', 'wig'])
  expect(names('', true)).toEqual(['wig', 'keychain', 'banner', 'hair wig'])
  expect(names(' WIG ', false)).toEqual(['hair wig', 'wig'])
  expect(names('key', false)).toEqual([])
  expect(names('key', true)).toEqual(['keychain'])
})

test('counts say what is active and what is not', () => {
  expect(countLine([word('a')], number)).toBe('1 active word')
  expect(countLine([word('a'), word('b')], number)).toBe('2 active words')
  expect(countLine([word('a'), word('b', false), word('c', false)], number)).toBe(
    '1 active, 2 inactive words',
  )
})

test('a preview says what would be hidden, also beyond the count', () => {
  const preview: WordPreview = { word: 'wig', state: 'new', hidden: 12, has_more: false, titles: [] }
  expect(previewLine(preview, number)).toBe('Would hide 12 deals.')
  expect(previewLine({ ...preview, hidden: 1 }, number)).toBe('Would hide 1 deal.')
  expect(previewLine({ ...preview, hidden: 0 }, number)).toBe('Would hide no deal of today’s feed.')
  expect(previewLine({ ...preview, hidden: 10_000, has_more: true }, number)).toBe(
    'Would hide more than 10000 deals.',
  )
  expect(previewLine({ ...preview, state: 'active', hidden: 0 }, number)).toContain('active already')
  expect(previewLine({ ...preview, state: 'inactive' }, number)).toMatch(/inactive.*Would hide 12 deals/)
})

test('the built-in words are the specification’s ten', () => {
  expect(builtInWords).toHaveLength(10)
  expect(new Set(builtInWords).size).toBe(10)
})
