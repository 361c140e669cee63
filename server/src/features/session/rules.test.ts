import { expect, test } from 'vitest'
import { nameForms, nameKey, nameSkeleton } from './rules.ts'

test.each([
  ['Cyrillic letters', 'bоѕѕ'],
  ['Cyrillic capitals', 'ВОЅЅ'],
  ['Greek letters', 'βοss'],
  ['full width', 'ｂｏｓｓ'],
  ['mathematical letters', '𝖇𝖔𝖘𝖘'],
  ['Lisu letters, which have no case', 'ꓐꓳꓢꓢ'],
  ['a digit', 'b0ss'],
])('%s make no other boss', (_, name) => {
  expect(nameSkeleton(name)).toBe(nameSkeleton('boss'))
})

test('composed and decomposed are one name, and blanks of any width one blank', () => {
  expect(nameSkeleton('jose\u0301')).toBe(nameSkeleton('jos\u00e9'))
  expect(nameSkeleton('big \u3000 boss')).toBe(nameSkeleton('big boss'))
})

test('what can be told apart is', () => {
  const names = ['boss', 'böss', 'bosss', 'bos', 'boss2', 'bo-ss', 'bo.ss', 'big boss', 'начальник', '社長']
  expect(new Set(names.map(nameSkeleton)).size).toBe(names.length)
})

test('a name is found in every form in which it may have been stored', () => {
  expect(nameForms('boss')).toEqual(['boss'])
  expect(nameForms('jose\u0301')).toEqual(['jose\u0301', 'jos\u00e9'])
  expect(nameForms('jos\u00e9')).toContain('jose\u0301')
  expect(nameForms('ｂｏｓｓ')).toEqual(['ｂｏｓｓ', 'boss'])
  for (const form of nameForms('ｊｏｓe\u0301')) expect(nameKey(form)).toBe('jos\u00e9')
})
