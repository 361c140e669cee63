import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import { JsonRows } from './json-rows.ts'
import { sentBodies } from './limits.ts'
import { each } from './row-location.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

/** The deals of a body as `ASIN=price`, with `<original` where there is one; the reasons of what is refused. */
async function read(value: unknown, piece = 10_000): Promise<string[]> {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  async function* source() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  const body = new Body(source(), { marketplace, overrides: [], availability: '', limits: sentBodies })
  const rows: string[] = []
  for await (const batch of body.batches())
    for (const { deal, refusal } of batch.map(({ result }) => result)) {
      const original = deal?.original_price ? `<${deal.original_price}` : ''
      rows.push(deal ? `${deal.asin}=${deal.price}${original}` : (refusal?.reason ?? ''))
    }
  return rows
}

const asin = (n: number) => `B0ABCD${String(n).padStart(4, '0')}`
const address = (n: number) => `https://www.amazon.com/dp/${asin(n)}`
const deal = (n: number, more: object = {}) => ({
  asin: asin(n),
  title: `Lantern number ${n}`,
  price: n,
  ...more,
})
const unnamed = (n: number) => ({ title: `Lantern number ${n}`, price: n })
const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n')
const three = [1, 2, 3].map((n) => `${asin(n)}=${n}`)

const dictionary = { [asin(1)]: unnamed(1), [asin(2)]: unnamed(2), [asin(3)]: unnamed(3) }
const fields = ['index', 'asin', 'title', 'price'].map((name) => ({ name, type: 'string' }))
const cells = [1, 2, 3].map((n) => [asin(n), `Lantern number ${n}`, n])

describe('lists of products', () => {
  test.each<[string, unknown]>([
    ['a dictionary by ASIN', dictionary],
    ['a dictionary by ASIN, indented', JSON.stringify(dictionary, null, 2)],
    ['a dictionary by ASIN inside an object', { status: 'ok', products: dictionary }],
    ['a dictionary by ASIN a line', lines(...[1, 2, 3].map((n) => ({ [asin(n)]: unnamed(n) })))],
    ['orient=index', { 0: deal(1), 1: deal(2), 2: deal(3) }],
    [
      'orient=index, by times',
      { '2026-01-01T00:00:00.000': deal(1), '2026-01-02': deal(2), '2026-01-03 07:00': deal(3) },
    ],
    [
      'orient=index, by times in milliseconds',
      { 1767225600000: deal(1), 1767312000000: deal(2), 1767398400000: deal(3) },
    ],
    ['a dictionary by names', { lantern: deal(1), lamp: deal(2), torch: deal(3) }],
    ['orient=table', { schema: { fields, pandas_version: '1.4.0' }, data: [deal(1), deal(2), deal(3)] }],
    ['orient=split', { columns: ['asin', 'title', 'price'], index: [0, 1, 2], data: cells }],
    ['pages', [[deal(1), deal(2)], [deal(3)]]],
    [
      'wrapped pages',
      [
        { page: 1, deals: [deal(1), deal(2)] },
        { page: 2, deals: [deal(3)] },
      ],
    ],
    [
      'pages with the address of a product',
      [{ url: address(9), deals: [deal(1), deal(2)] }, { deals: [deal(3)] }],
    ],
    ['pages inside an object', { pages: [{ deals: [deal(1), deal(2)] }, { deals: [deal(3)] }] }],
    ['an object with an address', { url: address(9), products: [deal(1), deal(2), deal(3)] }],
    ['wrapped lists, one a line', lines({ deals: [deal(1), deal(2)] }, { deals: [] }, { deals: [deal(3)] })],
    ['beside a longer list of others', { tags: Array(9).fill({ a: 1 }), deals: [deal(1), deal(2), deal(3)] }],
    ['products under one key', [1, 2, 3].map((n) => ({ product: deal(n) }))],
    ['with an address beside it', [1, 2, 3].map((n) => ({ url: address(n), product: deal(n) }))],
    [
      'with related products, one a line',
      lines(...[1, 2, 3].map((n) => ({ item: deal(n), related: [deal(8), deal(9)] }))),
    ],
  ])('%s', async (_shape, body) => {
    expect(await read(body)).toEqual(three)
    expect(await read(body, 7)).toEqual(three)
  })

  test('longer than what is looked at first', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => deal(at + 1, { note: 'x'.repeat(400) }))
    const all = many.map(({ asin, price }) => `${asin}=${price}`)
    const byAsin = Object.fromEntries(many.map((row) => [row.asin, row]))
    for (const body of [
      byAsin,
      { tags: [{ a: 1 }], byAsin },
      { featured: [deal(1)], deals: many },
      [many, []],
    ])
      expect(await read(body)).toEqual(all)
  })

  test('gaps in a dictionary of rows are rows to refuse, and mix no others', async () => {
    const rows = { 0: deal(1), 1: null, 2: { title: 'Lantern', price: 2 }, 3: deal(3) }
    const none = 'the row is not an object with named fields'
    expect(await read(rows)).toEqual([`${asin(1)}=1`, none, 'no ASIN', `${asin(3)}=3`])
  })

  test('a row with numbered parts, lists and prices by day is a row', async () => {
    for (const row of [
      { product: deal(1), history: { '2026-01-01': 5, '2026-01-02': 6 } },
      { title: 'Lantern', price: 1, link: { 0: address(1) }, images: { 0: 'a', 1: 'b' } },
      { ...deal(1), asins: [asin(1), asin(2)], prices_by_day: { '2026-01-01': 5 } },
      { item: deal(1), related: deal(2) },
    ])
      expect(await read(row)).toEqual([`${asin(1)}=1`])
  })

  test('a row with offers inside is a row, and a product with variants', async () => {
    expect(await read([{ title: 'Lantern', price: 5, offers: [{ url: address(1), price: 6 }] }])).toEqual([
      `${asin(1)}=5`,
    ])
    expect(await read({ ...deal(1), variants: [deal(2), deal(3)] })).toEqual([`${asin(1)}=1`])
  })
})

