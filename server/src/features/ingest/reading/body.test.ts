import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import { parseColumnMap } from './corrections.ts'
import type { RowResult } from './deal-row.ts'
import { sentBodies } from './limits.ts'

async function read(text: string, options: { domain?: string; map?: string; availability?: string } = {}) {
  const marketplace = marketplaceByDomain(options.domain ?? 'amazon.com')
  if (!marketplace) throw new Error('That is no marketplace')
  const source = async function* () {
    yield Buffer.from(text)
  }
  const overrides = parseColumnMap(options.map ?? '')
  const { availability = '' } = options
  const body = new Body(source(), { marketplace, overrides, availability, limits: sentBodies })
  const results: RowResult[] = []
  for await (const batch of body.batches()) for (const { result } of batch) results.push(result)
  return {
    mapping: body.mappedNames(),
    notes: body.notes(),
    deals: results.flatMap(({ deal }) => deal ?? []),
    reasons: results.flatMap(({ refusal }) => refusal?.reason ?? []),
  }
}

const table = (lines: string) => lines.trim().replace(/^ +/gm, '')

describe('columns by meaning', () => {
  test('a listing with strings as the page shows them', async () => {
    const text = table(`
      name,main_category,image,link,ratings,no_of_ratings,discount_price,actual_price,Unnamed: 0
      "Copper kettle, 1 l",Kitchen,https://m.media-amazon.com/images/I/k.jpg,https://www.amazon.in/Kettle/dp/B0KETTLE01/ref=sr_1_4?qid=1679134237&tag=x-21,4.2,"2,255","₹1,299","₹1,29,900",
      Brass pot,Kitchen,https://m.media-amazon.com/images/I/p.jpg,https://www.amazon.in/Pot/dp/B0POT00001,Get,FREE Delivery by Amazon,,₹500,
      Clay jug,Kitchen,,https://www.amazon.in/Jug/dp/B0JUG00001,3.9,Only 2 left in stock.,₹99.50,₹90
    `)
    const { mapping, deals, notes } = await read(text, { domain: 'amazon.in' })
    expect(mapping).toEqual({
      title: 'name',
      product_url: 'link',
      image_url: 'image',
      price: 'discount_price',
      original_price: 'actual_price',
      rating: 'ratings',
      review_count: 'no_of_ratings',
      category: 'main_category',
    })
    expect(notes).toEqual([
      'Where discount_price is empty, the price is taken from actual_price.',
      'Original prices above 10 times the price, shown as stated: 1.',
    ])
    expect(deals).toMatchObject([
      {
        asin: 'B0KETTLE01',
        price: 1299,
        original_price: 129900,
        rating: 4.2,
        review_count: 2255,
        availability: null,
      },
      { asin: 'B0POT00001', price: 500, original_price: null, rating: null, review_count: null },
      {
        asin: 'B0JUG00001',
        price: 99.5,
        original_price: null,
        availability: 'Only 2 left in stock.',
        review_count: null,
      },
    ])
  })

  test('other prices are not list prices, and stated discounts are not taken over', async () => {
    const row = {
      asin: 'B0ABCD1234',
      title: 'Lamp',
      current_price: 10,
      avg_7_price: 15,
      min_30_price: 9,
      max_price: 20,
    }
    const { mapping } = await read(
      JSON.stringify([
        {
          ...row,
          discount_percent: 50,
          discount_amount: 12,
          drop_percent: 5,
          unit_price: '$2/oz',
          shipping_price: 4,
        },
      ]),
    )
    expect(mapping).toEqual({ asin: 'asin', title: 'title', price: 'current_price' })
  })

  test('nested JSON of several makers', async () => {
    const wrapped = {
      asin: 'B0ABCD1234',
      title: 'Lamp',
      price: { symbol: '$', value: 12.5, currency: 'USD', raw: '$12.50' },
    }
    const priced = {
      ...wrapped,
      prices: [
        { name: 'primary', value: 12.5 },
        { name: 'original', value: 20 },
      ],
      rating: { type: 'x', value: '4.8' },
    }
    const first = await read(JSON.stringify({ info: {}, search_results: [priced] }))
    expect(first.mapping).toMatchObject({
      price: 'price',
      original_price: 'prices.original',
      currency: 'price.currency',
    })
    expect(first.deals).toMatchObject([{ price: 12.5, original_price: 20, rating: 4.8 }])
    const money = (amount: number) => ({ money: { amount, currency: 'USD', displayAmount: `$${amount}` } })
    const offer = {
      price: { ...money(59.49), savingBasis: money(69.99), savings: money(10.5) },
      availability: { type: 'IN_STOCK' },
    }
    const item = {
      asin: '080442957X',
      detailPageURL: 'https://www.amazon.com/dp/080442957X?tag=x',
      itemInfo: { title: { displayValue: 'A book' } },
      offersV2: { listings: [offer] },
    }
    const second = await read(JSON.stringify({ searchResult: { items: [item] } }))
    expect(second.deals).toMatchObject([
      { asin: '080442957X', title: 'A book', price: 59.49, original_price: 69.99, availability: 'In stock' },
    ])
  })

  test('another language, and no names at all', async () => {
    const german = table(`
      Produktname;Preis;UVP;Bewertung;Verfügbarkeit;Link
      Wasserkocher blau;1.299,00 €;1.499,00 €;4,3 von 5 Sternen;Nur noch 2 auf Lager;https://www.amazon.de/dp/B0KOCHER01
    `)
    const { deals } = await read(german, { domain: 'amazon.de' })
    expect(deals).toMatchObject([
      {
        asin: 'B0KOCHER01',
        price: 1299,
        original_price: 1499,
        rating: 4.3,
        availability: 'Nur noch 2 auf Lager',
      },
    ])
    const nameless = await read(
      'B0ABCD1234,Folding lantern with hook,$12.50\nB0ABCD1235,Folding chair in green,$30.00',
    )
    expect(nameless.deals).toMatchObject([
      { asin: 'B0ABCD1234', price: 12.5 },
      { title: 'Folding chair in green' },
    ])
  })

  test('a column that comes late is still found', async () => {
    const rows = Array.from({ length: 400 }, (_, at) => ({
      ...{ asin: `B0LATE${String(at).padStart(4, '0')}`, title: 'Lamp', price: 5 },
      ...(at >= 300 && { availability: 'In stock' }),
    }))
    const { deals, mapping } = await read(rows.map((row) => JSON.stringify(row)).join('\n'))
    expect(mapping.availability).toBe('availability')
    expect(deals.filter(({ availability }) => availability !== null)).toHaveLength(100)
  })

  test('a yes/no beside the text decides', async () => {
    const row = (asin: string, is_available: boolean | null, availability: string | null) => ({
      asin,
      title: 'Lamp',
      price: 5,
      is_available,
      availability,
    })
    const rows = [
      row('B0ABCD1231', false, null),
      row('B0ABCD1232', true, null),
      row('B0ABCD1233', true, 'Only 2 left'),
      row('B0ABCD1234', null, null),
    ]
    const { deals } = await read(JSON.stringify(rows), { availability: 'Ships soon' })
    expect(deals.map(({ availability }) => availability)).toEqual([
      null,
      'In stock',
      'Only 2 left',
      'Ships soon',
    ])
  })

  test('the user has the last word', async () => {
    const rows = [{ asin: 'B0ABCD1234', title: 'Lamp', price: 5, 'Sale, now': 4, note: 'A better title' }]
    const { mapping, deals } = await read(JSON.stringify(rows), {
      map: 'price=Sale, now,title=NOTE,original_price=',
    })
    expect(mapping).toMatchObject({ price: 'Sale, now', title: 'note' })
    expect(deals).toMatchObject([{ price: 4, title: 'A better title', original_price: null }])
  })
})

