import { expect, test } from 'vitest'
import { parseQuestion } from './parsing.ts'
import { sayQuestion } from './words.ts'

const say = (text: string) => sayQuestion(parseQuestion(text, { isAdministrator: true }).question)

test.each([
  ['', ''],
  ['price:<10 off:>=50 prime:yes -refurbished', "under 10, at least 50 % off, Prime, not 'refurbished'"],
  ['price:5..10', '5 to 10'],
  ['price:any off:>=0 rating:ANY reviews:any', 'at any price, discounted, rated, with reviews'],
  ['price:=9.99 rating:>4 reviews:<=2k', 'exactly 9.99, rated over 4, at most 2000 reviews'],
  [
    'new:<2h checked:1d updated:today',
    'first seen less than 2 hours ago, checked within the last 1 day, changed today',
  ],
  ['new:>1d ends:<2h', 'first seen more than 1 day ago, ends in less than 2 hours'],
  ['new:1d..3d ends:1h', 'first seen 1 day to 3 days ago, ends within 1 hour'],
  ['brand:casio,=Seiko category:watches', "brand 'casio' or exactly 'Seiko', category 'watches'"],
  ['condition:new,unknown list:none', 'new or of unknown condition, without a list price'],
  [
    'asin:B0 title:lamp is:sample -is:hidden prime:no',
    "ASIN B0, title 'lamp', a sample, not hidden, not Prime",
  ],
  ['-prime:yes', 'not Prime'],
  ['-prime:no -list:none -list:has', 'Prime, with a list price, without a list price'],
  ['-condition:unknown', 'of known condition'],
  ['-condition:used,unknown', 'not used and of known condition'],
  [
    'verdict:lowest,new low:90d typical:20 drop:>=10% since:<7d',
    'at its lowest in 90 days or too early to judge, at its low of 90 days, at least 20 % under its typical price, price fell by at least 10 %, price fell less than 7 days ago',
  ],
  ['-verdict:raised,listnotseen', 'not raised before its discount and without a list price not seen'],
  [
    'typical:any drop:any low:year sort:best',
    'under its typical price, price fell, at its low of a year, most under the typical price first',
  ],
  ['casio OR seiko', "'casio' or 'seiko'"],
  ['casio OR (a b) -(c d) x', "('casio' or ('a', 'b')), not ('c', 'd'), 'x'"],
  ['watches -batteries "watches"', "any form of 'watches', not any form of 'batteries', 'watches'"],
  ['lamp sort:discount', "'lamp', largest discount first"],
])("'%s' is said as '%s'", (text, words) => {
  expect(say(text)).toBe(words)
})

test('money is said as the page shows it, and nothing else is', () => {
  const { question } = parseQuestion('price:5..10 off:20')
  expect(sayQuestion(question, { money: (amount) => `$${amount.toFixed(2)}` })).toBe(
    '$5.00 to $10.00, at least 20 % off',
  )
})
