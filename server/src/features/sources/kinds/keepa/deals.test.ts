import { existsSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Marketplace, marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../../../testing/database.ts'
import { keepaDeal, keepaKey, keepaMinutes, keepaServer } from '../../../../../testing/keepa-server.ts'
import { runContext } from '../../../../../testing/run-context.ts'
import { importBody } from '../../../ingest/actions.ts'
import { sentBodies } from '../../../ingest/reading/limits.ts'
import { parseKeepa } from './answers.ts'
import { keepaKind } from './keepa.ts'

const databases = await testDatabases()
beforeEach(() => databases.durablePool.query('truncate deals, price_points restart identity'))

type Settings = Parameters<ReturnType<typeof keepaKind>['bind']>[0]

/** Asks an imitation of Keepa for these deals, imports what the kind hands over, and returns the stored deals. */
async function imported(deals: object[], settings: Settings = {}, domain = 'amazon.com') {
  const server = await keepaServer()
  server.deals = deals.map((deal) => ({ ...deal }))
  const marketplace: Marketplace | undefined = marketplaceByDomain(domain)
  if (!marketplace) throw new Error(`${domain} is no marketplace`)
  const context = runContext({ secrets: { api_key: keepaKey }, marketplace })
  await keepaKind(server).bind(settings).run(context)
  const [document] = context.handed
  const lines = document?.rows.map((row) => JSON.stringify(row)).join('\n') ?? ''
  const options = { dry_run: false, map: '', source: 'test', limits: sentBodies }
  const result = await importBody(
    { databases, marketplace, clock: () => new Date() },
    Readable.from([Buffer.from(lines)]),
    { ...options, availability: document?.availability ?? '' },
  )
  const { rows } = await databases.customPlanPool.query(
    `select asin, title, price, original_price, rating, review_count, condition, image_url, availability, ends_at, first_seen,
       observed_at from deals order by asin`,
  )
  return { deals: rows, result, rows: document?.rows ?? [], usual: document?.usual }
}

test('a deal: cents, none for what is missing, a picture in codes, times, a title with markup', async () => {
  const more = {
    title: 'Folding <b>lantern</b> &amp; hook',
    lastUpdate: keepaMinutes('2026-05-04T06:00:00Z'),
  }
  const { deals, result } = await imported([keepaDeal('B0ABCD1234', { 0: 1_999, 3: 17 }, more)])
  expect(result).toMatchObject({ created: 1, rejected_total: 0 })
  expect(deals).toMatchObject([
    {
      ...{ asin: 'B0ABCD1234', title: 'Folding lantern & hook', price: 19.99, original_price: null },
      ...{ rating: null, review_count: null, condition: 'new', availability: 'In stock', ends_at: null },
      observed_at: new Date('2026-05-04T06:00:00Z'),
      image_url: 'https://m.media-amazon.com/images/I/71abcDEF-gL.jpg',
    },
  ])
  // When Keepa has found it is another thing: here it is new now.
  expect(deals[0]?.first_seen).not.toEqual(new Date('2026-05-03T00:00:00Z'))
})

test('a picture of an odd name is none', async () => {
  const codes = (name: string) => [...name].map((sign) => sign.charCodeAt(0))
  const { deals } = await imported([
    keepaDeal('B0ABCD1231', { 0: 500 }, { image: codes('../../x.jpg') }),
    keepaDeal('B0ABCD1232', { 0: 500 }, { image: null }),
    keepaDeal('B0ABCD1233', { 0: 500 }, { image: codes('a"onload=.jpg') }),
  ])
  expect(deals.map(({ image_url }) => image_url)).toEqual([null, null, null])
})

test('the price is the one that was asked for', async () => {
  const offered = { 0: 5_000, 1: 4_000, 10: 4_500, 18: 4_800, 9: 3_000 }
  const used = { warehouseCondition: 3 }
  const price = async (kind: string) => {
    await databases.durablePool.query('truncate deals, price_points restart identity')
    const { deals } = await imported([keepaDeal('B0ABCD1234', offered, used)], { price: kind })
    return deals.map((deal) => [deal.price, deal.condition])
  }
  expect(await price('amazon')).toEqual([[50, 'new']])
  expect(await price('new')).toEqual([[40, 'new']])
  expect(await price('fba')).toEqual([[45, 'new']])
  expect(await price('warehouse')).toEqual([[30, 'used']])
})

test('a lightning deal is what everybody pays while it lasts, held against the price beside it', async () => {
  const lightningEnd = keepaMinutes('2036-05-04T12:00:00Z')
  const { deals } = await imported([
    keepaDeal('B0ABCD1231', { 0: 4_999, 8: 1_999 }, { lightningEnd }),
    keepaDeal('B0ABCD1232', { 0: 4_999, 8: 1_999 }),
  ])
  expect(deals).toMatchObject([
    { price: 19.99, original_price: 49.99, ends_at: new Date('2036-05-04T12:00:00Z') },
    { price: 49.99, original_price: null, ends_at: null },
  ])
})

test('without the price that was asked for there is no deal', async () => {
  const { result } = await imported([keepaDeal('B0ABCD1231', { 1: 4_999 }), keepaDeal('B0ABCD1232', {})])
  expect(result).toMatchObject({ created: 0, rejected_by_reason: { 'no price': 2 } })
})

test('yen have no cents', async () => {
  const { deals } = await imported([keepaDeal('B0ABCD1234', { 0: 4_980 })], {}, 'amazon.co.jp')
  expect(deals).toMatchObject([{ price: 4980 }])
})

test('the number of an unknown category stays what it is, and titles keep their numbers', async () => {
  const title = 'Lamp: 12345678901234567890, "1234567890123456789"'
  const { rows } = await imported([keepaDeal('B0ABCD1234', { 0: 100 }, { title })])
  expect(rows[0]).toMatchObject({ title, rootCat: '9223372036854775807', categories: [172282] })
  expect(parseKeepa('{"a":-9223372036854775807,"b":0.1234567890123456,"c":[1e3,-1]}')).toEqual({
    ...{ a: '-9223372036854775807', b: 0.1234567890123456, c: [1000, -1] },
  })
  expect(parseKeepa('[1]')).toBe(null)
  expect(parseKeepa('{"a":"\\\\"')).toBe(null)
})

test('a glitch is handed over with what Keepa says of usual prices, for whoever judges it', async () => {
  const average = (given: Record<number, number>) => Array.from({ length: 36 }, (_, at) => given[at] ?? -2)
  const glitch = keepaDeal(
    'B0ABCD1234',
    { 0: 699, 1: 599 },
    {
      avg: [average({ 0: 900 }), average({ 0: 900 }), average({ 0: 54_300, 1: 800 }), average({ 1: 700 })],
    },
  )
  const unknown = keepaDeal('B0ABCD1235', { 0: 699 }, { avg: Array(4).fill(average({})) })
  const usual = async (settings: Settings, domain?: string) =>
    Object.fromEntries((await imported([glitch, unknown], settings, domain)).usual ?? [])
  expect(await usual({})).toEqual({ B0ABCD1234: 543 })
  expect(await usual({ price: 'new' })).toEqual({ B0ABCD1234: 7 })
  expect(await usual({ price: 'lightning' })).toEqual({ B0ABCD1234: 7 })
  expect(await usual({}, 'amazon.co.jp')).toEqual({ B0ABCD1234: 54_300 })
})

// Documents that may lie beside the checkout; they are never part of it.
const samples = fileURLToPath(new URL('../../../../../../../shared/data/samples/', import.meta.url))
describe.runIf(existsSync(samples))('documents beside the checkout', () => {
  test('forty deals', async () => {
    const document = parseKeepa(readFileSync(`${samples}keepa_deal_response.CONSTRUCTED.json`, 'utf8'))
    const { dr } = Object(document?.deals)
    const { deals, result } = await imported(dr)
    expect(result).toMatchObject({ received: 40, rejected_total: 0 })
    expect(deals).toHaveLength(40)
    expect(deals.filter(({ ends_at }) => ends_at !== null)).toHaveLength(1)
  })
})

test('a deal with a time to come does not hide the others, nor does a stored mark of such a time', async () => {
  const now = () => new Date('2026-05-04T12:05:00Z')
  const later = () => new Date('2026-05-04T13:05:00Z')
  const noon = keepaMinutes('2026-05-04T12:00:00Z')
  const deal = (asin: string, lastUpdate: number) => keepaDeal(asin, { 0: 2_000 }, { lastUpdate })
  const server = await keepaServer()
  const kind = keepaKind(server).bind({})
  const context = (position: unknown, clock: () => Date) =>
    runContext({ secrets: { api_key: keepaKey }, position, clock })
  server.deals = [deal('B0FUTURE01', noon + 600_000), deal('B0PRESENT1', noon)]
  const first = context(null, now)
  await kind.run(first)
  expect(first.positions.at(-1)).toMatchObject({ mark: noon + 5 })
  server.deals = [deal('B0PRESENT2', noon + 60)]
  const next = context(first.positions.at(-1), later)
  expect(await kind.run(next)).toMatchObject({ state: 'done' })
  const blind = context({ ...Object(first.positions.at(-1)), mark: noon + 600_000 }, later)
  await kind.run(blind)
  expect([next.handed.length, blind.handed.length]).toEqual([1, 1])
})