describe('rows that are refused', () => {
  const row = { asin: 'B0ABCD1234', title: 'Lamp', price: 5, url: '/dp/B0ABCD1234', currency: 'USD' }
  test.each([
    [{ url: 'https://www.amazon.in/dp/B0ABCD1234' }, 'another marketplace: amazon.in'],
    [{ domain: 'https://www.amazon.de/' }, 'another marketplace: amazon.de'],
    [{ currency: 'GPB' }, 'another currency: GPB'],
    [{ price: '₹500' }, 'another currency: USD, INR'],
    [{ asin: '', url: '' }, 'no ASIN'],
    [{ asin: 'LAMP', url: '' }, 'the ASIN is not valid'],
    [{ title: ' \u200b ' }, 'no title'],
    [{ price: '' }, 'no price'],
    [{ price: 'call us' }, 'the price is not a number'],
    [{ price: 0 }, 'the price is zero or below'],
    [{ price: '-$5' }, 'the price is zero or below'],
    [{ price: 0.001 }, 'the price is zero or below'],
    [{ price: 1e9 }, 'the price is absurdly high'],
  ])('%j: %s', async (change, reason) => {
    const { reasons } = await read(JSON.stringify([{ ...row, ...change }]))
    expect(reasons).toEqual([reason])
  })

  test('what looks odd and is fine', async () => {
    const rows = [
      { ...row, asin: '306406152', url: '' },
      { ...row, asin: '547577095', url: 'https://www.amazon.com/dp/0547577095' },
      { ...row, asin: ' b0abcd1234 ', price: '$5' },
      { ...row, url: 'https://forum.example/thread/7' },
      { ...row, price: 5, list_price: 4 },
    ]
    const { deals, reasons } = await read(JSON.stringify(rows))
    expect(reasons).toEqual([])
    expect(deals.map(({ asin }) => asin)).toEqual([
      '0306406152',
      '0547577095',
      'B0ABCD1234',
      'B0ABCD1234',
      'B0ABCD1234',
    ])
    expect(deals.at(-1)?.original_price).toBeNull()
  })
})

