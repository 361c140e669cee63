import { expect, test } from 'vitest'
import { listTitle } from './list-titles.ts'
import { blocksOf } from './sparkline.ts'
import { finderText, oneLine, ratingText } from './texts.ts'

test('a text is one line without signs that turn or hide what stands beside it; emoji stay whole', () => {
  expect(oneLine(' a\r\n\tb\u0000\u202Ec\u2069\u200F 👩‍🚀 \uD800')).toBe('a b c 👩‍🚀 \uFFFD')
})

test.each([
  [4.6, 1203, '4.6 of 5, 1,203 reviews'],
  [null, 1, '1 review'],
  [5, null, '5 of 5'],
  [null, null, null],
])('a rating of %s by %s is %s', (rating, reviews, text) => {
  expect(ratingText(rating, reviews)).toBe(text)
})

test.each([
  ['M0 0H90', '█'.repeat(22)],
  ['M0 24H45V0H90', '▁'.repeat(11) + '█'.repeat(11)],
  ['M45 12H53M82 0H90', '▅▅·······██'],
  ['', null],
])('the path %s is drawn as %s', (path, line) => {
  expect(blocksOf(path)).toBe(line)
})

test.each([
  ['quiet', '7 deals while you had quiet hours'],
  ['pause', '7 deals while messages were paused'],
  ['burst', '7 deals found at once'],
  ['hour', '7 deals beyond what you want in an hour'],
  ['weekly', '7 deals of the last week'],
  [null, '7 deals'],
] as const)('what was collected for %s is %s', (collectedFor, title) => {
  expect(listTitle(7, collectedFor)).toBe(title)
})

test('what found a deal is said by its name, a price that is waited for as that', () => {
  expect(finderText('Lamps\n for the desk', null)).toBe('Lamps for the desk')
  expect(finderText('', '$20.89')).toBe('the target price $20.89')
})
