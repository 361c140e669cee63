import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import {
  keepaDeal,
  keepaKey,
  keepaMinutes,
  keepaProduct,
  keepaServer,
} from '../../../../../testing/keepa-server.ts'
import { runContext, type TestContext } from '../../../../../testing/run-context.ts'
import type { RunContext } from '../source-kind.ts'
import { keepaKind } from './keepa.ts'

const noon = keepaMinutes('2026-05-04T12:00:00Z')
const asinOf = (at: number) => `B0${String(at).padStart(8, '0')}`
/** So many deals, of which each was looked at a minute before the last. */
const dealsOf = (count: number, newest = noon) =>
  Array.from({ length: count }, (_, at) =>
    keepaDeal(asinOf(at), { 0: 2_000 + at }, { lastUpdate: newest - at }),
  )
const context = (given: Partial<RunContext> = {}): TestContext =>
  runContext({ secrets: { api_key: keepaKey }, clock: () => new Date('2026-05-04T12:05:00Z'), ...given })
const handedAsins = ({ handed }: TestContext) =>
  handed.map(({ rows }) => rows.map((row) => ('asin' in row ? row.asin : null)))

test('the first run reads pages of 150 until one is not full', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(320)
  const kind = keepaKind(server).bind({})
  const ctx = context()
  expect(await kind.run(ctx)).toEqual({ state: 'done', notes: [], cost: '15 tokens' })
  expect(handedAsins(ctx).map((page) => page.length)).toEqual([150, 150, 20])
  expect(server.asked.map(({ path, question }) => [path, question?.page])).toEqual([
    ['/deal', 0],
    ['/deal', 1],
    ['/deal', 2],
  ])
  expect(ctx.handed[0]).toMatchObject({ availability: 'In stock', isWhole: false, listsAll: false })
  expect(ctx.positions.at(-1)).toMatchObject({ mark: noon, pass: null })
})

test('a later run ends where the last began, and hands over a few minutes of it again', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(400)
  const kind = keepaKind(server).bind({})
  const first = context()
  await kind.run(first)
  server.deals.push(keepaDeal('B0NEW00001', { 0: 999 }, { lastUpdate: noon + 3 }))
  server.asked.length = 0
  const ctx = context({ position: first.positions.at(-1) })
  expect(await kind.run(ctx)).toMatchObject({ state: 'done', cost: '5 tokens' })
  expect(handedAsins(ctx)).toEqual([['B0NEW00001', ...Array.from({ length: 10 }, (_, at) => asinOf(at))]])
  expect(ctx.positions.at(-1)).toMatchObject({ mark: noon + 3 })
})

test('other settings begin at the beginning', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(30)
  const first = context()
  await keepaKind(server).bind({}).run(first)
  const ctx = context({ position: first.positions.at(-1) })
  await keepaKind(server).bind({ least_percent: 50 }).run(ctx)
  expect(handedAsins(ctx)[0]).toHaveLength(30)
  const odd = context({ position: { question: 7, page: 'two' } })
  await keepaKind(server).bind({}).run(odd)
  expect(handedAsins(odd)[0]).toHaveLength(30)
})

test('no more pages than were set are read of one list, and that is said', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(400)
  const ctx = context()
  const outcome = await keepaKind(server).bind({ most_pages: 2 }).run(ctx)
  expect(outcome.notes).toEqual(['Keepa has more deals than 2 pages, of which the oldest were left out.'])
  expect(handedAsins(ctx)).toHaveLength(2)
  expect(ctx.positions.at(-1)).toMatchObject({ mark: noon, pass: null })
})

test('nothing new is said to be so', async () => {
  const server = await keepaServer()
  const count = { created: 0, updated: 0, unchanged: 3, rejected: 0, held: 0 }
  server.deals = dealsOf(3)
  const ctx = context({ hand: async () => ({ received: 3, ...count }) })
  expect(await keepaKind(server).bind({}).run(ctx)).toMatchObject({ state: 'unchanged' })
  server.deals = []
  expect(await keepaKind(server).bind({}).run(context())).toMatchObject({ state: 'unchanged' })
})

test('the question to Keepa', async () => {
  const server = await keepaServer()
  const settings = {
    ...{ price: 'warehouse', period: 'quarter', least_percent: 35, least_price: 9.99, most_price: 100 },
    ...{ least_rating: 4.5, title_words: ' usb  lamp ', include_categories: ['172282'] },
    ...{ exclude_categories: ['3760911'] },
  }
  await keepaKind(server).bind(settings).run(context())
  expect(server.asked[0]?.query.get('key')).toBe(keepaKey)
  expect(server.asked[0]?.question).toEqual({
    ...{ domainId: 1, page: 0, priceTypes: [9], dateRange: 3, sortType: 1 },
    ...{
      isRangeEnabled: true,
      isFilterEnabled: true,
      deltaPercentRange: [35, 100],
      currentRange: [999, 10000],
    },
    ...{ minRating: 45, titleSearch: 'usb  lamp', includeCategories: [172282], excludeCategories: [3760911] },
  })
  // Yen have no cents.
  const japan = marketplaceByDomain('amazon.co.jp')
  await keepaKind(server)
    .bind({ least_price: 1500 })
    .run(context({ ...(japan && { marketplace: japan }) }))
  expect(server.asked[1]?.question).toMatchObject({ domainId: 5, currentRange: [1500, 2_000_000_000] })
  expect(server.asked[1]?.question).not.toHaveProperty('titleSearch')
})

