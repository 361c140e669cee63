import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import type { RowResult } from './deal-row.ts'
import { sentBodies } from './limits.ts'

const marketplace = marketplaceByDomain('amazon.com')
if (!marketplace) throw new Error('amazon.com is a marketplace')
const given = { marketplace, overrides: [], availability: '', limits: sentBodies }

/** The deals and refusals of some rows of NDJSON, with the notes. */
async function read(rows: readonly object[]) {
  async function* source() {
    for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`)
  }
  const body = new Body(source(), given)
  const results: RowResult[] = []
  for await (const batch of body.batches()) results.push(...batch.map(({ result }) => result))
  return { results, notes: body.notes(), columns: body.columns.map(({ name }) => name) }
}

const row = (n: number, more: object = {}) => ({
  ...{ asin: `B0ABCD${String(n).padStart(4, '0')}`, title: `Lantern number ${n}`, price: 9 },
  ...more,
})
/** What late facts are stated in is there from the first row on. */
const others = {
  ...{ shop: { name: 'Acme' }, deal: { id: 7 }, flags: { is_new: true } },
  ...{ offers: [{ seller: 'Acme' }], meta: { price: { unit: 'piece' } } },
}
const early = Array.from({ length: 1_500 }, (_, at) => row(at, others))

describe('what only a late row says counts from that row on', () => {
  test.each<[string, object, string]>([
    ['price: {value, currency}', { price: { value: 12.5, currency: 'EUR' } }, 'another currency: EUR'],
    ['offers: [{currency}]', { offers: [{ currency: 'EUR' }] }, 'another currency: EUR'],
    ['meta.price.currency', { meta: { price: { currency: 'EUR' } } }, 'another currency: EUR'],
    ['shop.marketplace', { shop: { marketplace: 'amazon.de' } }, 'another marketplace: amazon.de'],
  ])('%s', async (_, more, reason) => {
    const { results } = await read([...early, row(1_500, more), row(1_501)])
    expect(results[1_500]?.refusal).toEqual({ asin: 'B0ABCD1500', reason })
    expect(results.filter(({ deal }) => deal)).toHaveLength(1_501)
  })

  test.each<[string, object]>([
    ['deal.status', { deal: { status: 'expired' } }],
    ['flags.is_expired', { flags: { is_expired: true } }],
  ])('%s', async (_, more) => {
    const { results } = await read([...early, row(1_500, more), row(1_501)])
    expect(results.map(({ deal }) => deal?.is_over).slice(1_499)).toEqual([null, true, null])
  })

  test('deal.ends_at', async () => {
    const { results } = await read([...early, row(1_500, { deal: { ends_at: '2026-01-02T00:00:00Z' } })])
    expect(results.at(-1)?.deal?.ends_at).toBe(Date.UTC(2026, 0, 2) * 1000)
  })

  test.each<[string, object, object, object]>([
    [
      'currency',
      { currency: 'USD' },
      { price: { value: 5, currency: 'EUR' } },
      { refusal: { reason: 'another currency: EUR' } },
    ],
    [
      'marketplace',
      { domain: 'amazon.com' },
      { shop: { marketplace: 'amazon.de' } },
      { refusal: { reason: 'another marketplace: amazon.de' } },
    ],
    ['status', { status: 'active' }, { flags: { is_expired: true } }, { deal: { is_over: true } }],
    ['is_expired', { is_expired: false }, { deal: { state: 'ended' } }, { deal: { is_over: true } }],
  ])('%s, where the rows before say it elsewhere', async (_, before, more, result) => {
    const rows = early.map((one) => ({ ...one, ...before }))
    expect((await read([...rows, row(1_500, more)])).results.at(-1)).toMatchObject(result)
    // Among the first rows as well.
    expect((await read([...rows.slice(0, 20), row(1_500, more)])).results.at(-1)).toMatchObject(result)
  })
})

test('keys by the thousand don’t keep a late fact from being found, and without end they are refused', async () => {
  const rows = early.map((one, at) => ({
    ...one,
    specs: Object.fromEntries([1, 2, 3].map((n) => [`Spec ${at} no ${n} in words`, 'x'])),
    deal: { price_history: { [`on day ${at}`]: 5 } },
  }))
  for (const late of [{ deal: { status: 'expired' } }, { specs: { status: 'expired' } }]) {
    const { results, columns } = await read([...rows, row(1_500, late)])
    expect(results.at(-1)?.deal?.is_over).toBe(true)
    expect(columns.length).toBeLessThan(600)
  }
  const endless = early.map((one, at) => ({
    ...one,
    specs: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`status ${at} ${n}`, 'x'])),
  }))
  await expect(read(endless)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

test('a CSV with more columns than can be read is refused, and says how many', async () => {
  async function* source() {
    yield Buffer.from(`asin,title,price${',x'.repeat(1_200)}\n`)
  }
  const body = new Body(source(), given)
  await expect(body.batches().next()).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('1,203 columns'),
  })
})
