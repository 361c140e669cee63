import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { Body } from './body.ts'
import { parseColumnMap } from './corrections.ts'
import { sentBodies } from './limits.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

async function read(lines: readonly string[], map = '') {
  async function* source() {
    yield Buffer.from(lines.join('\n'))
  }
  const overrides = parseColumnMap(map)
  const body = new Body(source(), { marketplace, overrides, availability: '', limits: sentBodies })
  const rows: unknown[] = []
  for await (const batch of body.batches())
    for (const { deal, refusal } of batch.map(({ result }) => result)) rows.push(deal?.price ?? refusal)
  return { rows, notes: body.notes() }
}

const reason = 'columns called price differ: say which counts, map=price=price or map=price=price (2)'
const lines = ['asin,title,price,price', 'B0ABCD0001,Lamp,5,9', 'B0ABCD0002,Fan,7,7', 'B0ABCD0003,Mug,8,']

test('of two columns called price none is taken where they differ, until somebody says which', async () => {
  const { rows, notes } = await read(lines)
  expect(rows).toEqual([{ asin: 'B0ABCD0001', reason }, 7, { asin: 'B0ABCD0003', reason }])
  expect(notes).toEqual([expect.stringContaining('2 columns are called price: price is taken from price.')])
  expect(await read(lines, 'price=price')).toEqual({ rows: [5, 7, 8], notes: [] })
  expect((await read(lines, 'price=price (2)')).rows.slice(0, 2)).toEqual([9, 7])
})

test('two columns called otherwise alike are said to be, and keep no row out', async () => {
  const { rows, notes } = await read([
    'asin,title,price,title',
    'B0ABCD0001,Lamp,5,Camping',
    'B0ABCD0002,Fan,7,',
  ])
  expect(rows).toEqual([5, 7])
  expect(notes).toEqual([
    '2 columns are called title: title is taken from title. To take another, say so with map=title=title (2).',
  ])
})
