import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import { parseColumnMap } from './corrections.ts'
import type { RowResult } from './deal-row.ts'
import { recognition } from './fields.ts'
import { sentBodies } from './limits.ts'

type Row = Record<string, unknown>

/** Hands the rows in as the pieces that a network may make of them. */
async function read(rows: readonly Row[], options: { domain?: string; map?: string } = {}) {
  const marketplace = marketplaceByDomain(options.domain ?? 'amazon.com')
  if (!marketplace) throw new Error('That is no marketplace')
  const source = async function* () {
    for (let from = 0; from < rows.length; from += 250) {
      const lines = rows.slice(from, from + 250).map((row) => JSON.stringify(row))
      yield Buffer.from(`${lines.join('\n')}\n`)
    }
  }
  const overrides = parseColumnMap(options.map ?? '')
  const body = new Body(source(), { marketplace, overrides, availability: '', limits: sentBodies })
  const results: RowResult[] = []
  for await (const batch of body.batches()) for (const { result } of batch) results.push(result)
  const deals = results.flatMap(({ deal }) => deal ?? [])
  return {
    mapping: body.mappedNames(),
    notes: body.notes(),
    deals,
    prices: deals.map(({ price }) => price),
    originals: deals.map(({ original_price }) => original_price),
    reasons: results.flatMap(({ refusal }) => refusal?.reason ?? []),
  }
}

const asin = (at: number) => `B0${String(at).padStart(8, '0')}`
/** Two rows with these columns beside ID and title; where a list is given, its first and second. */
const rows = (columns: Record<string, unknown>): Row[] =>
  [0, 1].map((at) => ({
    asin: asin(at),
    title: `Folding lantern, colour ${at}`,
    ...Object.fromEntries(
      Object.entries(columns).map(([name, value]) => [name, Array.isArray(value) ? value[at] : value]),
    ),
  }))

describe('without a column named as the price', () => {
  test.each([
    ['an address', { guid: 'https://www.amazon.com/x?i=B000000029', note: '$5 gift' }],
    ['a delivery', { when: ['Delivery Mon, Sep 29', 'Delivery $5'] }],
    ['a coupon', { badge: ['Save $5.00', 'Save $6.00'] }],
    ['a shipping', { info: ['$35 of items shipped', '$35 of items shipped'] }],
    ['a price of a unit', { line: ['$0.54/Ounce', '$0.60/Ounce'] }],
    ['a number without a currency', { amps: ['12.50', '13.50'], tail: '$ sign' }],
    ['money whose name says otherwise', { shipping_cost: '$4.99' }],
    ['an average', { avg_30_price: '$12.99' }],
  ])('%s does not become it', async (_name, columns) => {
    const { mapping, reasons, notes } = await read(rows(columns))
    expect(mapping.price).toBeUndefined()
    expect(reasons).toEqual(['no price column found', 'no price column found'])
    expect(notes[0]).toMatch(/^No price column found/)
  })

  test('a column of money alone does, and is named', async () => {
    const { prices, notes } = await read(rows({ betrag: ['$12.50', 'Now $13.50'], weight: ['12.5', '13'] }))
    expect(prices).toEqual([12.5, 13.5])
    expect(notes).toEqual([expect.stringMatching(/^The price is taken from betrag: .*map=price=/)])
  })

  test('of two such columns neither does; both are named, and map= decides', async () => {
    const two = rows({ betrag: ['$12.50', '$13.50'], vorher: ['$20', '$21'] })
    const { reasons, notes } = await read(two)
    expect(reasons).toHaveLength(2)
    expect(notes).toEqual([
      'No price column found. Columns that might be meant: betrag, vorher. Say which with map=price=betrag.',
    ])
    const said = await read(two, { map: 'price=betrag' })
    expect(said).toMatchObject({ prices: [12.5, 13.5], notes: [] })
  })

  test('a named column that comes late takes over from a guess', async () => {
    const early = Array.from({ length: 250 }, (_, at) => ({
      asin: asin(at),
      title: 'Lamp, blue',
      betrag: '$9',
    }))
    const late = Array.from({ length: 20 }, (_, at) => ({
      ...{ asin: asin(900 + at), title: 'Lamp, red', betrag: '$9', price: 4 },
    }))
    const { prices, notes } = await read([...early, ...late])
    expect([prices[0], prices.at(-1)]).toEqual([9, 4])
    expect(notes).toHaveLength(1)
  })
})

