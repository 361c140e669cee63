import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { creatorsItem, creatorsServer } from '../../../../../testing/creators-server.ts'
import { runContext } from '../../../../../testing/run-context.ts'
import { creatorsKind } from './creators.ts'
import { readItem } from './items.ts'

const now = new Date('2026-05-04T12:00:00Z')
const rowOf = (listing: object, more: object = {}) =>
  readItem(creatorsItem('B0ABCD1234', 59.49, { ...listing }, { ...more }), now)
const price = (amount: number, savingBasisType?: string) => ({
  price: {
    money: { amount, currency: 'USD' },
    ...(savingBasisType && { savingBasis: { money: { amount: 69.99, currency: 'USD' }, savingBasisType } }),
  },
})

test('an item with an offer', () => {
  const node = {
    displayName: 'Lanterns',
    ancestor: { displayName: 'Camping', ancestor: { displayName: 'Outdoors' } },
  }
  const more = {
    customerReviews: { count: 1_204, starRating: { value: 4.5 } },
    browseNodeInfo: { browseNodes: [node, { displayName: 'Gifts' }] },
  }
  expect(rowOf(price(59.49, 'LIST_PRICE'), more)).toEqual({
    isForPrime: false,
    row: {
      ...{ asin: 'B0ABCD1234', title: 'Folding lantern B0ABCD1234', brand: 'Acme', condition: 'New' },
      ...{ price: 59.49, currency: 'USD', list_price: 69.99, saving_basis_type: 'LIST_PRICE' },
      ...{ rating: 4.5, review_count: 1_204, availability: 'IN_STOCK', ends_at: null },
      ...{ category: 'Outdoors > Camping > Lanterns', observed_at: '2026-05-04T12:00:00.000Z' },
      image_url: 'https://m.media-amazon.com/images/I/71abcDEF-gL.jpg',
      product_url: 'https://www.amazon.com/dp/B0ABCD1234?tag=a-tag&linkCode=osi',
    },
  })
})

test('only what was asked for before is a former price', () => {
  const former = (type?: string) => rowOf(price(10, type))
  expect(former('WAS_PRICE')).toMatchObject({ row: { list_price: 69.99, saving_basis_type: 'WAS_PRICE' } })
  for (const type of ['LOWEST_PRICE', 'LOWEST_PRICE_STRIKETHROUGH', 'NEW_ONE', undefined])
    expect(former(type)).toMatchObject({ row: { list_price: null, saving_basis_type: null } })
})

test('the offer that has the buy box is read, else the first', () => {
  const offer = (amount: number, isBuyBoxWinner: boolean) => ({
    ...price(amount),
    isBuyBoxWinner,
    condition: { value: 'Used' },
  })
  const of = (...listings: object[]) => rowOf({}, { offersV2: { listings } })
  expect(of(offer(5, false), offer(7, true))).toMatchObject({ row: { price: 7, condition: 'Used' } })
  expect(of(offer(5, false), offer(7, false))).toMatchObject({ row: { price: 5 } })
  expect(of()).toEqual({ missing: 'offer' })
})

test('an end with and without seconds, and none', () => {
  const ends = (endTime: unknown) => rowOf({ dealDetails: { accessType: 'ALL', endTime } })
  expect(ends('2026-11-06T05:35Z')).toMatchObject({ row: { ends_at: '2026-11-06T05:35:00.000Z' } })
  expect(ends('2026-11-06T05:35:10Z')).toMatchObject({ row: { ends_at: '2026-11-06T05:35:10.000Z' } })
  for (const odd of ['soon', '2026-11-06', '2026-99-06T05:35Z', 17, undefined])
    expect(ends(odd)).toMatchObject({ row: { ends_at: null } })
})

test('what is said of availability', () => {
  const said = (availability: unknown) => rowOf({ availability })
  expect(said({ type: 'IN_STOCK_SCARCE', message: 'Only 3 left in stock.' })).toMatchObject({
    row: { availability: 'Only 3 left in stock.' },
  })
  expect(said({ type: 'LEADTIME', message: 'in 2 weeks' })).toMatchObject({
    row: { availability: 'LEADTIME' },
  })
  expect(said(undefined)).toMatchObject({ row: { availability: null } })
})

test('items without a price are left out and counted, prices for members noted', async () => {
  const server = await creatorsServer()
  server.items = [
    creatorsItem('B0ABCD1231', 10, { violatesMAP: true }),
    creatorsItem('B0ABCD1232', 10, { price: {} }),
    creatorsItem('B0ABCD1233', 10, {}, { offersV2: { listings: [] } }),
    creatorsItem('B0ABCD1234', 10, { dealDetails: { accessType: 'PRIME_EXCLUSIVE' } }),
  ]
  const context = runContext({ secrets: { client_secret: 'secret-of-a-test' } })
  const settings = { credential_id: 'credential-of-a-test', partner_tag: 'a-tag', keywords: 'lantern' }
  const { notes } = await creatorsKind(server).bind(settings).run(context)
  expect(context.handed[0]?.rows).toMatchObject([{ asin: 'B0ABCD1234' }])
  expect(notes).toEqual([
    'Items without an offer, left out: 1.',
    'Items without a price, left out: 1.',
    'Items whose price the shop shows in the cart only, left out: 1.',
    'Prices for Prime members only: 1.',
  ])
})

test('what the licence forbids is said, and what can’t work refused', () => {
  const kind = creatorsKind()
  expect(kind.retention).toMatchObject({ history: false, hiddenAfterHours: 24, refreshAfterHours: 1 })
  expect(kind.description.help).toMatch(/no history of prices/)
  const missing = { client_secret: 'is missing', credential_id: 'is missing', partner_tag: 'is missing' }
  expect(kind.bind({}).check([])).toEqual({
    ...missing,
    keywords: 'must not be empty without a category number',
  })
  const right = { credential_id: 'x', partner_tag: 'y', keywords: 'z' }
  expect(kind.bind(right).check(['client_secret'])).toBe(null)
  expect(kind.bind({ ...right, subject: 'items' }).check(['client_secret'])).toEqual({
    asins: 'must name an item',
  })
  expect(kind.bind({ ...right, subject: 'items', asins: ['B0ABCD1234'] }).cost).toBe(
    'up to 1 of 8640 requests a day',
  )
  expect(() => kind.bind({ asins: ['nothing'] })).toThrow('must be item IDs of 10 characters')
  expect(() => kind.bind({ credential_version: '4.1' })).toThrow('must be one of 3.1')
})

// A document that may lie beside the checkout; it is never part of it.
const samples = fileURLToPath(new URL('../../../../../../../shared/data/samples/', import.meta.url))
describe.runIf(existsSync(samples))('the document beside the checkout', () => {
  test('is read', () => {
    const { searchResult } = JSON.parse(
      readFileSync(`${samples}creatorsapi_searchitems_response.json`, 'utf8'),
    )
    expect(readItem(searchResult.items[0], now)).toMatchObject({
      isForPrime: true,
      row: { price: 59.49, list_price: 69.99, condition: 'New', ends_at: '2024-11-06T05:35:00.000Z' },
    })
  })
})
