import { expect, test } from 'vitest'
import { parseQuestion } from './parsing.ts'
import { printQuestion } from './printing.ts'

const printed = (text: string) => printQuestion(parseQuestion(text).question)

test.each([
  ['lamp  shade', 'lamp shade'],
  ['"brass  lamp" shade', '"brass lamp" shade'],
  ['“wireless earbuds” «a b» „c d“', '"wireless earbuds" "a b" "c d"'],
  ['-lamp −shade ab-cd', '-lamp -shade ab-cd'],
  ['casio OR seiko price:<30', 'casio OR seiko price:<30'],
  ['(casio OR seiko) (-used)', 'casio OR seiko -used'],
  ['a OR (b c)', 'a OR (b c)'],
  ['-(a OR b)', '-(a OR b)'],
  ['-(-a)', 'a'],
  ['cheap AND good or not', 'cheap good or not'],
  ['27" monitor (2 pack)', '27" monitor 2 pack'],
  ['foo(bar) :)', '"foo(bar)" ":)"'],
  ['a) b', '"a)" b'],
  ['Size: large 11:30', 'Size: large 11:30'],
  ['b0abcdefgh', 'asin:B0ABCDEFGH'],
  ['https://www.amazon.com/Some-Lamp/dp/B0ABCDEFGH/ref=sr_1?x=1', 'asin:B0ABCDEFGH'],
  ['Price:<10 STARS:4 seen:1d', 'price:<10 rating:>=4 new:<=1d'],
  ['price<10 off≥50', 'price:<10 off:>=50'],
  ['price：＜１０', 'price:<10'],
  ['prime:true list:no condition:refurbished,used', 'prime:yes list:none condition:renewed,used'],
  ['brand:"black + decker",=Casio', 'brand:"black + decker",=Casio'],
  ['(brand:a(b) lamp)', 'brand:"a(b)" lamp'],
  ['lamp sort:cheapest', 'lamp sort:price'],
  ['off:50,60', 'off:>=50,>=60'],
  ['off:>=50,60', 'off:>=50,>=60'],
  ['reviews:100,200', 'reviews:>=100,>=200'],
  ['reviews:1,234,567', 'reviews:>=1,>=234,>=567'],
  ['price:5,10,20', 'price:<=5,<=10,<=20'],
  ['price:4,5', 'price:<=4,<=5'],
  ['price:10,20', 'price:<=10.2'],
  ['price:1.234,50 price:1,234.50', 'price:<=1234.5 price:<=1234.5'],
  ['price:1,234', 'price:<=1234'],
  ['price:1,234,50', 'price:<=1,<=234,<=50'],
  ['price:9,99..19,99', 'price:9.99..19.99'],
  ['price:10,', 'price:<=10'],
  ['price:5..10,20..30', 'price:5..10,20..30'],
  ['price:=10,=20', 'price:=10,=20'],
  ['rating:4,5', 'rating:>=4.5'],
  ['rating:3,4,5', 'rating:>=3,>=4,>=5'],
])('%s means %s', (text, canonical) => {
  expect(printed(text)).toBe(canonical)
})

test.each([
  ['', ''],
  [' - ', ''],
  ['""', ''],
  ['lamp -', 'lamp'],
  ['lamp "', 'lamp'],
  ['lamp "brass', 'lamp brass'],
  ['lamp "lamps', 'lamp "lamps"'],
  ['lamp OR', 'lamp'],
  ['OR lamp', 'lamp'],
  ['lamp (', 'lamp'],
  ['lamp (brass', 'lamp brass'],
  ['lamp price:', 'lamp'],
  ['lamp price:<', 'lamp'],
  ['lamp pri: ', 'lamp'],
  ['lamp -bran:', 'lamp'],
  ['pri: lamp', 'lamp'],
  ['lamp note:', 'lamp note:'],
  ['lamp price:10..', 'lamp price:>=10'],
  ['lamp brand:cas', 'lamp brand:cas'],
  ['lamp brand:a,', 'lamp brand:a'],
  ['lamp prime:y', 'lamp'],
  ['lamp OR price:<ten', 'lamp'],
])("half-typed '%s' means '%s'", (text, canonical) => {
  expect(printed(text)).toBe(canonical)
})