test('a marketplace that Keepa doesn’t know is not asked about', async () => {
  const server = await keepaServer()
  const dutch = marketplaceByDomain('amazon.nl')
  const outcome = await keepaKind(server)
    .bind({})
    .run(context({ ...(dutch && { marketplace: dutch }) }))
  expect(outcome).toEqual({ state: 'failed', isPermanent: true, text: 'Keepa has no deals of amazon.nl.' })
  expect(server.asked).toEqual([])
})

test('rating and list price are asked for where wanted, of new deals only, a hundred at a time', async () => {
  const server = await keepaServer()
  server.tokens.left = 1_000
  server.deals = dealsOf(120)
  server.products = [keepaProduct(asinOf(0), { 4: 4_999, 16: 46, 17: 321, 0: 1 })]
  const kind = keepaKind(server).bind({ asks_products: true })
  const first = context()
  expect(await kind.run(first)).toMatchObject({ state: 'done', cost: '245 tokens', notes: [] })
  expect(server.asked.map(({ path }) => path)).toEqual(['/deal', '/product', '/product'])
  const { query } = server.asked[1] ?? {}
  expect(Object.fromEntries(query ?? [])).toMatchObject({
    domain: '1',
    stats: '90',
    history: '0',
    rating: '1',
  })
  expect(query?.get('asin')?.split(',')).toHaveLength(100)
  const [filled, empty] = first.handed[0]?.rows ?? []
  // The price stays that of the deal.
  expect(filled).toHaveProperty('current.0', 2_000)
  expect(filled).toMatchObject({ current: expect.objectContaining({ 4: 4_999, 16: 46, 17: 321 }) })
  expect(empty).toMatchObject({ current: expect.objectContaining({ 4: -1, 16: -1, 17: -1 }) })
  await kind.run(context({ position: first.positions.at(-1) }))
  expect(server.asked.map(({ path }) => path).slice(3)).toEqual(['/deal'])
})

test('deals come without rating where that can’t be had', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(3)
  server.answers = [null, { status: 502, body: '<html>Bad gateway</html>' }]
  const ctx = context()
  const outcome = await keepaKind(server).bind({ asks_products: true }).run(ctx)
  expect(outcome).toMatchObject({
    ...{ state: 'done', cost: '5 tokens' },
    notes: ['Some deals came without rating and list price, since Keepa didn’t answer that.'],
  })
  expect(handedAsins(ctx)[0]).toHaveLength(3)
})

test('trying checks the key for nothing, then costs one page', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(400)
  const ctx = context({ isTry: true, position: { mark: noon } })
  const outcome = await keepaKind(server).bind({ asks_products: true }).run(ctx)
  expect(outcome).toMatchObject({ state: 'done', cost: '5 tokens for this try; 295 are left' })
  expect(server.asked.map(({ path }) => path)).toEqual(['/token', '/deal'])
  expect(handedAsins(ctx)[0]).toHaveLength(150)
  expect(ctx.positions).toEqual([])
  const wrong = context({ isTry: true, secrets: { api_key: 'another' } })
  expect(await keepaKind(server).bind({}).run(wrong)).toMatchObject({ state: 'failed', isPermanent: true })
  expect(server.asked.map(({ path }) => path).slice(2)).toEqual(['/token'])
})

test('what can’t work is refused with the name of the field', () => {
  const { bind } = keepaKind()
  expect(() => bind({ least_percent: 5 })).toThrow('must be a number from 10 to 99')
  expect(() => bind({ price: 'buy box' })).toThrow('must be one of amazon, new, fba, lightning, warehouse')
  expect(() => bind({ include_categories: ['lamps'] })).toThrow('must be category numbers')
  expect(() => bind({ most_pages: 68 })).toThrow('must be a whole number from 1 to 67')
  expect(bind({}).check([])).toEqual({ api_key: 'is missing' })
  expect(bind({ least_price: 10, most_price: 5 }).check(['api_key'])).toEqual({
    most_price: 'must not be less than the price from',
  })
  expect(bind({}).check(['api_key'])).toBe(null)
  expect(bind({}).cost).toBe('5 tokens a page of 150 deals, so 5 to 50')
  expect(bind({ asks_products: true }).cost).toMatch(/, and 1 or 2 for each new deal$/)
})
