import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import { sentBodies } from './limits.ts'

type Row = Record<string, unknown>

/** What becomes of rows where those of other shops are marked, as sources have it, or else refused. */
async function read(rows: Row[], marksOtherShops = true, domain = 'amazon.com') {
  const marketplace = marketplaceByDomain(domain)
  if (!marketplace) throw new Error(`${domain} is no marketplace`)
  const source = async function* () {
    yield Buffer.from(JSON.stringify(rows))
  }
  const options = { marketplace, overrides: [], availability: '', limits: sentBodies, marksOtherShops }
  const body = new Body(source(), options)
  const found: unknown[] = []
  for await (const batch of body.batches())
    for (const { result } of batch) {
      const { deal } = result
      if (!deal) found.push(result.refusal.reason)
      else {
        const { asin, price, original_price: original, other_currency: currency } = deal
        found.push({ asin, price, original, currency, marketplace: deal.other_marketplace })
      }
    }
  return { found, withdrawn: body.withdrawnOriginals(), notes: body.notes() }
}

const own = { asin: 'B0ABCD0001', title: 'Folding lantern', price: 25 }
const ours = { currency: null, marketplace: null }
const row = (more: Row) => ({ asin: 'B0ABCD0002', title: 'Camping stove', ...more })

describe('a row of another shop is read as it stands, and marked', () => {
  test.each<[string, Row, object]>([
    ['a column', { price: 19.99, currency: 'EUR' }, { price: 19.99, currency: 'EUR' }],
    ['a sign in the cell', { price: '£7.50' }, { price: 7.5, currency: 'GBP' }],
    ['the cell of its shop', { price: '1.299,00 €' }, { price: 1299, currency: 'EUR' }],
    ['the name of the column', { price_eur: 5 }, { price: 5, currency: 'EUR' }],
    ['a currency that nobody knows', { price: 5, currency: 'Taler' }, { price: 5, currency: 'Taler' }],
    [
      'a link to another shop',
      { price: 5, url: 'https://www.amazon.de/dp/B0ABCD0002' },
      { price: 5, marketplace: 'amazon.de' },
    ],
    ['a column of marketplaces', { price: 5, marketplace: 'CA' }, { price: 5, marketplace: 'amazon.ca' }],
    [
      'both',
      { price: '5,99 €', url: 'https://www.amazon.de/dp/B0ABCD0002' },
      { price: 5.99, currency: 'EUR', marketplace: 'amazon.de' },
    ],
  ])('%s', async (_, more, marked) => {
    const expected = { asin: 'B0ABCD0002', original: null, ...ours, ...marked }
    expect((await read([row(more)])).found).toEqual([expected])
    // Whoever hands in a file has it refused, as ever.
    const [refused] = (await read([row(more)], false)).found
    expect(refused).toMatch(/^another (?:currency|marketplace): /)
  })

  test('beside rows of this shop, which stay what they are', async () => {
    const rows = [own, { ...row({ price: 5 }), currency: 'EUR' }, { ...own, currency: 'USD', price: '$26' }]
    expect((await read(rows)).found).toMatchObject([
      { price: 25, ...ours },
      { price: 5, currency: 'EUR', marketplace: null },
      { price: 26, ...ours },
    ])
  })
})

describe('an original price is kept in the currency of the price', () => {
  test.each<[string, Row, number | null]>([
    ['that says none', { price: '19,99 €', list_price: '29,99' }, 29.99],
    ['that says the same', { price: '19,99 €', list_price: '29,99 €' }, 29.99],
    ['that says ours', { price: '19.99 €', list_price: '$29.99' }, null],
    ['that says a third', { price: '19.99 €', list_price: '£29.99' }, null],
    ['whose column says ours', { price: '19.99 €', list_price_usd: '29.99' }, null],
    ['in a row of that currency', { price: 19.99, currency: 'EUR', list_price: 29.99 }, 29.99],
    [
      'of another shop with our currency',
      { price: '$5', list_price: '$9', url: 'https://www.amazon.ca/dp/B0ABCD0002' },
      9,
    ],
  ])('%s', async (_, more, original) => {
    expect((await read([row(more)])).found).toMatchObject([{ original }])
  })
})

test('what lacks an ASIN, a title or a price is refused as ever', async () => {
  const link = 'https://www.amazon.de/lamps'
  const rows = [
    { title: 'Lamp', price: 5, currency: 'EUR', url: '' },
    { asin: 'B0ABCD0002', title: '', price: 5, currency: 'EUR', url: '' },
    { asin: 'B0ABCD0002', title: 'Lamp', price: 'call us', currency: 'EUR', url: '' },
    { asin: 'B0ABCD0002', title: 'Lamp', price: 0, currency: 'EUR', url: '' },
    { title: 'Lamp', price: 5, currency: 'EUR', url: link },
    { asin: 'B0ABCD0002', title: 'Lamp', price: '', currency: 'USD', url: 'https://www.amazon.de/dp/x' },
    { asin: 'B0ABCD0002', title: 'Lamp', price: '-5 €', currency: '', url: '' },
  ]
  const { found } = await read(rows)
  expect(found.every((reason) => typeof reason === 'string')).toBe(true)
  expect(found).toEqual((await read(rows, false)).found)
})

test.each<[Row, string]>([
  [{ price: 5, currency: 'USD/EUR' }, 'USD, EUR'],
  [{ price: '£19.99', currency: 'EUR' }, 'EUR, GBP'],
  [{ price: '$19.99', currency: 'EUR' }, 'EUR, $'],
  [{ price: '€19.99', currency: 'USD' }, 'USD, EUR'],
  [{ price_eur: '£5' }, 'GBP, EUR'],
  [{ price_eur: 5, currency: 'GBP' }, 'GBP, EUR'],
])('of currencies that contradict each other nobody knows which is meant: %j', async (stated, named) => {
  expect((await read([row(stated)])).found).toEqual([`another currency: ${named}`])
})

test.each<[Row, string]>([
  [{ price: '$19.99', currency: 'CAD' }, 'CAD'],
  [{ price_eur: '€5', currency: 'Euro' }, 'EUR'],
  [{ price: '€5', currency: '' }, 'EUR'],
])('one that is said twice, or more exactly, is one: %j', async (stated, currency) => {
  expect((await read([row(stated)])).found).toMatchObject([{ currency }])
})

test('what original prices of other shops are says nothing of those of this one', async () => {
  const asin = (at: number) => `B0ABCD${String(at).padStart(4, '0')}`
  // One value beside many prices, also above it: where it stands in a column of this shop it was filled in.
  const rows = Array.from({ length: 40 }, (_, at) => ({
    ...{ asin: asin(at), title: `Folding lantern ${at}`, price: at + 80, list_price: 99.99, currency: 'EUR' },
  }))
  expect((await read(rows, true, 'amazon.de')).withdrawn.values).toEqual([99.99])
  const { withdrawn, notes } = await read(rows)
  expect([withdrawn.values, notes]).toEqual([[], []])
})

test('a document of Keepa of another marketplace has the amounts of its own currency', async () => {
  const document = {
    ...{ asin: 'B0ABCD0002', title: 'Lantern', lastUpdate: 7_000_000, domainId: 5 },
    csv: [[6_900_000, 4999]],
  }
  expect((await read([document])).found).toMatchObject([{ price: 4999, marketplace: 'amazon.co.jp' }])
})
