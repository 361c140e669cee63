import { marketplaceByDomain, marketplaces } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import { currencyOf, isCurrencyOf } from './currencies.ts'
import { sentBodies } from './limits.ts'
import { readPrice } from './price-texts.ts'

/** What becomes of rows with these columns beside ID and title: a price, or the reason why not. */
async function read(
  columns: Record<string, unknown>,
  domain = 'amazon.com',
): Promise<Array<number | string>> {
  const marketplace = marketplaceByDomain(domain)
  if (!marketplace) throw new Error(`${domain} is no marketplace`)
  const rows = [1, 2].map((at) => ({ asin: `B0ABCD000${at}`, title: `Lantern number ${at}`, ...columns }))
  const source = async function* () {
    yield Buffer.from(JSON.stringify(rows))
  }
  const body = new Body(source(), { marketplace, overrides: [], availability: '', limits: sentBodies })
  const read: Array<number | string> = []
  for await (const batch of body.batches())
    for (const { result } of batch) read.push(result.deal?.price ?? result.refusal?.reason ?? '')
  return [...new Set(read)]
}

// The shops' own stand in other tests. All others, whichever shop reads them.
test.each([
  ['NZ$5', 'NZD'],
  ['nz$ 5', 'NZD'],
  ['NT$499', 'TWD'],
  ['HK$ 20', 'HKD'],
  ['₪50', 'ILS'],
  ['500 ₽', 'RUB'],
  ['500 руб.', 'RUB'],
  ['₫500', 'VND'],
  ['₱99', 'PHP'],
  ['฿99', 'THB'],
  ['RM50', 'MYR'],
  ['50 Rp', 'IDR'],
  ['CLP 5000', 'CLP'],
  ['CLP $500', 'CLP'],
  ['$500 COP', 'COP'],
  ['1 999 Ft', 'HUF'],
  ['199 Kč', 'CZK'],
  ['₴40', 'UAH'],
  ['Fr. 20', 'CHF'],
  ['₦500', 'NGN'],
  ['XY$5', 'XY$'],
])('%j is in %s, and no price of any shop', (text, currency) => {
  const price = readPrice(text, '.')
  expect(price).toMatchObject({ currency })
  for (const { currency: own } of marketplaces) expect(isCurrencyOf(currency, own)).toBe(false)
})

test.each([
  ['US$ 5', 'USD'],
  ['5 US$', 'USD'],
  ['$5 US', 'USD'],
  ['5 $ CA', 'CAD'],
  ['$5 CAD', 'CAD'],
  ['A$5', 'AUD'],
  ['$500 pesos', 'MXN'],
  ['40 zl', 'PLN'],
  ['12.50 (USD)', 'USD'],
  ['Price (EUR): 5', 'EUR'],
  ['税込1,280円', 'JPY'],
  ['$5 / €4', '$, EUR'],
  ['$5 (EUR 4)', '$, EUR'],
])('%j is in %s', (text, currency) => {
  expect(readPrice(text, '.')).toMatchObject({ currency })
})

test.each(['500 Taler', 'Taler 500', '$500 Taler', '$U 500', 'S/ 50', '€ or so 500'])(
  '%j is read in no currency at all',
  (text) => {
    const price = readPrice(text, '.')
    const own = typeof price === 'object' && price !== null && isCurrencyOf(price.currency, 'USD')
    expect(own).toBe(false)
  },
)

test('every code of ISO 4217 is the currency of its amount', () => {
  for (const code of Intl.supportedValuesOf('currency')) {
    expect(readPrice(`${code} 5`, '.')).toEqual({ amount: 5, currency: code })
    expect(readPrice(`5.00 ${code.toLowerCase()}`, '.')).toEqual({ amount: 5, currency: code })
  }
})

test('a bare $ is that of the shops that write it so', () => {
  const own = marketplaces.filter(({ currency }) => isCurrencyOf('$', currency)).map(({ domain }) => domain)
  expect(own).toEqual(['amazon.com', 'amazon.ca', 'amazon.com.mx', 'amazon.sg', 'amazon.com.au'])
})

test.each([
  ['usd', 'USD'],
  ['$', '$'],
  ['€', 'EUR'],
  ['₹', 'INR'],
  ['GPB', 'GPB'],
  ['US Dollar', 'USD'],
  ['USD ($)', 'USD'],
  ['Indian Rupees', 'INR'],
  ['Rupees', 'INR'],
  ['₽', 'RUB'],
  ['NZ$', 'NZD'],
  ['Taler', 'Taler'],
  ['978', '978'],
  ['USD/EUR', 'USD, EUR'],
  [' ', null],
])('a currency column’s %j is %s', (text, currency) => {
  expect(currencyOf(text)).toBe(currency)
})

