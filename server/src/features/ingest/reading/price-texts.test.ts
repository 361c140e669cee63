import { describe, expect, test } from 'vitest'
import { isMoneyAlone, readOriginal, readPrice } from './price-texts.ts'

describe('a price cell with more than its price', () => {
  test.each([
    ['Save $5.00 … $24.99', 24.99],
    ['$24.99 $5.00 off', 24.99],
    ['$5.99 ($0.50 / Count)', 5.99],
    ['$5.99 $0.54/Ounce', 5.99],
    ['Was $20 Now $15', 15],
    ['De: R$ 100,00 Por: R$ 80,00', 80],
    ['R$ 129,90 em até 10x de R$ 12,99', 129.9],
    ['$19.99 & FREE Shipping', 19.99],
    ['MRP: ₹500', 500],
    ['$5/each', 5],
    ['ab 20 €', 20],
    ['Starting from $20', 20],
    ['Buy new: $9', 9],
    ['$1,299.99$1,499.99', 1299.99],
    ['$9.99 (Pack of 3)', 9.99],
    ['9.99 (pack of 12)', 9.99],
    ['$9.99 3-Pack', 9.99],
    ['Set of 2: $9.99', 9.99],
    ['à partir de 20 €', 20],
    ['-25% $8.99', 8.99],
    ['Pack of 3 $9.99', 9.99],
    ['Pack of 3 $ 9.99', 9.99],
    ['$19.99 + $3 shipping', 19.99],
    ['Free shipping $19.99', 19.99],
    ['$19.99 (was $29.99)', 19.99],
    ['$5 to $9', 5],
    ['19.99 25% off', 19.99],
    ['9,99 € inkl. MwSt.', 9.99],
    ['₹500/-', 500],
    ['20,- €', 20],
    ['Price - $5', 5],
    ['5 - 9', 5],
    ['5 - 9 €', 5],
    ['5 to 9 €', 5],
    ['Deal $15, $20', 15],
    ['Pack of 5 - $9.99', 9.99],
    ['19,99-29,99 €', 19.99],
    ['$19.99$19.99', 19.99],
    ['19,99&nbsp;&euro;', 19.99],
    ['<span>$19</span><sup>99</sup>', 19.99],
    ['â‚¬5', 5],
    ['19,99 €19,99 €', 19.99],
    ['Sale price $19.99Regular price $29.99', 19.99],
    ['Original price was: $29.99.Current price is: $19.99.', 19.99],
    ['₹ 1,299 M.R.P: ₹1,999 (35% off)', 1299],
    ['\u200f٤٩٫٠٠ ر.س.\u200f', 49],
    ['3.99-5.99', 3.99],
  ])('%j costs %d', (text, amount) => {
    expect(readPrice(text, '.')).toMatchObject({ amount })
  })

  test.each([
    ['2 for $30', 'several'],
    ['2 for 30', 'several'],
    ['$30 for 2', 'several'],
    ['3 für 10 €', 'several'],
    ['2/$5', 'several'],
    ['Coupon: $5', 'unclear'],
    ['Used - Good: $5', 'unclear'],
    ['Ships for $5', 'unclear'],
    ['1 used from $5', 'unclear'],
    ['$50 $40', 'unclear'],
    ['20% off $50 = $40', 'unclear'],
    ['$10-$2', 'unclear'],
    ['$0.54/Ounce', 'unit'],
    ['€ 1,99 / kg', 'unit'],
    ['0,54 €/100 g', 'unit'],
    ['$3.99 per lb', 'unit'],
    ['$41.58/mo', 'instalment'],
    ['$41.58/mo (36 months)', 'instalment'],
    ['12x de R$ 10,00', 'instalment'],
    ['41,58 € pro Monat', 'instalment'],
    ['Save $5.00', 'saving'],
    ['$5 off', 'saving'],
    ['$9.99 per 100 g', 'unit'],
    ['9.99 per 100 g', 'unit'],
    ['4,99 / 100 ml', 'unit'],
    ['3 packs for $30', 'unclear'],
    ['$30 for 3 pack', 'several'],
    ['$9.99 weekly', 'instalment'],
    ['Shipping $5', 'extra'],
    ['Only $3.99 shipping $19.99', 'extra'],
    ['$5 tax', 'extra'],
    ['$19.99.99', 'unclear'],
    ['1,29,99', 'unclear'],
    ['12.34.567', 'unclear'],
    ['$1.5K', 'unclear'],
    ['$1.5 million', 'unclear'],
    ['Rs 2 lakh', 'unclear'],
    ['19·99', 'unclear'],
    ['19€99', 'unclear'],
    ['19½', 'unclear'],
    ['$1.299', 'unclear'],
    ['2026-11-25', 'unclear'],
    ['25.11.2026', 'unclear'],
    ['11/25/2026', 'unclear'],
    ['Nov 25', 'unclear'],
    ['23:59', 'unclear'],
    ['555-123-4567', 'unclear'],
    ['+1 555 123 4567', 'unclear'],
    ['up to $5', 'unclear'],
    ['~$5', 'unclear'],
    ['+$5', 'unclear'],
    ['$5 gift card', 'unclear'],
    ['$5 with coupon', 'unclear'],
    ['$5/box', 'unclear'],
    ['Heater $20', 'unclear'],
    ['$20 9', 'unclear'],
    ['5-9 €', 'unclear'],
    ['Was $20 Now 12.50', 'unclear'],
    ['12.50 was $30', 'unclear'],
    ['$19\n99', 'unclear'],
    ['$19 , 99', 'unclear'],
    ['29,99 €19,99 €', 'unclear'],
  ])('%j is no price: %s', (text, reason) => {
    expect(readPrice(text, '.')).toBe(reason)
  })

  test.each(['15% off', 'call us', '', 'Pack of 3', '3-pack'])('%j has no amount', (text) => {
    expect(readPrice(text, '.')).toBeNull()
  })
})

test.each([
  ['List Price: $29.99', 29.99],
  ['M.R.P.: ₹2,999', 2999],
  ['UVP des Herstellers: 20 €', 20],
  ['Cena katalogowa: 20 zł', 20],
  ['statt 20 €', 20],
  ['29.99', 29.99],
])('the original price %j is %d', (text, amount) => {
  expect(readOriginal(text, '.')).toMatchObject({ amount })
})

test.each([
  ['Heater with 2000 Watt', 'text'],
  ['Trail 128 GB phone', 'text'],
  ['A set of pans, $20 at most in any shop of ours', 'text'],
  ['39,98 €/kg', 'unit'],
  ['15% off', null],
])('%j is no original price: %s', (text, reason) => {
  expect(readOriginal(text, ',')).toBe(reason)
})

test('money and nothing else', () => {
  const money = ['$12.50', '12,50 €', 'EUR 12.50', 'Rs. 1,299', 'Price: $5', 'Now only $5!', '$5 – $9']
  const others = [
    '12.50',
    'Save $5.00',
    '$35 of items shipped',
    'Delivery Mon, Sep 29',
    'Was $5',
    '$0.54/oz',
    '',
  ]
  expect([...money, ...others].filter(isMoneyAlone)).toEqual(money)
})
