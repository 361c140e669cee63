import { expect, test } from 'vitest'
import { chipsOf, sentenceOf, wordsOf } from './chips.ts'

const asker = { defaultMax: 30, hidesContradicted: false, isAdministrator: false }
const money = (amount: number) => `$${amount.toFixed(2)}`
const labels = (text: string) => chipsOf(text, asker, money).map(({ label }) => label)

test.each([
  ['', ['≤ $30']],
  ['lamp "two words"', ['≤ $30']],
  ['price:any', ['at any price']],
  ['price:2.5..10 off:50 rating:4', ['$2.50 – $10', '≥ 50% off', '≥ 4 stars']],
  ['price:<5 reviews:>100', ['< $5', '> 100 reviews']],
  ['off:any prime:yes new:today', ['≤ $30', 'Discounted only', 'Prime only', 'Today only']],
  ['price:<5,>9 -casio brand:acme', ['under $5 or over $9', "not 'casio'", "brand 'acme'"]],
  ['a OR b sort:price', ['≤ $30', "'a' or 'b'", 'lowest price first']],
  ['price:<ten', ['≤ $30']],
  ['lamp sort:', ['≤ $30']],
  ['sort:chep -sort:price sort:newest', ['≤ $30', 'lowest price first']],
  ['watches under 25 at least half off, not Casio', ['< $25', '≥ 50% off', "not 'Casio'"]],
])('%s has the chips %j', (text, expected) => {
  expect(labels(text)).toEqual(expected)
})

test('a chip takes exactly its characters away and the space before them, and each leads on until nothing is asked', () => {
  const text = 'lamp  brand:casio,seiko -x price:<10'
  expect(chipsOf(text, asker, money).map(({ without }) => without)).toEqual([
    'lamp -x price:<10',
    'lamp  brand:casio,seiko price:<10',
    'lamp  brand:casio,seiko -x',
  ])
  expect(chipsOf('watches under 25 half off, not Casio', asker, money).map(({ without }) => without)).toEqual(
    ['watches half off, not Casio', 'watches under 25, not Casio', 'watches under 25 half off'],
  )
  expect(chipsOf('lamp', asker, money)[0]?.without).toBe('lamp price:any')
  expect(chipsOf('lamp price:any', asker, money)[0]?.without).toBe('lamp')
})

test('a price that is taken away does not bring back a lower limit of the reader’s own', () => {
  const without = (text: string) => chipsOf(text, asker, money).at(-1)?.without
  expect(without('lamp price:<50')).toBe('lamp price:any')
  expect(without('lamp price:>5')).toBe('lamp price:any')
  expect(without('lamp price:<20')).toBe('lamp')
  expect(without('lamp price:<20 price:<50')).toBe('lamp price:<20')
  expect(without('lamp price:any')).toBe('lamp')
})

test('what hides deals is told from what only orders them', () => {
  const hiding = chipsOf('price:any off:50 sort:price', asker, money).filter(({ hides }) => hides)
  expect(hiding.map(({ label }) => label)).toEqual(['≥ 50% off'])
})

test('the words are a part of the question too', () => {
  expect(wordsOf('price:5 -x', asker)).toBeUndefined()
  expect(wordsOf('red  mug price:5 "a b"', asker)).toMatchObject({
    label: 'The search “red mug "a b"”',
    without: 'price:5',
  })
})

test('a question is said in words once it is more than words', () => {
  expect(sentenceOf('red mug', asker, money)).toBeUndefined()
  expect(sentenceOf('mug price:<9.5 -x sort:off', asker, money)).toBe(
    "'mug', under $9.50, not 'x', largest discount first",
  )
  expect(sentenceOf('mug -x', asker, money)).toBe("'mug', not 'x', at most $30")
})