test('NaN and Infinity, as Python writes them, are no values', async () => {
  const row = `{"asin":"${asin(1)}","title":"A \\"NaN\\" \\\\","price":1,"rating":NaN,"count":-Infinity}`
  for (const body of [`[${row}]`, `{"deals":[${row}]}`, row, `${row}\n${row}`])
    expect(new Set(await read(body))).toEqual(new Set([`${asin(1)}=1`]))
  const [title] = new JsonRows([]).push(`[${row}]`).map(({ object }) => object?.title)
  expect(title).toBe('A "NaN" \\')
})

describe('refused by name', () => {
  const column = (value: (n: number) => unknown) => ({ 0: value(1), 1: value(2) })
  test.each<[string, unknown, string]>([
    [
      'by column',
      { asin: column(asin), title: column((n) => `Lantern ${n}`), price: column((n) => n) },
      "orient='records'",
    ],
    [
      'by column, as lists',
      { asin: [asin(1), asin(2)], title: ['A', 'B'], price: [1, 2] },
      "orient='records'",
    ],
    [
      'by column, endless',
      { asin: Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [n, asin(n)])) },
      "orient='records'",
    ],
    ...Object.entries({
      'with gaps': { asin: { 0: asin(1), 2: asin(3) }, title: { 0: 'A', 1: 'B' }, price: { 1: 2 } },
      'of a row': { asin: { 0: asin(1) }, title: { 0: 'A' }, price: { 1: 2 } },
      'with lists in cells': {
        asin: column(asin),
        title: column((n) => `Lantern ${n}`),
        images: column(() => ['a', 'b']),
      },
      'by day': { asin: { '2026-01-01': asin(1), '2026-01-02': asin(2) }, title: { '2026-01-01': 'A' } },
      'by time': { asin: { 1767225600000: asin(1), 1767312000000: asin(2) }, title: { 1767225600000: 'A' } },
      'by item': { title: { [asin(1)]: 'A', [asin(2)]: 'B' }, price: { [asin(1)]: 1, [asin(2)]: 2 } },
      'by any name': { asin: { one: asin(1), two: asin(2) }, title: { one: 'A', two: 'B' } },
      'beside other things': { count: 2, asin: column(asin), title: column((n) => `Lantern ${n}`) },
      'inside data': { status: 'ok', data: { asin: column(asin), title: column((n) => `Lantern ${n}`) } },
      'inside an array': [{ asin: column(asin), title: column((n) => `Lantern ${n}`) }],
      'as lists inside data': { data: { asin: [asin(1), asin(2)], title: ['A', 'B'], price: [1, 2] } },
      'as lists beside other things': {
        count: 2,
        asin: [asin(1), asin(2)],
        title: ['A', 'B'],
        price: [1, 2],
      },
    }).map(([name, body]): [string, unknown, string] => [`by column, ${name}`, body, "orient='records'"]),
    ['a Python literal', `[{'asin': '${asin(1)}', 'title': "Men's", 'price': None}]`, 'json.dumps'],
    ['Python literals, one a line', `{'asin': '${asin(1)}'}\n{'asin': '${asin(2)}'}`, 'json.dumps'],
  ])('%s', async (_shape, body, advice) => {
    await expect(read(body)).rejects.toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: expect.stringContaining(advice),
    })
  })
})

