import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { Body } from './body.ts'
import { sentBodies } from './limits.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found
const whole = 'B0ABCD1299,Mug,7.50,4.5'

/** What a row of such a CSV becomes, a whole one behind it: its price, or why it is refused. */
async function read(row: string, header = 'asin,title,price,rating') {
  const source = async function* () {
    yield Buffer.from([header, row, whole].join('\n'))
  }
  const body = new Body(source(), {
    ...{ marketplace, overrides: [], availability: '', limits: sentBodies },
  })
  for await (const batch of body.batches()) {
    const result = batch[0]?.result
    return result?.deal?.price ?? result?.refusal?.reason
  }
  return undefined
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
