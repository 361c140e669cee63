import { expect, test } from 'vitest'
import { type PriceSpread, shareOfPrices } from './price-shares.ts'

/** Of ten deals two cost 3; four others 1 to 2, and four 2 to 4. */
const spread: PriceSpread = { common: [{ price: 3, share: 0.2 }], bounds: [1, 2, 4] }

test.each([
  ['all', 0, Infinity, 1],
  ['up to a bound', 0, 2, 0.4],
  ['up to a price between two bounds', 0, 2.5, 0.5],
  ['a common price alone', 3, 3, 0.2],
  ['from a common price on', 3, 10, 0.4],
  ['none below the first', 0, 0.99, 0],
  ['none above the last', 4.01, 9, 0],
  ['none from a higher to a lower one', 3.5, 1.5, 0],
])('the share of deals between two prices: %s', (_, from, to, share) => {
  expect(shareOfPrices(from, to, spread)).toBeCloseTo(share, 10)
})

test('where each deal has one of few prices there is nothing between them', () => {
  const few = {
    common: [
      { price: 1, share: 0.75 },
      { price: 2, share: 0.25 },
    ],
    bounds: [],
  }
  expect(shareOfPrices(0, 1, few)).toBe(0.75)
  expect(shareOfPrices(1.5, 9, few)).toBe(0.25)
})