test('repaired titles and refused pictures are counted in the notes', async () => {
  const rows = [
    { title: 'Folding lanternFolding lantern', image: 'https://ir-na.amazon-adsystem.com/e/ir?a=B000000001' },
    { title: 'Folding lantern2025-09-29', image: '/lantern.jpg' },
    { title: 'Folding lantern', image: 'https://images.example/lantern.jpg' },
  ]
  const stated = rows.map((row, at) => ({ asin: `B00000000${at}`, price: 5, ...row }))
  const { deals, notes } = await read(JSON.stringify(stated))
  expect(deals.map(({ title }) => title)).toEqual(Array(3).fill('Folding lantern'))
  expect(notes).toEqual([
    'Titles that said the same twice, halved: 1.',
    'Titles with a date glued to the end, without it now: 1.',
    'Picture addresses not taken: 2 (ir-na.amazon-adsystem.com 1, no usable host 1).',
  ])
})

test('a header that is repeated, short rows and long ones', async () => {
  const text = table(`
    sep=,
    asin,title,price,rating
    B0ABCD1231,Lamp,5
    asin,title,price,rating
    B0ABCD1232,Lamp,6,4.5,,
    B0ABCD1233,Lamp,7,4.5,extra
  `)
  const { deals, reasons } = await read(text)
  expect(reasons).toEqual([])
  expect(deals.map(({ price, rating }) => [price, rating])).toEqual([
    [5, null],
    [6, 4.5],
    [7, 4.5],
  ])
})

test('a title whose commas nobody quoted is put together again', async () => {
  const text = table(`
    asin,title,price,rating
    B0ABCD1231,Mug, 12 oz,7.50,4.5
    B0ABCD1232,"Mug, 12 oz",7.50,4.5
    B0ABCD1233,Mug,7.50,4.5
  `)
  const { deals } = await read(text)
  expect(deals.map(({ title, price }) => [title, price])).toEqual([
    ['Mug, 12 oz', 7.5],
    ['Mug, 12 oz', 7.5],
    ['Mug', 7.5],
  ])
})

test.each([
  ['amazon.com', '1,200'],
  ['amazon.de', '1.200'],
  ['amazon.in', '1,200'],
])('what is counted on %s is written as its screens write numbers', async (domain, count) => {
  const rows = Array.from({ length: 1_200 }, (_, at) => `B0COUNT${100 + (at % 900)},Lamp,9,2000`)
  const { notes } = await read(['asin,title,price,list price', ...rows].join('\n'), { domain })
  expect(notes).toEqual([`Original prices not believed: ${count}, more than 100 times the price.`])
})
