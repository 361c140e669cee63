import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainTitle } from './folding.ts'
import { formsOf } from './inflecting.ts'
import { matcherOf } from './matching.ts'
import { parseQuestion } from './parsing.ts'

const moment = { now: 0, midnight: 0 }

/** Whether a question finds a title; nothing else of a deal is asked for. */
function finds(text: string, title: string): boolean {
  const matches = matcherOf(parseQuestion(text).question.condition)
  const nothing = {
    asin: '',
    brand: null,
    category: null,
    condition: null,
    price: 0,
    off: null,
    rating: null,
  }
  const never = { firstSeen: 0, lastChecked: 0, lastUpdated: 0, endsAt: null, reviews: null }
  const not = { isPrime: false, hasListPrice: false, isSample: false }
  const unjudged = { verdict: null, underTypical: null, lowDays: null, drop: null, droppedAt: null }
  return matches(
    { ...nothing, ...never, ...not, ...unjudged, title: plainTitle(title), isVisible: true },
    moment,
  )
}

test.each([
  ['watches', 'Steel Watch, black'],
  ['watch', 'Two watches'],
  ['Watches,', 'WATCH'],
  ['ｗatches', 'A watch.'],
  ['headphones', 'Headphone stand'],
  ['batteries', 'AA Battery'],
  ['battery', '8 batteries'],
  ['cookies', 'Cookie jar'],
  ['boxes', '(Box)'],
  ['knives', "Chef's knife"],
  ['knife', 'Steak knives'],
  ['shelves', 'Book-shelf'],
  ['mens', "Men's shoes"],
  ['mice', 'Wireless mouse'],
  ['t-shirts', 'T-Shirt, white'],
  ['lámparas', 'Lampara de mesa'],
  ['27"', "27'' monitor"],
  ['27″', 'Monitor 27"'],
  ["5.5''", '5.5” screen'],
])('%s finds “%s”', (text, title) => {
  expect(finds(text, title)).toBe(true)
})

test.each([
  ['"watches"', 'Steel watch'],
  ['title:watches', 'Steel watch'],
  ['watches', 'Watchband'],
  ['rings', 'String lights'],
  ['pens', 'Open sign'],
  ['shoes', 'Shoelace'],
  ['news', 'New lamp'],
  ['glass', 'Glas'],
  ['lotus', 'Lotu'],
  ['bus', 'Bu 2'],
  ['gas', 'Ga 2'],
  ['a3s', 'A3'],
  ['27"', '27 parts'],
  ['5.5"', "5x5'' tile"],
  ['-watches', 'Steel watch'],
])('%s does not find “%s”', (text, title) => {
  expect(finds(text, title)).toBe(false)
})

test('short words, codes and words of other scripts have one form', () => {
  for (const word of ['tvs', 'b0abcdefgh', 'x200s', 'часы', '時計s', "men's", 'lamp', 'shorts']) {
    expect(formsOf(word), word).toEqual([])
    expect(parseQuestion(word).question.condition).not.toHaveProperty('inflects')
  }
})

test('whatever is typed finds the titles that hold it as it stands', () => {
  const words = fc.stringMatching(/^[a-z]{1,9}(?:s|es|ies|ves|y|fe|f)?,?$/)
  fc.assert(
    fc.property(words, words, (before, word) => {
      expect(finds(word, `${before}${word}${before}`)).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})