test.each([
  ['lamp price:<ten', 'price:<ten', 'error', "'price:<ten' needs a number, e.g. price:<10", 'price:<10'],
  [
    '-price:10..5',
    'price:10..5',
    'error',
    "'price:10..5' needs the lower end first, e.g. price:5..10",
    'price:5..10',
  ],
  ['off:150', 'off:150', 'error', "'off:150' needs a number up to 100, e.g. off:>=100", 'off:>=100'],
  ['new:2', 'new:2', 'error', "'new:2' needs a duration, e.g. new:2h", 'new:2h'],
  ['new:=2h', 'new:=2h', 'error', "'new:=2h' needs a comparison, e.g. new:<=2h", 'new:<=2h'],
  ['ends:today', 'ends:today', 'error', "'ends:today' needs a duration, e.g. ends:<2h", 'ends:<2h'],
  [
    'condition:used,refurb',
    'condition:used,refurb',
    'error',
    "'condition:refurb' needs one of new, renewed, used, unknown, e.g. condition:renewed",
    'condition:used,renewed',
  ],
  [
    'asin:B0-12',
    'asin:B0-12',
    'error',
    "'asin:B0-12' needs up to ten letters and digits, e.g. asin:B012",
    'asin:B012',
  ],
  ['brand: x', 'brand:', 'error', "'brand:' needs a text, e.g. brand:casio", 'brand:casio'],
  [
    'sort:disc',
    'sort:disc',
    'error',
    "'sort:' needs one of newest, discount, price, discord, updated, best.",
    'sort:discount',
  ],
  ['sort:price sort:newest', 'sort:newest', 'error', 'A question has one sort; the first counts.', null],
  ['-sort:price', '-sort:price', 'notice', 'A sort can not be reversed by a hyphen.', null],
  [
    'is:hidden',
    'is:hidden',
    'error',
    "'is:hidden' needs the rights of an administrator, e.g. is:sample",
    'is:sample',
  ],
  [
    'is:hidden,sample',
    'is:hidden,sample',
    'error',
    "'is:hidden' needs the rights of an administrator, e.g. is:sample",
    'is:sample',
  ],
  [
    'prize:<10',
    'prize:<10',
    'notice',
    "'prize:' is not a field, so this is looked for as text.",
    'price:<10',
  ],
  ['Re:Zero', 'Re:Zero', 'notice', "'Re:' is not a field, so this is looked for as text.", '"Re:Zero"'],
  [
    'price:10,20',
    'price:10,20',
    'notice',
    "'price:10,20' is read as price:<=10.2; its other meaning is written price:<=10,<=20",
    'price:<=10,<=20',
  ],
  [
    'price:<1,234',
    'price:<1,234',
    'notice',
    "'price:<1,234' is read as price:<1234; its other meaning is written price:<1,<=234",
    'price:<1,<=234',
  ],
  [
    'rating:4,5',
    'rating:4,5',
    'notice',
    "'rating:4,5' is read as rating:>=4.5; its other meaning is written rating:>=4,>=5",
    'rating:>=4,>=5',
  ],
  [
    'reviews:1,234',
    'reviews:1,234',
    'notice',
    "'reviews:1,234' is read as reviews:>=1,>=234; its other meaning is written reviews:>=1234",
    'reviews:>=1234',
  ],
  ['a OR', 'OR', 'error', 'OR needs something on both sides; in small letters it is a word.', 'or'],
  [
    'lamp sort:price OR shade',
    'OR',
    'error',
    'OR needs something on both sides; in small letters it is a word.',
    'or',
  ],
  [
    'lamp OR sort:price shade',
    'OR',
    'error',
    'OR needs something on both sides; in small letters it is a word.',
    'or',
  ],
  ['lamp (a', '(', 'notice', 'The closing parenthesis is missing; it is taken to be at the end.', null],
  ['lamp "a', '"', 'notice', 'The closing quotation mark is missing; the phrase goes to the end.', null],
] as const)("of '%s' the part '%s' is named", (text, part, severity, message, suggestion) => {
  const { problems } = parseQuestion(text)
  expect(problems).toEqual([
    {
      start: text.lastIndexOf(part),
      end: text.lastIndexOf(part) + part.length,
      severity,
      message,
      suggestion,
    },
  ])
})

test('a comma that can have one meaning only is nothing to point out', () => {
  for (const text of [
    'off:50,60',
    'price:1,234.50',
    'price:1.234,50',
    'price:5,10,20',
    'price:4,5',
    'price:10,',
  ])
    expect(parseQuestion(text).problems, text).toEqual([])
})

test('a term and a token know where they stand in the text as typed, what is left out too', () => {
  const text = ' lamp  -price:<ten (a OR -"b c") x OR y sort:price'
  const { terms, tokens } = parseQuestion(text)
  const at = ({ start, end }: { start: number; end: number }) => text.slice(start, end)
  expect(terms.map((term) => [at(term), term.field, term.condition !== null])).toEqual([
    ['lamp', null, true],
    ['-price:<ten', 'price', false],
    ['(a OR -"b c")', null, true],
    ['x OR y', null, true],
    ['sort:price', 'sort', false],
  ])
  expect(tokens.map((token) => [at(token), token.field, token.isUnderstood])).toEqual([
    ['lamp', null, true],
    ['price:<ten', 'price', false],
    ['a', null, true],
    ['"b c"', null, true],
    ['x', null, true],
    ['y', null, true],
    ['sort:price', 'sort', true],
  ])
  expect(tokens[1]?.valueStart).toBe(text.indexOf('<ten'))
})

test('is:hidden is understood of an administrator', () => {
  const { question, problems } = parseQuestion('-is:hidden lamp', { isAdministrator: true })
  expect(printQuestion(question)).toBe('-is:hidden lamp')
  expect(problems).toEqual([])
})
