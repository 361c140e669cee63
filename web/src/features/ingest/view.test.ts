import type { ImportPreview } from '@dealdeck/contract/ingest'
import { describe, expect, test } from 'vitest'
import {
  exampleValues,
  fileSize,
  mapParameter,
  mediaType,
  missingFields,
  nameOf,
  previewFields,
  rejectsCsv,
  unusedColumns,
  wholeLines,
} from './view.ts'

function row(
  number: number,
  cells: Record<string, string>,
  deal: ImportPreview['rows'][number]['deal'] = null,
) {
  const fate = deal ? ('deal' as const) : ('refused' as const)
  return { row: number, cells, fate, deal, reason: deal ? null : 'no price' }
}

const preview: ImportPreview = {
  format: 'csv',
  columns: ['code', 'name', 'cost', 'shelf'],
  mapping: { asin: 'code', title: 'name', price: 'cost' },
  notes: [],
  ...{ received: 3, rejected_total: 1, rejected_by_reason: { 'no price': 1 } },
  ...{ held_total: 0, held_by_reason: {} },
  rows: [
    row(
      1,
      { code: 'B0TEST0001', name: 'Lamp', cost: ' 4 ', shelf: '' },
      { asin: 'B0TEST0001', price: 4, product_url: 'https://x' },
    ),
    row(
      2,
      { code: 'B0TEST0002', name: 'Lamp', cost: '5', shelf: '' },
      { asin: 'B0TEST0002', price: 5, rating: null },
    ),
    row(3, { code: 'B0TEST0003', name: 'Rug', cost: '6' }),
  ],
}

describe('the mapping', () => {
  test('travels as pairs, an empty name leaving a field unfilled', () => {
    expect(mapParameter({ price: 'cost', rating: '' })).toBe('price=cost,rating=')
    expect(mapParameter({})).toBe('')
  })

  test('names what no row can do without', () => {
    expect(missingFields({})).toEqual(['ASIN or Product address', 'Title', 'Price'])
    expect(missingFields({ product_url: 'link', title: 'name', price: 'cost' })).toEqual([])
  })

  test('tells which columns fill nothing', () => {
    expect(unusedColumns(preview)).toEqual(['shelf'])
  })
})

describe('the preview', () => {
  test('shows different values that are not empty', () => {
    expect(exampleValues(preview, 'name')).toEqual(['Lamp', 'Rug'])
    expect(exampleValues(preview, 'cost', 2)).toEqual(['4', '5'])
    expect(exampleValues(preview, 'shelf')).toEqual([])
  })

  test('shows the fields that some row fills, addresses last', () => {
    expect(previewFields(preview.rows)).toEqual(['asin', 'price', 'product_url'])
  })
})

test.each([
  ['deals.csv', 'text/csv'],
  ['DEALS.TSV', 'text/csv'],
  ['deals.ndjson.gz', 'application/x-ndjson'],
  ['deals.jsonl', 'application/x-ndjson'],
  ['deals.json', 'application/json'],
  ['deals.xlsx', undefined],
  ['deals', undefined],
])('%s is sent as %s', (name, type) => {
  expect(mediaType(name)).toBe(type)
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KB'],
  [5_600_000, '5.3 MB'],
  [200 * 1024 ** 2, '200 MB'],
  [3 * 1024 ** 4, '3072 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text)
})

test('rejects become a table that no spreadsheet takes for formulas', () => {
  const csv = rejectsCsv([
    { row: 3, asin: 'B0TEST0003', reason: 'price "free", is not a number' },
    { row: 4, asin: '=HYPERLINK("x")', reason: '-1 is below zero' },
    { row: 5, asin: null, reason: 'no ASIN' },
  ])
  expect(csv).toBe(
    '\uFEFFrow,asin,reason\r\n' +
      '3,B0TEST0003,"price ""free"", is not a number"\r\n' +
      `4,"'=HYPERLINK(""x"")","'-1 is below zero"\r\n` +
      '5,,no ASIN\r\n',
  )
})

test('a preview sees no line that was cut off', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(wholeLines(bytes('{"a":1}\n{"a":2}\n{"a'))).toEqual(bytes('{"a":1}\n{"a":2}\n'))
  expect(wholeLines(bytes('[{"a":1},{"a'))).toEqual(bytes('[{"a":1},{"a'))
  const packed = new Uint8Array([0x1f, 0x8b, 0x0a, 0x08])
  expect(wholeLines(packed)).toEqual(packed)
  const utf16 = new Uint8Array([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x62])
  expect(wholeLines(utf16)).toEqual(utf16)
})

test('a refused row is called by what it says of itself', () => {
  const preview: ImportPreview = {
    ...{ format: 'csv', columns: [], mapping: { title: 'name', product_url: 'link' }, notes: [], rows: [] },
    ...{ received: 1, rejected_total: 1, rejected_by_reason: {}, held_total: 0, held_by_reason: {} },
  }
  const named = (cells: Record<string, string>) =>
    nameOf(preview, { row: 1, cells, fate: 'refused', deal: null, reason: 'no price' })
  expect(named({ name: ' Enamel mug ', link: 'https://a.example' })).toBe('Enamel mug')
  expect(named({ name: ' ', link: 'https://a.example' })).toBe('https://a.example')
  expect(named({ other: 'x' })).toBe('')
})
