import { expect, test } from 'vitest'
import { parseQuestion } from './parsing.ts'
import { printQuestion } from './printing.ts'

const printed = (text: string) => printQuestion(parseQuestion(text).question)

test.each([
  ['watches under 30 at least half off, not Casio', 'watches price:<30 off:>=50 -Casio'],
  ['under $30 below 9,99', 'price:<30 price:<9.99'],
  ['less than 20 bucks cheaper than  30 Dollars', 'price:<20 price:<30'],
  ['at most $5 at least 5€ over 5 usd above £5', 'price:<=5 price:>=5 price:>5 price:>5'],
  ['lamp 50% off', 'lamp off:>=50'],
  ['over 50 percent off, up to 70 % off', 'off:>50 off:<=70'],
  ['half price or half off', 'off:>=50 or off:>=50'],
  ['at least 20 off', 'off:>=20'],
  ['at least 4.5 stars more than 1,000 reviews', 'rating:>=4.5 reviews:>1000'],
  ['lamp between 10 and 20', 'lamp price:10..20'],
  ['between $10 and $20.50, between 50 and 70 % off', 'price:10..20.5 off:50..70'],
  ['between 4 to 5 stars', 'rating:4..5'],
  ['lamp OR under 30', 'lamp OR price:<30'],
  ['(lamp under 30) desk', 'lamp price:<30 desk'],
  ['lamp, not brass, but without glass', 'lamp -brass -glass'],
  ['lamp but not "a b" NOT (c d)', 'lamp -"a b" -(c d)'],
  ['lamp, not under 30', 'lamp -price:<30'],
  ['lamp, not brand:acme', 'lamp -brand:acme'],
  ['lamp price:<30, not brass', 'lamp price:<30 -brass'],
  ['brand:acme,"b c", without glass sort:price, not red', 'brand:acme,"b c" -glass -red sort:price'],
  ['sort:price, lamp', 'lamp sort:price'],
])('%s means %s', (text, canonical) => {
  expect(printed(text)).toBe(canonical)
  expect(parseQuestion(text).problems).toEqual([])
})

test.each([
  ['under armour shoes', 'under armour shoes'],
  ['half baked', 'half baked'],
  ['50 off', '50 off'],
  ['cotton 100%', 'cotton 100%'],
  ['under 30h', 'under 30h'],
  ['under 30 minute meals', '"under 30 minute" meals'],
  ['under 25 inches', '"under 25 inches"'],
  ['up to 32 hours', 'up to 32 hours'],
  ['at most 6 stars', 'at most 6 stars'],
  ['"under 30"', '"under 30"'],
  ['under "30"', 'under "30"'],
  ['half "off"', 'half "off"'],
  ['-under 30', '-under 30'],
  ['between 10 and 20 inches', 'between 10 and 20 inches'],
  ['between "10" and 20', 'between "10" and 20'],
  ['between us and them', 'between us and them'],
  ['between 30', 'between 30'],
  ['under OR 30', 'under OR 30'],
  ['NOT OR x', 'NOT OR x'],
  ['lamp, not', 'lamp not'],
  ['a but x', 'a but x'],
  [', lamp ,, shade', 'lamp shade'],
])('of %s the words stay words', (text, canonical) => {
  expect(printed(text)).toBe(canonical)
  expect(parseQuestion(text).problems).toEqual([])
})

test.each([
  ["not your mother's", "not your mother's", 'not your', '-your'],
  ['watches without "a b"', 'watches without "a b"', 'without "a b"', '-"a b"'],
  ['lamp over 30', 'lamp over 30', 'over 30', 'price:>30'],
  ['at least 30, lamp', 'at least 30 lamp', 'at least 30', 'price:>=30'],
])('in %s words may be meant as a filter', (text, words, said, suggestion) => {
  const { question, problems } = parseQuestion(text)
  // Printed in quotes, so that it says nothing else any more.
  expect(printQuestion(question).replace(/"(not|without|30)"/g, '$1')).toBe(words)
  const start = text.indexOf(said)
  expect(problems).toEqual([
    {
      ...{ start, end: start + said.length, severity: 'notice', suggestion },
      message: `'${said}' is looked for as text; as a filter it is ${suggestion}`,
    },
  ])
})

test.each([
  ['27" monitor', '27" monitor'],
  ['27 " monitor', '27 monitor'],
  ['27 ″ monitor', '27 monitor'],
  ['monitor 27 "', 'monitor 27'],
  ['5.5″ screen', '5.5″ screen'],
  ['"27" monitor" lamp', '"27\\" monitor" lamp'],
  ['“27” monitor” lamp', '"27” monitor" lamp'],
  ['"27" "monitor"', '27 monitor'],
  ['"phone 15" 27" cable', '"phone 15" 27" cable'],
  ['"size 5" title:"b c"', '"size 5" title:"b c"'],
])('of %s a sign of inches opens and closes no phrase', (text, canonical) => {
  expect(printed(text)).toBe(canonical)
})
