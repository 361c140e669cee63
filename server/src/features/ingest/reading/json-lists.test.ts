import { gzipSync } from 'node:zlib'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { jsonListsIn } from '../rules.ts'
import { listsOf, parseListPath, writeListPath } from './json-lists.ts'
import { sentBodies } from './limits.ts'
import { openBody } from './preview.ts'
import { each, type Step } from './row-location.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

async function titles(document: unknown, listPath: string, piece = 7): Promise<string[]> {
  const bytes = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
  async function* source() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  const options = { map: '', availability: '', listPath, limits: sentBodies }
  const read: string[] = []
  for await (const batch of openBody(marketplace, source(), options).batches())
    for (const { result } of batch) read.push(result.deal?.title ?? result.refusal?.reason ?? '')
  return read
}

const deal = (n: number, title = 'Lantern') => ({
  asin: `B0ABCD${String(n).padStart(4, '0')}`,
  title: `${title} ${n}`,
  price: n,
})
const two = {
  status: 'ok',
  deals: { dr: [deal(1), deal(2)], names: ['a'] },
  others: [deal(3, 'Lamp'), deal(4, 'Lamp'), deal(5, 'Lamp')],
  shops: [{ name: 'North' }],
}
const pages = { pages: [{ items: [deal(1)] }, { items: [deal(2)] }] }

describe('paths', () => {
  test.each<[string, Step[], string]>([
    ['$', [], '$'],
    ['$.deals.dr', ['deals', 'dr'], '$.deals.dr'],
    ['deals.dr', ['deals', 'dr'], '$.deals.dr'],
    ["$['deal list'].items", ['deal list', 'items'], "$['deal list'].items"],
    ['$.pages[*].items', ['pages', each, 'items'], '$.pages[*].items'],
  ])('%s', (path, steps, written) => {
    expect(parseListPath(path)).toEqual(steps)
    expect(writeListPath(steps)).toBe(written)
  })

  test.each(['$.', '$..a', '$[0]', '$.a[', 'a b]'])('%s is none', (path) => {
    expect(() => parseListPath(path)).toThrow('is no path of a list')
  })
})

describe('a list that somebody names', () => {
  test('is read instead of the one with the most products', async () => {
    expect(await titles(two, '')).toEqual(['Lamp 3', 'Lamp 4', 'Lamp 5'])
    expect(await titles(two, '$.deals.dr')).toEqual(['Lantern 1', 'Lantern 2'])
    expect(await titles(two, '$.others')).toEqual(['Lamp 3', 'Lamp 4', 'Lamp 5'])
  })

  test('may lie in the elements of another, at the top, or be a dictionary', async () => {
    expect(await titles(pages, '$.pages[*].items')).toEqual(['Lantern 1', 'Lantern 2'])
    expect(await titles([deal(7)], '$')).toEqual(['Lantern 7'])
    const { asin, ...unnamed } = deal(8)
    expect(await titles({ all: { [asin]: unnamed }, other: [deal(9)] }, '$.all')).toEqual(['Lantern 8'])
  })

  test('is found behind more than the beginning', async () => {
    const long = { filler: 'x'.repeat(1_100_000), first: [deal(1)], deals: { dr: [deal(2)] } }
    expect(await titles(long, '$.deals.dr', 100_000)).toEqual(['Lantern 2'])
    await expect(titles(long, '$.deals.none', 100_000)).rejects.toThrow('Lists are $.first, $.deals.dr.')
  })

  test('that is not there is an error that names those that are', async () => {
    await expect(titles(two, '$.deals')).rejects.toThrow(
      'There is no list at $.deals. Lists are $.deals.dr, $.others, $.shops. Nothing was imported.',
    )
    await expect(titles(two, '$.missing')).rejects.toThrow('There is no list at $.missing.')
    await expect(titles('asin,title,price\nB0ABCD0001,Lantern,1\n', '$.a')).rejects.toThrow(
      'There is no list of objects in it.',
    )
    await expect(titles('{"deals": [', '$.deals')).rejects.toThrow('broken off')
  })
})

describe('the lists of a document', () => {
  test('are told with their rows, but for those inside of products', async () => {
    const rich = { ...deal(1), variants: [{ id: 1 }] }
    expect(listsOf({ deals: [rich, rich], shops: [{ name: 'North' }] })).toEqual([
      { path: '$.deals', rows: 2, products: 2 },
      { path: '$.shops', rows: 1, products: 0 },
    ])
    expect(listsOf(pages)).toContainEqual({ path: '$.pages[*].items', rows: 2, products: 2 })
    expect(listsOf(rich)).toEqual([])
  })

  test('are found in a beginning, also of a packed document', async () => {
    const bytes = Buffer.from(JSON.stringify(two))
    const paths = (await jsonListsIn(bytes)).map(({ path }) => path)
    expect(paths).toEqual(['$.deals.dr', '$.others', '$.shops'])
    const packed = gzipSync(Buffer.from(JSON.stringify({ ...two, more: [{ a: 'x'.repeat(2_000_000) }] })))
    expect((await jsonListsIn(packed.subarray(0, packed.length - 200))).map(({ path }) => path)).toEqual([
      ...paths,
      '$.more',
    ])
    expect(await jsonListsIn(Buffer.from('asin,title\n'))).toEqual([])
    expect(await jsonListsIn(Buffer.alloc(0))).toEqual([])
  })
})
