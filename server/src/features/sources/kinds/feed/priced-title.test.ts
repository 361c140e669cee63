import { describe, expect, test } from 'vitest'
import { pricedTitle, pricesInText } from './priced-title.ts'

describe('a title', () => {
  test.each<[string, string, string?, string?]>([
    ['Lantern - $12.99 (was $29.99)', 'Lantern', '$12.99', '$29.99'],
    ['Lantern for $12.99 + free shipping', 'Lantern', '$12.99'],
    ['Lantern (Reg. $40) only $25', 'Lantern', '$25', '$40'],
    ['Lantern: Rs. 1,549 (MRP Rs 2,199)', 'Lantern', 'Rs. 1,549', 'Rs 2,199'],
    ['Lampe 19,99 € statt 29,99 €', 'Lampe', '19,99 €', '29,99 €'],
    ['Lampe - 1.299,00 € (-30%)', 'Lampe', '1.299,00 €'],
    ['$12.99: Lantern with Hooks', 'Lantern with Hooks', '$12.99'],
    ['Lantern | $10.50 after $5 off coupon', 'Lantern', '$10.50'],
    ['Lantern $12.99 $24.99 (48% off)', 'Lantern', '$12.99', '$24.99'],
    ['2-Pack Lantern $12.99 ($6.50 each)', '2-Pack Lantern', '$12.99'],
    ['Lantern – £12.99 with code ABC123', 'Lantern – £12.99 with code ABC123', '£12.99'],
    ['Lantern $12.99 ($0.25/count)', 'Lantern', '$12.99'],
    ['Lantern at Rs.499/- (worth Rs.999/-)', 'Lantern', 'Rs.499', 'Rs.999'],
    ['Lantern CAD $12.99', 'Lantern', 'CAD $12.99'],
    ['Lantern $12.99 CAD', 'Lantern', '$12.99 CAD'],
    ['[48% off] Lantern', 'Lantern'],
    ['48% OFF: Lantern, blue (48% off)', 'Lantern, blue'],
  ])('%s', (raw, title, price, original) => {
    const { isOver, ...read } = pricedTitle(raw)
    expect(read).toEqual({ title, ...(price && { price }), ...(original && { original }) })
    expect(isOver).toBe(false)
  })

  test.each([
    '$5 off Lantern',
    'Save $20 on Lantern',
    '2 for $20 Lanterns',
    'Lantern under $25',
    'Lantern from $9.99',
    'Lantern at $0.50/oz',
    'Lantern $12.99 $24.99',
    'The $100 Start - a book',
    '$25 Credit with Lantern',
    'Lantern $12.99 and a lamp',
    'Lantern $12.99 - $24.99',
    'Lantern $12.99 $24.99 (20% off)',
    'Cocoa 85%',
    'The year 1984, 5 lanterns',
  ])('%s says no price beyond doubt, and stays as it is', (raw) => {
    expect(pricedTitle(raw).price).toBeUndefined()
    if (!raw.includes('off)')) expect(pricedTitle(raw).title).toBe(raw)
  })

  test('of a deal that is over says so', () => {
    expect(pricedTitle('[Expired] Lantern $9')).toEqual({ title: 'Lantern', price: '$9', isOver: true })
  })
})

describe('a title with a price tag glued to it', () => {
  test.each<[string, string, string, string?]>([
    [
      'Lantern LX730% offSpring Deal₹1,400.00₹1,40000M.R.P:₹2,000.00₹2,000.00',
      'Lantern LX7',
      '₹1,400.00',
      '₹2,000.00',
    ],
    [
      'Lantern QP/1030% offSpring Deal₹1,400.00₹1,40000M.R.P:₹2,000.00₹2,000.00',
      'Lantern QP/10',
      '₹1,400.00',
      '₹2,000.00',
    ],
    ['Pack of 48% offSpring Deal₹92.00₹9200M.R.P:₹100.00₹100.00', 'Pack of 4', '₹92.00', '₹100.00'],
    ['Lantern, blue₹240.00₹24000M.R.P:₹300.00₹300.00', 'Lantern, blue', '₹240.00', '₹300.00'],
    [
      '100% Cotton | For Tea & Bread₹240.00₹24000M.R.P:₹300.00₹300.00',
      '100% Cotton | For Tea & Bread',
      '₹240.00',
      '₹300.00',
    ],
    ['Combo Pack54% offSpring Deal₹231.00₹23100M.R.P:', 'Combo Pack', '₹231.00'],
    ['Lantern, Pack of 6$12.99$12.99List: $19.99$19.99', 'Lantern, Pack of 6', '$12.99', '$19.99'],
    ['LanternLimited time deal$12.99$1299', 'Lantern', '$12.99'],
    ['Lantern-35%Spring', 'Lantern-35%Spring', ''],
  ])('%s', (raw, title, price, original) => {
    const read = pricedTitle(raw)
    expect(read).toEqual({ title, isOver: false, ...(price && { price }), ...(original && { original }) })
  })

  test('is none when something else stands behind the amounts', () => {
    const raw = 'Lantern $12.99$12.99 and a lamp'
    expect(pricedTitle(raw).title).toBe(raw)
  })
})

describe('a text', () => {
  test.each<[string, string?, string?]>([
    ['List Price: $29.99\nDeal Price: $12.99\nYou Save: $17.00 (57%)', '$12.99', '$29.99'],
    ['Just $12.99. Free delivery on orders over $35.', '$12.99'],
    ['Now only £9, a $50 value', '£9', '$50'],
    ['It is $12.99, was $29.99', '$12.99', '$29.99'],
    ['Price: $29.99\nDeal price: $12.99', '$12.99', '$29.99'],
    ['Price: $12.99\nCompare at $29.99', '$12.99', '$29.99'],
    ['Current price: $12.99, previous price: $29.99', '$12.99', '$29.99'],
    ['Dropped from $29.99 to $12.99', '$12.99', '$29.99'],
    ['Get it for $24.99 $12.99 (48% off)', '$12.99', '$24.99'],
    ['Now $12.99 here. It sells for $29.99 elsewhere.', '$12.99'],
    ['Now $12.99 for members. Now $14.99 for others'],
    ['Price: $12.99. Now $14.99 in blue'],
    ['From $12.99 to $29.99 by size'],
    ['One is $12.99, another is $14.99'],
    ['Save $5 with shipping $2'],
    ['A fine lamp\n$12.99\nfor all who walk at night', '$12.99'],
    ['The $100 Start is a book'],
    ['Twelve lanterns'],
  ])('%s', (text, price, original) => {
    expect(pricesInText(text)).toEqual({ ...(price && { price }), ...(original && { original }) })
  })
})
