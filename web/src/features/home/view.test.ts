import { expect, test } from 'vitest'
import { homeCards, periodWords } from './view.ts'

test.each([
  [1, 'of the last minute'],
  [59, 'of the last 59 minutes'],
  [60, 'of the last hour'],
  [47 * 60 + 59, 'of the last 47 hours'],
  [48 * 60, 'of the last 2 days'],
  [30 * 24 * 60, 'of the last 30 days'],
])('%i minutes are said as %s', (minutes, words) => {
  expect(periodWords({ minutes })).toBe(words)
})

test('the chat needs an invitation, filter management an administrator', () => {
  const ids = (isAdmin: boolean, url: string | null) => homeCards(isAdmin, url).map((card) => card.id)
  expect(ids(false, null)).toEqual(['links', 'filters', 'images'])
  expect(ids(true, 'https://chat.example/in')).toEqual(['links', 'filters', 'chat', 'images', 'management'])
})
