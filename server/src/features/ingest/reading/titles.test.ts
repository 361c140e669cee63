import { expect, test } from 'vitest'
import { readTitle } from './titles.ts'

test.each([
  ['Folding lantern with hookFolding lantern with hook', 'Folding lantern with hook', 'doubled'],
  ['Folding lantern Folding lantern', 'Folding lantern', 'doubled'],
  [
    `${'Long lamp '.repeat(40).trim()}. ${'Long lamp '.repeat(40).trim()}.`,
    `${'Long lamp '.repeat(40).trim()}.`,
    'doubled',
  ],
  ['Folding lantern2025-09-29', 'Folding lantern', 'dated'],
  ['Folding lantern2025-09-29T12:00:00Z', 'Folding lantern', 'dated'],
  ['Folding lantern (blue)29.09.2025', 'Folding lantern (blue)', 'dated'],
  ['Folding lanternSep 29, 2025', 'Folding lantern', 'dated'],
  ['Folding lanternSeptember 29, 2025', 'Folding lantern', 'dated'],
  ['Folding lantern29 Sep 2025', 'Folding lantern', 'dated'],
])('%j is %j', (raw, title, repair) => {
  const repairs: string[] = []
  expect(readTitle(raw, (kind) => repairs.push(kind))).toBe(title)
  expect(repairs).toEqual([repair])
})

test.each([
  'Duran Duran',
  'Ha Ha Ha Ha',
  'couscous',
  'Wall calendar 2026',
  'Diary from January 1, 2026',
  'Diary 2026-01-01',
  'Dismay 3, 2024',
  'Lamp X2025',
])('%j stays', (title) => {
  expect(readTitle(title, () => expect.unreachable())).toBe(title)
})

test('a long title is cut as before', () => {
  expect(readTitle(`a${'x'.repeat(900)}`, () => undefined)).toHaveLength(500)
})
