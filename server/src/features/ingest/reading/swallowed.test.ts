import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import { sentBodies } from './limits.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

/** The rows of a CSV: `ASIN=price title`, or why one is refused. */
async function read(lines: readonly string[], piece = 100_000): Promise<string[]> {
  const bytes = Buffer.from(lines.join('\n'))
  async function* source() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  const body = new Body(source(), { marketplace, overrides: [], availability: '', limits: sentBodies })
  const rows: string[] = []
  for await (const batch of body.batches())
    for (const { deal, refusal } of batch.map(({ result }) => result))
      rows.push(deal ? `${deal.asin}=${deal.price} ${deal.title}` : (refusal?.reason ?? ''))
  return rows
}

const closedLater = 'a quotation mark in it is closed in a later row'
const good = ['B0ABCD0008,Mug,8', 'B0ABCD0009,Cup,9']
const goodRows = ['B0ABCD0008=8 Mug', 'B0ABCD0009=9 Cup']

describe('a quotation mark that a later row closes takes neither its price nor its row', () => {
  test.each<[string, string[], string[]]>([
    [
      'at an inch within a quoted name',
      ['B0ABCD0001,"Lamp 5" tall,9.99', 'B0ABCD0002,"Fan",19.99'],
      [closedLater, 'B0ABCD0002=19.99 Fan'],
    ],
    [
      'never meant to be closed',
      ['B0ABCD0001,"Lamp 5 inch,9.99', 'B0ABCD0002,Fan 7",19.99'],
      [closedLater, 'B0ABCD0002=19.99 Fan 7"'],
    ],
    [
      'before a delimiter in the name',
      ['B0ABCD0001,"Lamp, 5 inch,9.99', 'B0ABCD0002,Fan 7",19.99'],
      [closedLater, 'B0ABCD0002=19.99 Fan 7"'],
    ],
    [
      'some rows later',
      ['B0ABCD0001,"Lamp,9.99', 'B0ABCD0002,Fan,19.99', '', ',Rack,5', 'B0ABCD0003,Pot "XL",29.99'],
      [closedLater, 'B0ABCD0002=19.99 Fan', 'no ASIN', 'B0ABCD0003=29.99 Pot "XL"'],
    ],
    [
      'before a row without an ASIN',
      ['B0ABCD0001,"Lamp 5 inch,9.99', ',Fan 7",19.99'],
      [closedLater, 'no ASIN'],
    ],
    [
      'twice',
      ['B0ABCD0001,"Lamp,9.99', 'B0ABCD0002,"Fan,19.99', 'B0ABCD0003,Pot",29.99'],
      [closedLater, 'a quotation mark is opened but never closed', 'B0ABCD0003=29.99 Pot"'],
    ],
  ])('%s', async (_, lines, rows) => {
    for (const piece of [100_000, 7])
      expect(await read(['asin,title,price', ...lines, ...good], piece)).toEqual([...rows, ...goodRows])
  })

  test('where the name stands first, and after the first rows', async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `Bowl,B0ABCE${String(at).padStart(4, '0')},3`)
    const lines = ['"Lamp 5 inch,B0ABCD0001,9.99', 'Fan 7",B0ABCD0002,19.99']
    const rows = await read(['title,asin,price', ...many, ...lines, 'Mug,B0ABCD0008,8'])
    expect(rows).toHaveLength(2_003)
    expect(rows.slice(2_000)).toEqual([closedLater, 'B0ABCD0002=19.99 Fan 7"', 'B0ABCD0008=8 Mug'])
  })

  test('in the header', async () => {
    await expect(read(['asin,"title,price', 'B0ABCD0001,"Lamp",9.99', ...good])).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('first line'),
    })
  })
})

test('a cell with several lines stays one cell', async () => {
  expect(
    await read([
      'asin,"title",price,variants,"notes',
      'in words"',
      'B0ABCD0001,"Lamp',
      'with a 5 m cord, black, and hook",9.99,"B0ABCD0005',
      'B0ABCD0006',
      'B0ABCD0007","Costs 5',
      'or 6"',
      'B0ABCD0002,"A 5" lamp',
      'and a hook",19.99,,"see B0ABCD0001, 9.99',
      '7,8,9,10,11"',
    ]),
  ).toEqual([
    'B0ABCD0001=9.99 Lamp with a 5 m cord, black, and hook',
    'B0ABCD0002=19.99 A 5" lamp and a hook',
  ])
  expect(await read(['title,price,asin', '"Lamp', '5,6,7', 'B0",9.99,B0ABCD0001'])).toEqual([
    'B0ABCD0001=9.99 Lamp 5,6,7 B0',
  ])
})

test.each([
  ['a script', ['callback([{"asin":"B0ABCD0001","title":"Lamp","price":5}])']],
  [
    'JSON with a sign before each text',
    ['{"asin":"B0ABCD0001","title":"Lamp","price":5}', '{"asin":"B0ABCD0002","title":"Fan","price":6}'].map(
      (line) => `\u001e${line}`,
    ),
  ],
])('what is no CSV at all is refused, rather than read without a row: %s', async (_name, lines) => {
  await expect(read(lines)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
})

test('a cell of very many lines is looked through in a moment', async () => {
  const lines = Array.from({ length: 60_000 }, () => 'a,b,c,d,e,f,g')
  const begin = performance.now()
  const rows = await read(['asin,title,price', ...good, 'B0ABCD0001,"Lamp', ...lines, 'end",9.99'])
  expect(rows).toEqual([...goodRows, expect.stringMatching(/^B0ABCD0001=9.99 Lamp a,b/)])
  expect(performance.now() - begin).toBeLessThan(1_000)
})
