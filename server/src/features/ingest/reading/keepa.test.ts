import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { Body } from './body.ts'
import type { RowResult } from './deal-row.ts'
import { sentBodies } from './limits.ts'

async function read(value: unknown, domain = 'amazon.com') {
  const marketplace = marketplaceByDomain(domain)
  if (!marketplace) throw new Error(`${domain} is no marketplace`)
  const source = async function* () {
    yield Buffer.from(JSON.stringify(value))
  }
  const body = new Body(source(), { marketplace, overrides: [], availability: '', limits: sentBodies })
  const results: RowResult[] = []
  for await (const batch of body.batches()) for (const { result } of batch) results.push(result)
  return {
    notes: body.notes(),
    deals: results.flatMap(({ deal }) => deal ?? []),
    reasons: results.flatMap(({ refusal }) => refusal?.reason ?? []),
  }
}

/** A list by price type, with no offer but for the given ones. */
const values = (given: Record<number, number>) => Array.from({ length: 36 }, (_, at) => given[at] ?? -1)
const codes = (text: string) => [...text].map((sign) => sign.charCodeAt(0))
const minutes = (iso: string) => Date.parse(iso) / 60_000 - 21_564_000
const micro = (iso: string) => Date.parse(iso) * 1000

const deal = (current: Record<number, number>, more: object = {}) => ({
  ...{
    asin: 'B0ABCD1234',
    parentAsin: 'B0ABCD9999',
    title: 'Folding lantern',
    rootCat: 172282,
    categories: [1, 2],
  },
  ...{
    image: codes('71abcDEF-gL.jpg'),
    current: values(current),
    currentSince: values({}),
    deltaLast: values({}),
  },
  ...{ delta: [values({}), values({})], deltaPercent: [values({})], avg: [values({ 0: 5000 })] },
  ...{ lastUpdate: minutes('2026-05-04T06:00:00Z'), creationDate: minutes('2026-05-04T05:00:00Z') },
  ...{ lightningEnd: 0, warehouseCondition: 0, warehouseConditionComment: null, ...more },
})
const envelope = (...dr: object[]) => ({
  tokensLeft: 5,
  deals: { dr, categoryIds: [1], categoryNames: ['?'] },
})

test('a deal document: amounts in cents, -1 for none, a picture in codes, minutes since 2011', async () => {
  const first = deal({ 0: 9995, 1: 6759, 3: 16, 4: 13999, 11: 7, 16: 45, 17: 1204 })
  const { deals, notes } = await read(envelope(first, deal({ 0: 1449 }, { image: null })))
  expect(deals).toMatchObject([
    {
      ...{ asin: 'B0ABCD1234', title: 'Folding lantern', price: 67.59, original_price: 139.99, rating: 4.5 },
      ...{ review_count: 1204, condition: 'new', category: null, availability: null, ends_at: null },
      image_url: 'https://m.media-amazon.com/images/I/71abcDEF-gL.jpg',
      ...{ observed_at: micro('2026-05-04T06:00:00Z'), first_seen: micro('2026-05-04T05:00:00Z') },
    },
    { price: 14.49, original_price: null, rating: null, review_count: null, image_url: null },
  ])
  expect(notes).toEqual([expect.stringMatching(/^Read as documents of Keepa: .*: 2\.$/)])
})

test('the price of a deal document is the lightning deal’s, the buy box’s, the lowest new offer’s or the warehouse’s', async () => {
  const lightning = { lightningEnd: minutes('2026-05-04T12:00:00Z') }
  const { deals, reasons } = await read(
    envelope(
      deal({ 0: 4999, 1: 4999, 8: 1999, 18: 4999 }, lightning),
      deal({ 0: 4999, 8: 1999 }),
      deal({ 0: 9995, 1: 6759, 18: 7000 }),
      deal({ 9: 3000 }, { warehouseCondition: 3 }),
      deal({ 9: 3000, 2: 2500 }),
      deal({}),
    ),
  )
  expect(deals.map(({ price, original_price, condition }) => [price, original_price, condition])).toEqual([
    [19.99, 49.99, 'new'],
    [49.99, null, 'new'],
    [70, null, 'new'],
    [30, null, 'used'],
  ])
  expect(deals[0]?.ends_at).toBe(micro('2026-05-04T12:00:00Z'))
  expect(reasons).toEqual(['no price', 'no price'])
})

