import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { Body } from './body.ts'
import type { RowResult } from './deal-row.ts'
import { sentBodies } from './limits.ts'

/** The ends and states of rows with these columns beside ID, title and price, one value a row. */
async function read(columns: Record<string, unknown[]>, domain = 'amazon.com') {
  const marketplace = marketplaceByDomain(domain)
  if (!marketplace) throw new Error(`${domain} is no marketplace`)
  const length = Math.max(...Object.values(columns).map((values) => values.length))
  const rows = Array.from({ length }, (_, at) => ({
    ...{ asin: `B0ABCD000${at}`, title: `Lantern number ${at}`, price: 5 },
    ...Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[at]])),
  }))
  const source = async function* () {
    yield Buffer.from(JSON.stringify(rows))
  }
  const body = new Body(source(), { marketplace, overrides: [], availability: '', limits: sentBodies })
  const deals: Array<RowResult['deal']> = []
  for await (const batch of body.batches()) for (const { result } of batch) deals.push(result.deal)
  const iso = (time: number | null | undefined) => time && new Date(time / 1000).toISOString().slice(0, 16)
  return {
    ends: deals.map((deal) => iso(deal?.ends_at)),
    over: deals.map((deal) => deal?.is_over),
    availability: deals.map((deal) => deal?.availability),
    notes: body.notes(),
  }
}

test.each([
  [{ not_expired: [true, false] }, [false, true]],
  [{ inactive: [true, false] }, [true, false]],
  [{ is_expired: ['yes', 'no'] }, [true, false]],
  [{ expired: [true, 'no'] }, [true, false]],
  [{ out_of_stock: [1, 0] }, [true, false]],
  [{ not_in_stock: [true, false] }, [true, false]],
  [{ 'deal status': ['Expired on Nov 5', 'not expired'] }, [true, false]],
])('%j is over: %j', async (columns, over) => {
  expect((await read(columns)).over).toEqual(over)
})

test('a state that means over is no availability', async () => {
  const texts = ['Deal ended', 'inactive', 'no longer in stock', 'delisted', 'Low stock']
  expect((await read({ availability: texts })).availability).toEqual([null, null, null, null, 'Low stock'])
})

test('a date in a column named expired is when it ends', async () => {
  expect((await read({ expired: ['2026-11-25T10:00Z', 'Nov 25, 2026 11 PM PST'] })).ends).toEqual([
    '2026-11-25T10:00',
    '2026-11-26T07:00',
  ])
})

test('dates in numbers are read as their column shows, else as the marketplace writes them', async () => {
  const ambiguous = { ends_at: ['05/11/2026', '06/11/2026'] }
  expect((await read(ambiguous)).ends).toEqual(['2026-05-12T00:00', '2026-06-12T00:00'])
  expect((await read(ambiguous, 'amazon.co.uk')).ends).toEqual(['2026-11-06T00:00', '2026-11-07T00:00'])
  expect((await read(ambiguous, 'amazon.co.jp')).ends).toEqual([null, null])
  const shown = { ends_at: ['05/11/2026', '25/11/2026'] }
  expect((await read(shown)).ends).toEqual(['2026-11-06T00:00', '2026-11-26T00:00'])
})

test('times that can’t be read are counted, with one of them', async () => {
  const found = await read({
    ends_at: ['2026-11-25', 'in 3 days', '2026-11-26 10:00 XYZ', null],
    observed_at: ['2026-11-20', '2026-11-20', '2026-11-20', '20/20/2026'],
  })
  expect(found.notes).toEqual([
    'Times of ends_at that can’t be read, such as “in 3 days”, left out: 2.',
    'Times of observed_at that can’t be read, such as “20/20/2026”, left out: 1.',
  ])
})