describe('a column that means before', () => {
  test.each([
    'listed price',
    'actual_price',
    'List',
    'MRP',
    'was_price',
    'original_price',
    'RRP',
    'UVP',
    'Prix conseillé',
  ])('%s is the price only when no other column holds money', async (name) => {
    const alone = await read(rows({ [name]: ['20.00', '21.00'] }))
    expect(alone.prices).toEqual([20, 21])
    expect(alone.notes).toEqual([expect.stringContaining(`The price is taken from ${name}, though`)])
    const beside = await read(rows({ [name]: ['20.00', '21.00'], offer: ['$9', '$8'] }))
    expect(beside).toMatchObject({ prices: [9, 8], originals: [20, 21] })
    const saved = await read(rows({ [name]: ['20.00', '21.00'], you_save: ['$9', '$8'] }))
    expect(saved.reasons).toEqual(['no price column found', 'no price column found'])
  })

  test.each([
    [{ 'New: 30 days avg.': ['18.99', '17.99'] }, undefined],
    [{ 'New: 30 days avg.': ['18.99', '17.99'], 'Amazon: Current': ['21.99', '20.99'] }, 'Amazon: Current'],
    [{ 'Amazon: Current': [21.99, 20.99], 'Buy Box: Current': [19.99, 18.99] }, 'Buy Box: Current'],
  ])('it is none beside numbers that might be meant: %j', async (columns, price) => {
    const { mapping } = await read(rows({ 'List Price: Current': ['30.00', '31.00'], ...columns }))
    expect([mapping.price, mapping.original_price]).toEqual([price, 'List Price: Current'])
  })

  test('a list of something else is no column of prices', async () => {
    const { mapping } = await read(rows({ price: 5, eanList: [9, 8] }))
    expect(mapping.original_price).toBeUndefined()
  })
})

describe('a currency in a column name', () => {
  test.each(['price_eur', 'priceEUR', 'Price (EUR)', 'Preis in €', 'eur_price', 'price.EUR.amount'])(
    '%s is that of its amounts',
    async (name) => {
      const there = await read(rows({ [name]: [5, 6] }), { domain: 'amazon.de' })
      expect(there.prices).toEqual([5, 6])
      const here = await read(rows({ [name]: [5, 6] }))
      expect(here.reasons).toEqual(['another currency: EUR', 'another currency: EUR'])
    },
  )

  test('of several columns the own one counts', async () => {
    const columns = { price_usd: 5, price_eur: 4, list_price_usd: 9, list_price_eur: 8 }
    expect(await read(rows(columns))).toMatchObject({ prices: [5, 5], originals: [9, 9] })
    const there = await read(rows(columns), { domain: 'amazon.de' })
    expect(there).toMatchObject({ prices: [4, 4], originals: [8, 8] })
  })
})