describe('a currency beside a price', () => {
  test.each([
    [{ price: 5, currency: '₽' }, 'another currency: RUB'],
    [{ price: 5, currency: 'NZ$' }, 'another currency: NZD'],
    [{ price: 5, currency: 'Rupees' }, 'another currency: INR'],
    [{ price: 5, currency: 'none of ours' }, 'another currency: none of ours'],
    [{ price: 5, currency_id: 'EUR' }, 'another currency: EUR'],
    [{ price: 5, currencyIso: 'EUR' }, 'another currency: EUR'],
    [{ price: 5, currency: { code: 'EUR' } }, 'another currency: EUR'],
    [{ price: 5, symbol: '€' }, 'another currency: EUR'],
    [{ price: 5, cur: 'EUR' }, 'another currency: EUR'],
    [{ price_clp: 5 }, 'another currency: CLP'],
    [{ clp_price: 5 }, 'another currency: CLP'],
    [{ product_eur_price: 5 }, 'another currency: EUR'],
    [{ 'Price ₽': 5 }, 'another currency: RUB'],
    [{ price_usd: '€5' }, 'another currency: EUR, USD'],
    [{ price: { value: 5, symbol: '€' } }, 'another currency: EUR'],
    [{ price: { value: 5, code: 'EUR' } }, 'another currency: EUR'],
    [{ price: { now: 5, unit: '€' } }, 'another currency: EUR'],
    [{ price: { value: 5, unit: 'EUR' } }, 'another currency: EUR'],
    [{ price: { value: 5, currencyIso: 'EUR' } }, 'another currency: EUR'],
    [{ price: { value: 5, currency: { code: 'EUR' } } }, 'another currency: EUR'],
    [{ price: { value: 5, display: '€5.00' } }, 'another currency: EUR'],
    [{ price: { amount: '5', displayValue: '5,00 €' } }, 'another currency: EUR'],
    [{ price: { value: 5, unit: 'kg' } }, 'the price can’t be read beyond doubt'],
    [{ prices: [{ value: 5, symbol: '€' }] }, 'another currency: EUR'],
  ])('%j: %s', async (columns, reason) => {
    expect(await read(columns)).toEqual([reason])
  })

  test.each([
    [{ price: 5, currency: 'US Dollar' }, 5],
    [{ price: { value: 1.299, symbol: '$', currency: 'USD', raw: '$1.30' } }, 1.3],
    [{ price: { value: 5, currency: { code: 'USD', name: 'US Dollar' } } }, 5],
    [{ price: { value: '1,299.00', unit: '$' } }, 1299],
    [{ price: 5, list_price: '€9' }, 5],
  ])('%j is the shop’s own: %d', async (columns, price) => {
    expect(await read(columns)).toEqual([price])
  })

  test.each([
    [{ Amount: 1999, CurrencyCode: 'USD', FormattedPrice: '$19.99' }, 19.99],
    [{ Amount: '1999', CurrencyCode: 'USD', FormattedPrice: '$19.99' }, 19.99],
    [{ amount: 1999, currency: 'USD', savings: '$19.99' }, 1999],
    [{ value: 1999, raw: '$1,999' }, 1999],
    [{ amount: 1999, currency: 'USD', precision: 2 }, 'the price can’t be read beyond doubt'],
    [{ amount: 19.99, currency: 'USD', precision: 2 }, 19.99],
    [{ amount: 1999, currency: 'USD', scale: 0 }, 1999],
    [{ value: 0.54, raw: '$0.54 / Ounce' }, 'the price is per unit'],
    [{ value: 41.58, text: '$41.58/mo' }, 'the price is an instalment'],
  ])('an amount in an object is what the object shows it to be: %j', async (price, found) => {
    expect(await read({ price })).toEqual([found])
  })

  test('a bare $ is none of a shop in euros', async () => {
    expect(await read({ price: '$5' }, 'amazon.de')).toEqual(['another currency: $'])
    expect(await read({ price: 5, currency: '$' }, 'amazon.de')).toEqual(['another currency: $'])
    expect(await read({ 'Price ($)': 5 }, 'amazon.de')).toEqual(['another currency: $'])
    expect(await read({ price_us: 5 }, 'amazon.de')).toEqual(['another currency: USD'])
    expect(await read({ price: '$5' }, 'amazon.ca')).toEqual([5])
  })
})