const product = (csv: Array<number[] | null> | null, more: object = {}) => ({
  ...{ asin: 'B0ABCD1234', title: 'Folding lantern', domainId: 1, brand: 'Acme', csv, availabilityAmazon: 0 },
  ...{ imagesCSV: '71abcDEF-gL.jpg,41x.jpg', lastUpdate: minutes('2026-05-04T06:00:00Z'), rootCategory: 5 },
  ...{
    categories: [1],
    categoryTree: [
      { catId: 5, name: 'Outdoors' },
      { catId: 6, name: 'Lanterns' },
    ],
  },
  ...{ isEligibleForSuperSaverShipping: true, competitivePriceThreshold: 10999, ...more },
})
const history = (last: Record<number, number[]>) => Array.from({ length: 36 }, (_, at) => last[at] ?? null)

test('a product document: the last value of each history, or the current ones of its statistics', async () => {
  const csv = history({
    ...{ 0: [5_000_000, 5999, 7_000_000, 4999], 1: [5_000_000, 4999, 7_000_000, -1] },
    ...{ 4: [5_000_000, 7999], 16: [5_000_000, 47], 17: [5_000_000, 12] },
  })
  const boxed = history({ 0: [5_000_000, -1], 18: [5_000_000, 4000, 0, 7_000_000, 4200, 399] })
  const stated = { stats: { current: values({ 0: 2500 }) }, availabilityAmazon: -1 }
  const { deals, reasons } = await read({
    products: [product(csv), product(boxed), product(null, stated), product(history({ 0: [5_000_000, -1] }))],
  })
  expect(deals).toMatchObject([
    {
      ...{
        price: 49.99,
        original_price: 79.99,
        rating: 4.7,
        review_count: 12,
        brand: 'Acme',
        condition: 'new',
      },
      ...{ category: 'Outdoors > Lanterns', availability: 'In stock', prime_eligible: null },
      image_url: 'https://m.media-amazon.com/images/I/71abcDEF-gL.jpg',
    },
    { price: 45.99, original_price: null, availability: null },
    { price: 25, availability: null },
  ])
  expect(reasons).toEqual(['no price'])
})

test('a used offer in the buy box is no price of a new item', async () => {
  const stated = (buyBoxIsUsed: boolean, current: Record<number, number>) =>
    product(null, { stats: { current: values(current), buyBoxIsUsed } })
  const { deals, reasons } = await read({
    products: [
      stated(true, { 1: 4999, 18: 2000 }),
      stated(false, { 1: 4999, 18: 4500 }),
      stated(true, { 9: 2100, 18: 2000 }),
      stated(true, { 18: 2000 }),
    ],
  })
  expect(deals.map(({ price, condition }) => [price, condition])).toEqual([
    [49.99, 'new'],
    [45, 'new'],
    [21, 'used'],
  ])
  expect(reasons).toEqual(['no price'])
})

test('a document of another marketplace is refused, and yen have no cents', async () => {
  const csv = history({ 0: [5_000_000, 4999] })
  const japanese = { products: [product(csv, { domainId: 5 })] }
  expect((await read(japanese)).reasons).toEqual(['another marketplace: amazon.co.jp'])
  expect((await read(japanese, 'amazon.co.jp')).deals).toMatchObject([{ price: 4999 }])
})

test('a lightning deal document', async () => {
  const lightning = {
    ...{
      domainId: 1,
      lastUpdate: minutes('2026-05-04T06:00:00Z'),
      asin: 'B0ABCD1234',
      title: 'Folding lantern',
    },
    ...{ dealPrice: 1999, currentPrice: 4999, image: '71abcDEF-gL.jpg', isPrimeEligible: true, rating: 45 },
    ...{
      totalReviews: 12,
      dealState: 'AVAILABLE',
      endTime: minutes('2026-05-04T12:00:00Z'),
      percentClaimed: 10,
    },
  }
  const { deals, reasons } = await read({ lightningDeals: [lightning, { ...lightning, dealPrice: -1 }] })
  expect(deals).toMatchObject([
    {
      ...{ price: 19.99, original_price: 49.99, rating: 4.5, review_count: 12, prime_eligible: true },
      ...{ is_over: false, ends_at: micro('2026-05-04T12:00:00Z') },
    },
  ])
  expect(reasons).toEqual(['no price'])
})

test('odd lists in a document are no values', async () => {
  const odd = {
    image: ['x', 5],
    current: ['9995', null, {}, 0.5],
    lightningEnd: 'soon',
    warehouseCondition: 'x',
  }
  expect((await read(envelope(deal({}, odd)))).reasons).toEqual(['no price'])
})
