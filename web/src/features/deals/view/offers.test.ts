import { parseQuestion } from '@dealdeck/query/parsing'
import { expect, test } from 'vitest'
import { completingAt, marksOf, mended, nameOffer, toldProblems, withOffer } from './offers.ts'

const at = (text: string) =>
  completingAt(text.replace('|', ''), parseQuestion(text.replace('|', '')), text.indexOf('|'))

test.each([
  ['pr|', ['price:', 'prime:']],
  ['lamp off:>=5|', ['>=50']],
  ['condition:|', ['new', 'renewed', 'used', 'unknown']],
  ['sort:d|', ['discount', 'discord']],
  ['price:<10|', []],
  ['lamp |', undefined],
  ['"pr|', undefined],
  ['la|mp', undefined],
])('%s is offered %j', (text, offers) => {
  expect(at(text)?.offers.map((offer) => offer.text)).toEqual(offers)
})

test.each([
  ['watch 30|', 'watch |price:<30 off:>=30'],
  ['watch under 30|', undefined],
  ['watch Over 9,50|', 'watch |price:>9,50'],
  ['watch $30|', 'watch |price:<30'],
  ['watch 50%|', 'watch |off:>=50'],
  ['watch 500|', 'watch |price:<500'],
  ['cotton 100%|', undefined],
  ['"30|', undefined],
  ['30 watch|', undefined],
  ['3000mah|', undefined],
])('a number among the words may be a price, or what is off: %s', (text, expected) => {
  const found = at(text)
  const offers = found?.offers.map((offer) => offer.text).join(' ')
  expect(offers ? `${text.slice(0, found?.start)}|${offers}` : undefined).toBe(expected)
})

test('each offer says what it means, or an example', () => {
  expect(at('price:<3|')?.offers).toEqual([{ text: '<30', hint: 'under 30' }])
  expect(at('sort:n|')?.offers).toEqual([{ text: 'newest', hint: 'newest first' }])
  expect(at('bra|')?.offers).toEqual([{ text: 'brand:', hint: 'such as brand:casio', isOpen: true }])
})

test('names are asked for behind their field, and for a word that may be the beginning of one', () => {
  expect(at('brand:ca|')?.names).toEqual([{ field: 'brand', prefix: 'ca', before: '' }])
  expect(at('brand:casio,"se|')?.names).toEqual([{ field: 'brand', prefix: 'se', before: '' }])
  expect(at('cas|')?.names).toEqual([
    { field: 'brand', prefix: 'cas', before: 'brand:' },
    { field: 'category', prefix: 'cas', before: 'category:' },
  ])
  for (const text of ['c|', '"cas|', '(cas)|']) expect(at(text)?.names ?? []).toEqual([])
})

test('what is chosen stands in the place of what was typed, and the text goes on behind it', () => {
  const put = (text: string, offer: Parameters<typeof withOffer>[2]) => {
    const completing = at(text)
    if (!completing) throw new Error('nothing to complete')
    const next = withOffer(text.replace('|', ''), completing, offer)
    return `${next.text.slice(0, next.caret)}|${next.text.slice(next.caret)}`
  }
  expect(put('lamp pr|', { text: 'price:', hint: '', isOpen: true })).toBe('lamp price:|')
  expect(put('price:<1| lamp', { text: '<10', hint: '' })).toBe('price:<10 |lamp')
  expect(put('-cas|', nameOffer('brand:', 'Casio Edifice', ''))).toBe('-brand:"Casio Edifice" |')
  expect(put('brand:casio,se|', nameOffer('', 'Seiko', ''))).toBe('brand:casio,Seiko |')
  expect(put('brand:se|,casio lamp', nameOffer('', 'Seiko', ''))).toBe('brand:Seiko|,casio lamp')
  expect(put('brand:casio,=se|', nameOffer('', 'Seiko', ''))).toBe('brand:casio,=Seiko |')
})

test('fields are marked, and what is wrong, but not what is still being typed', () => {
  const marks = (text: string) => marksOf(text, parseQuestion(text)).filter(({ kind }) => kind !== 'plain')
  expect(marks('lamp price:<10 off:x colour:red')).toEqual([
    { text: 'price:<10', kind: 'field' },
    { text: 'off:x', kind: 'error' },
    { text: 'colour:red', kind: 'notice' },
  ])
  expect(marks('lamp under 30, not casio not x')).toEqual([
    { text: 'under 30', kind: 'field' },
    { text: 'not x', kind: 'notice' },
  ])
  expect(marks('lamp')).toEqual([])
  expect(marks('lamp price:')).toEqual([])
  expect(marks('price: lamp')).toEqual([{ text: 'price:', kind: 'error' }])
  expect(marks('a price:<ten 😀').map(({ text }) => text)).toEqual(['price:<ten'])
})

test('what is wrong is mended by what could stand there', () => {
  const text = 'lamp price:<ten off:50'
  const [problem] = toldProblems(text, parseQuestion(text))
  if (!problem) throw new Error('nothing is wrong')
  expect(mended(text, problem)).toBe('lamp price:<10 off:50')
  expect(mended(text, { ...problem, suggestion: null })).toBeUndefined()
})

test.each([
  ['lamp price:', 0],
  ['lamp pri:', 0],
  ['lamp pri: ', 1],
  ['price:x lamp pri:', 1],
])('of %j, which is still being typed, %i things are said to be wrong', (text, count) => {
  expect(toldProblems(text, parseQuestion(text))).toHaveLength(count)
})
