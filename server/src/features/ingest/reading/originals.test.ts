import { describe, expect, test } from 'vitest'
import { Originals } from './originals.ts'

const none = { values: [], isDoubtful: false }
const believed = (original: number, price: number, title = 'Folding lantern') =>
  new Originals().believed(original, price, title).amount

test.each([
  [20, 10],
  [129_900, 1299],
  [99.99, 1],
  [4995, 249],
])('%d beside a price of %d stays, however much that is off', (original, price) => {
  expect(believed(original, price)).toBe(original)
})

test.each([
  [39.98, 2, 'Chocolate 50 g'],
  [13.27, 1.99, 'Crisps, 150g bag'],
  [10.65, 7.99, 'Olive oil 750 ml'],
  [6.63, 1.99, 'Soap 2 x 150 ml'],
  [5.3, 1.59, 'Juice 0.3 L'],
  // A whole number of grams, more than ten times the price.
  [59.8, 2.99, 'Saffron'],
])('%d is what a kilogram or litre costs: %d, %s', (original, price, title) => {
  const originals = new Originals()
  expect(originals.believed(original, price, title).amount).toBeNull()
  expect(originals.notes(String)).toEqual([
    'Original prices not believed: 1, price of a unit (a kilogram or litre, not the item).',
  ])
})

test.each([
  [9.99, 4.99, 'Tea 500 g'],
  [20, 10, 'Lamp 40 lm'],
  [20, 10, 'Scale up to 5 kg'],
])('%d is no price of a unit: %d, %s', (original, price, title) => {
  expect(believed(original, price, title)).toBe(original)
})

describe('a usual reduction that fits the quantity too', () => {
  const bottle = [1080, 810, 'Steel bottle 750 ml'] as const
  const biscuits = [940, 846, 'Biscuits, 900 g'] as const

  test('stays, and is noted, where no other row shows prices of units', () => {
    const originals = new Originals()
    expect([originals.believed(...bottle), originals.believed(...biscuits)]).toEqual([
      { amount: 1080, isDoubtful: true },
      { amount: 940, isDoubtful: true },
    ])
    expect(originals.withdrawn()).toEqual(none)
    expect(originals.notes(String)).toEqual([
      'Original prices that may be of a kilogram or litre, shown as stated: 2.',
    ])
  })

  test('is withdrawn where as many others fit beyond doubt, before or behind it', () => {
    const originals = new Originals()
    originals.believed(...bottle)
    originals.believed(10.65, 7.99, 'Olive oil 750 ml')
    originals.believed(...biscuits)
    expect(originals.withdrawn()).toEqual(none)
    originals.believed(13.27, 1.99, 'Crisps, 150 g')
    expect(originals.withdrawn()).toEqual({ values: [], isDoubtful: true })
    expect(originals.notes(String)).toEqual([
      'Original prices not believed: 4, price of a unit (a kilogram or litre, not the item).',
    ])
  })

  test('is no certain one, in however many rows it stands', () => {
    const originals = new Originals()
    for (let count = 1; count <= 5_000; count++) {
      const price = count * 15
      expect(originals.believed(count * 20, price, 'Shampoo 750 ml').isDoubtful).toBe(true)
    }
    expect(originals.withdrawn().isDoubtful).toBe(false)
  })

  test.each([
    [29.67, 26.7, 'Dog food 900 g'],
    [179.98, 89.99, 'Shampoo 500 ml'],
    [50, 10, 'Tea 200 g'],
  ])('%d is none beside %d: %s', (original, price, title) => {
    expect(believed(original, price, title)).toBeNull()
  })
})

test('more than a hundred times the price is not believed, more than ten times is noted', () => {
  const originals = new Originals()
  expect(originals.believed(1001, 10, 'Lamp').amount).toBeNull()
  expect(originals.believed(991, 10, 'Lamp').amount).toBe(991)
  expect(originals.notes(String)).toEqual([
    'Original prices not believed: 1, more than 100 times the price.',
    'Original prices above 10 times the price, shown as stated: 1.',
  ])
})

describe('a value filled in where none was known', () => {
  const watching = (prices: readonly number[], original = 49.99) => {
    const originals = new Originals()
    for (const price of prices) originals.believed(original, price, 'Lamp')
    return originals
  }
  const eight = [10, 11, 12, 13, 14, 15, 16, 17]

  test('stands at ten different prices and below a fifth of them', () => {
    const originals = watching([...eight, 60, 70])
    expect(originals.withdrawn()).toEqual({ values: [49.99], isDoubtful: false })
    expect(originals.notes(String)).toEqual([
      'Original prices not believed: 8, filled-in value (49.99, also at prices above it).',
    ])
  })

  test.each([
    ['at nine prices', [...eight, 60, 60]],
    ['below fewer', [...eight, 18, 19, 60, 49.99]],
    ['below none', [...eight, 18, 19, 20, 21]],
  ])('%s it is none', (_name, prices) => {
    expect(watching(prices).withdrawn()).toEqual(none)
  })

  test('is found among many others', () => {
    const originals = watching([...eight, 60, 70])
    for (let cents = 1; cents < 50_000; cents++) originals.believed(cents / 100, 5000, 'Lamp')
    for (const price of [...eight, 60, 70]) originals.believed(49.99, price, 'Lamp')
    expect(originals.withdrawn()).toEqual({ values: [49.99], isDoubtful: false })
  })
})