describe('what a file states and nobody is shown', () => {
  test('is counted in the notes', async () => {
    const stated = [
      { price: '$10', list_price: 'with 2000 Watt' },
      { price: '$2', list_price: '$39.98', title: 'Chocolate 50 g' },
      { price: '$10', list_price: '$1,001' },
      { price: '$10', list_price: '$101' },
      { price: '$10', discount: '15% off', image: 'https://ir-na.amazon-adsystem.com/e/ir?a=B000000001' },
      { price: '$10', list_price: '$20', discount: '50%', title: 'Folding lanternFolding lantern' },
    ]
    const { originals, notes, deals } = await read(
      stated.map((row, at) => ({
        asin: asin(at),
        title: 'Lamp, blue',
        list_price: '',
        discount: '',
        ...row,
      })),
    )
    expect(originals).toEqual([null, null, null, 101, null, 20])
    expect(deals.at(-1)?.title).toBe('Folding lantern')
    expect(notes).toEqual([
      'Original prices not believed: 1, price of a unit (a kilogram or litre, not the item).',
      'Original prices not believed: 1, number in a text (a name or sentence, not an amount).',
      'Original prices not believed: 1, more than 100 times the price.',
      'Original prices above 10 times the price, shown as stated: 1.',
      'Discounts stated without an old price, not shown: 1.',
      'Titles that said the same twice, halved: 1.',
      'Picture addresses not taken: 1 (ir-na.amazon-adsystem.com 1).',
    ])
  })

  test.each([
    ['2 for $30', 'the price is for several together'],
    ['$0.54/Ounce', 'the price is per unit'],
    ['$41.58/mo', 'the price is an instalment'],
    ['Save $5.00', 'the price cell states a saving only'],
  ])('a price of %j is refused', async (price, reason) => {
    const { prices, reasons } = await read(rows({ price: ['$5', price] }))
    expect([prices, reasons]).toEqual([[5], [reason]])
  })

  test('shipping by another service is not Prime', async () => {
    const { mapping } = await read(
      rows({ price: 5, isEligibleForSuperSaverShipping: true, free_shipping: true }),
    )
    expect(mapping.prime_eligible).toBeUndefined()
  })
})

describe('prices in a column with a known name', () => {
  const others = [
    ['list_price', '$99.99'],
    ['mrp', 'MRP: ₹500'],
    ['guid', 'https://www.amazon.com/dp/x?B000000029'],
    ['delivery', 'FREE delivery Mon, Sep 29'],
    ['coupon', 'Save $5.00'],
    ['shipping_price', '$4.99'],
    ['unit_price', '$0.54/Ounce'],
    ['betrag', '$3.33'],
    ['discount', '15% off'],
    ['avg_30_price', '7.77'],
    ['price_eur', '6.66'],
    ['monthly_price', '2.22'],
    ['walmart_price', '$4.44'],
    ['yesterday_price', '1.11'],
    ['eur_list_price', '€88.88'],
    ['expired', '2099-12-31'],
  ] as const
  const price = fc.integer({ min: 1, max: 999_999_899 }).map((cents) => cents / 100)
  const written = [
    (amount: number) => amount,
    (amount: number) => amount.toFixed(2),
    (amount: number) => `$${amount.toFixed(2)}`,
    (amount: number) => `US$ ${amount.toFixed(2)}`,
    (amount: number) => `USD ${amount.toFixed(2)}`,
    (amount: number) => `$${amount.toLocaleString('en', { minimumFractionDigits: 2 })}`,
    (amount: number) => `${amount.toLocaleString('en', { minimumFractionDigits: 2 })} USD`,
    (amount: number) => `${amount.toFixed(2)} $`,
    (amount: number) => `Now only $${amount.toFixed(2)}!`,
    (amount: number) => ({ value: amount, currency: 'USD' }),
    (amount: number) => ({ amount: amount.toFixed(2), symbol: '$', display: `$${amount.toFixed(2)}` }),
  ]

  test('are read as they stand, whatever stands beside them', async () => {
    const named = fc.constantFrom(...recognition.price.names)
    const beside = fc.subarray([...others])
    const style = fc.constantFrom(...written)
    await fc.assert(
      fc.asyncProperty(
        ...([named, beside, style, fc.array(price, { minLength: 1, maxLength: 30 }), fc.boolean()] as const),
        async (name, columns, write, prices, isLast) => {
          const rest = Object.fromEntries(columns)
          const file = prices.map((amount, at) => ({
            ...{ asin: asin(at), title: `Folding lantern 50 g, colour ${at}` },
            ...(isLast ? { ...rest, [name]: write(amount) } : { [name]: write(amount), ...rest }),
          }))
          const found = await read(file)
          expect(found.reasons).toEqual([])
          expect(found.prices).toEqual(prices)
          expect(found.mapping.price).toBe(name)
        },
      ),
      { numRuns: 300 },
    )
  })
})
