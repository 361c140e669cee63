import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { Body } from './body.ts'
import { sentBodies } from './limits.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found
const whole = 'B0ABCD1299,Mug,7.50,4.5'

/** What the first row of such a CSV becomes: its deal, or why it is refused. */
async function first(header: string, ...rows: string[]) {
  const source = async function* () {
    yield Buffer.from([header, ...rows].join('\n'))
  }
  const body = new Body(source(), {
    ...{ marketplace, overrides: [], availability: '', limits: sentBodies },
  })
  for await (const batch of body.batches()) return batch[0]?.result
  return undefined
}

/** What a row becomes, a whole one behind it: its price, or why it is refused. */
async function read(row: string, header = 'asin,title,price,rating') {
  const result = await first(header, row, whole)
  return result?.deal?.price ?? result?.refusal?.reason
}

test.each([
  'B0ABCD1231,Mug,12,99,4.5',
  'B0ABCD1231,Mug,1,299.00,4.5',
  'B0ABCD1231,Mug,$1,299,4.5',
  'B0ABCD1231,Mug,12,99 USD,4.5',
  'B0ABCD1231,Mug,1299,99,4.5',
  'B0ABCD1231,Mug,$1299,99,4.5',
  'B0ABCD1231,Mug,- 12,99,4.5',
  'B0ABCD1231,Mug,1 299,99,4.5',
  'B0ABCD1231,Mug,1.299,99,4.5',
  'B0ABCD1231,Mug,12,99',
  'B0ABCD1231,Mug,12,99,',
])('%s may have its price cut in two, and is refused', async (row) => {
  expect(await read(row)).toBe('a comma in a price stands without quotation marks')
})

test.each([
  ['B0ABCD1231,Mug,12.99,4.5,,', 12.99],
  ['B0ABCD1231,Mug,12,4.5', 12],
  ['B0ABCD1231,Mug,12,', 12],
  ['B0ABCD1231,Mug,"12,99",4.5', 12.99],
  ['B0ABCD1231,Mug, 12 oz,8.50,4.5', 8.5],
])('%s is whole, or lacks quotation marks elsewhere: %d', async (row, price) => {
  expect(await read(row)).toBe(price)
})

test.each([
  ['a count', 'asin,title,price,reviews', 'B0ABCD1231,Mug,12,99'],
  [
    'a rating of a hundred, whose row is whole',
    'asin,title,price,rating,url',
    'B0ABCD1231,Mug,12,99,https://www.amazon.com/dp/B0ABCD1231',
  ],
  ['what no field holds', 'asin,title,price,points', 'B0ABCD1231,Mug,12,99'],
])('two digits behind a price may be %s', async (_, header, row) => {
  expect(await read(row, header)).toBe(12)
})

test('a thousand with a decimal comma at the end of a row is refused', async () => {
  const reason = 'a comma in a price stands without quotation marks'
  expect(await read('B0ABCD1231,Mug,1299,99', 'asin,title,price')).toBe(reason)
})

test('a row without its title doesn’t take its price for one, and a number may be a title', async () => {
  expect(await read('B0ABCD1231,12.99,20.00')).toBe('the title is an amount')
  expect(await read('B0ABCD1231,$12,20.00')).toBe('the title is an amount')
  expect(await read('B0ABCD1231,1984,20.00')).toBe(20)
})

const [plain, withList] = ['asin,title,price,rating', 'asin,title,price,list_price,rating,reviews']

test.each([
  [plain, 'B0ABCD1231,Screen 15,6,7.99,4.5', 'Screen 15,6', 7.99],
  [plain, 'B0ABCD1231,Puzzle 1,000,7.99,4.5', 'Puzzle 1,000', 7.99],
  [plain, 'B0ABCD1231,Puzzle 1,000,20,4.5', 'Puzzle 1,000', 20],
  [plain, 'B0ABCD1231,Calendar, 2026,12.99,4.5', 'Calendar, 2026', 12.99],
  [plain, 'B0ABCD1231,Cable 1,5 m,7.99,4.5', 'Cable 1,5 m', 7.99],
  [plain, 'B0ABCD1231,Mug, blue,7.99,4.5,,', 'Mug, blue', 7.99],
  [plain, 'B0ABCD1231,Towels, 2-pack, 12,8.50,4.5', 'Towels, 2-pack, 12', 8.5],
  [withList, 'B0ABCD1231,Screen 15,6,7.99,10.99,4.5,120', 'Screen 15,6', 7.99],
  [withList, 'B0ABCD1231,Screen,7.99,10.99,4.5,1,234', 'Screen', 7.99],
  ['asin,title,price', 'B0ABCD1231,Screen 15,6,7.99', 'Screen 15,6', 7.99],
  ['asin,price,title', 'B0ABCD1231,7.99,Puzzle 1,000', 'Puzzle 1,000', 7.99],
  ['title,asin,price', 'Puzzle 1,000,B0ABCD1231,7.99', 'Puzzle 1,000', 7.99],
  ['asin;title;price', 'B0ABCD1231;Screen; 15;7,99', 'Screen; 15', 7.99],
])('the title of “%s” in %s is told from its price', async (header, row, title, price) => {
  const others = ['B0ABCD1299,Mug,7.50,4.5', 'B0ABCD1298,Cup,6.50,4.5'].map((other) =>
    header
      .split(/[,;]/)
      .map((name) => ({ asin: other.slice(0, 10), title: other.slice(11, 14), price: '7.50' })[name] ?? '4')
      .join(header.includes(';') ? ';' : ','),
  )
  expect((await first(header, row, ...others))?.deal).toMatchObject({ title, price })
})

test.each([
  [plain, 'B0ABCD1231,Pack, 4,20,4.5', 'a comma in a price stands without quotation marks'],
  [withList, 'B0ABCD1231,Lamp,20.00,4.5,120', 'a cell is missing'],
  [plain, 'Lamp,7.99,4.5', 'a cell is missing'],
])('of %s the row %s is refused, whatever it may have been meant as', async (header, row, reason) => {
  expect(await read(row, header)).toContain(reason)
})

test('where rows mostly hold more than the header names, what is beyond it is no part of a title', async () => {
  const rows = ['B0ABCD1232,Lego,9.99,4.5', 'B0ABCD1233,Lego 7,8.99,4.5', 'B0ABCD1234,Lego,7.99,4.5']
  const lego = (await first('asin,title,price', ...rows))?.deal
  expect(lego).toMatchObject({ title: 'Lego', price: 9.99 })
  const [either, ...others] = ['B0ABCD1231,Lego Set 42,19.99,4.5', ...rows]
  expect((await first('asin,title,price', either ?? '', ...others))?.refusal?.reason).toMatch(
    /can’t be told$/,
  )
})