test('of several prices the one without a name, or the first that isn’t one of before, is the price', async () => {
  const priced = (...prices: unknown[]) => [{ asin: asin(1), title: 'Lantern', prices }]
  for (const [body, row] of [
    [priced({ value: 12.5, currency: 'USD' }, { name: 'original', value: 20 }), '12.5<20'],
    [priced({ name: 'original', value: 20 }, { value: 12.5 }), '12.5<20'],
    [priced({ name: 'Online', value: 12.5 }, { name: 'Store', value: 20 }), '12.5'],
    [priced({ name: 'original', value: 20 }, { name: 'primary', value: 12.5 }), '12.5<20'],
    [priced({ value: 12.5 }), '12.5'],
    [priced(12.5, 20), '12.5'],
    [[{ asin: asin(1), title: 'Lantern', prices: { '': 12.5, original: 20 } }], '12.5<20'],
  ])
    expect(await read(body)).toEqual([`${asin(1)}=${String(row)}`])
})

test('however it is cut, a dictionary comes out as it went in, and so do pages', () => {
  const key = fc.string({ unit: fc.constantFrom(...'a"\\{}[]:,é') })
  const rows = fc.dictionary(key, fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 5 })
  fc.assert(
    fc.property(rows, fc.array(fc.nat(500), { maxLength: 8 }), (given, cuts) => {
      const pieces = (text: string) => {
        const offsets = [0, ...new Set(cuts.map((cut) => cut % (text.length + 1))), text.length].sort(
          (a, b) => a - b,
        )
        return offsets.map((offset, at) => text.slice(offset, offsets[at + 1]))
      }
      const expected: unknown[] = JSON.parse(JSON.stringify(Object.values(given)))
      const keyed = new JsonRows(['rows'], { isKeyed: true })
      const pages = new JsonRows([each, 'rows'])
      for (const [reader, value] of [
        [keyed, { a: [{}], rows: given, z: {} }],
        [pages, [{ rows: expected }, {}]],
      ] as const) {
        const read = [
          ...pieces(JSON.stringify(value)).flatMap((piece) => reader.push(piece)),
          ...reader.end(),
        ]
        expect(read.map(({ object }) => object)).toEqual(expected)
      }
    }),
  )
})

test.each([
  ['lists in lists', '{"a":['.repeat(60_000)],
  ['lists of pages', '['.repeat(300_000)],
  ['objects in objects', `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`],
  ['pages in pages', `[${'{"a":[{"b":1},'.repeat(20_000)}1${']}'.repeat(20_000)}]`],
  ['quotation marks', `{"a":NaN,"b":"${'\\"'.repeat(200_000)}`],
])('%s without end are refused, not followed', async (_what, body) => {
  const rows = await read(body).catch((error: unknown) => {
    expect(error).toMatchObject({ name: 'AppError' })
    return []
  })
  expect(rows.filter((row) => row.includes('='))).toEqual([])
})
