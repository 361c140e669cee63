import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { creatorsCredential, creatorsItem, creatorsServer } from '../../../../../testing/creators-server.ts'
import { testDatabases } from '../../../../../testing/database.ts'
import { runContext, type TestContext } from '../../../../../testing/run-context.ts'
import { HostQuietError, HostTurns } from '../../../../platform/outgoing/host-turns.ts'
import { FetchError } from '../../../../platform/outgoing/safe-fetch.ts'
import { serviceBudgets } from '../../running/service-budget.ts'
import { serviceTokens } from '../../running/service-token.ts'
import type { RunContext } from '../source-kind.ts'
import { creatorsKind } from './creators.ts'

const databases = await testDatabases()

const now = new Date('2026-05-04T12:00:00Z')
const context = (given: Partial<RunContext> = {}): TestContext =>
  runContext({ secrets: { client_secret: creatorsCredential.secret }, clock: () => now, ...given })
const settings = (more: object = {}) => ({
  ...{ credential_id: creatorsCredential.id, partner_tag: 'a-tag', keywords: 'lantern', ...more },
})
const asinOf = (at: number) => `B0${String(at).padStart(8, '0')}`
const itemsOf = (count: number) => Array.from({ length: count }, (_, at) => creatorsItem(asinOf(at), 10 + at))
const paths = (asked: { path: string }[]) => asked.map(({ path }) => path)
const search = '/catalog/v1/searchItems'

test('a search is read page by page until one is not full', async () => {
  const server = await creatorsServer()
  server.items = itemsOf(23)
  const ctx = context()
  const outcome = await creatorsKind(server).bind(settings()).run(ctx)
  expect(outcome).toEqual({ state: 'done', notes: [], cost: '3 requests' })
  expect(ctx.handed).toHaveLength(1)
  expect(ctx.handed[0]?.rows).toHaveLength(23)
  expect(ctx.handed[0]).toMatchObject({ availability: '', isWhole: true, listsAll: false })
  const pages = server.asked.filter(({ path }) => path === search)
  expect(pages.map(({ body }) => body.itemPage)).toEqual([1, 2, 3])
  expect(pages[0]?.headers).toMatchObject({
    ...{ 'x-marketplace': 'www.amazon.com', authorization: 'Bearer token-3.1-1' },
  })
})

test('the question of a search', async () => {
  const server = await creatorsServer()
  const filters = {
    ...{ search_index: 'Electronics', browse_node: '172282', least_price: 9.99, most_price: 50 },
    ...{ least_percent: 20, least_rating: 4, is_prime: true, condition: 'Any', pages: 1 },
  }
  await creatorsKind(server).bind(settings(filters)).run(context())
  const { resources, ...question } = server.asked.at(-1)?.body ?? {}
  expect(question).toEqual({
    ...{ partnerTag: 'a-tag', keywords: 'lantern', searchIndex: 'Electronics', browseNodeId: '172282' },
    ...{ minPrice: 999, maxPrice: 5000, minSavingPercent: 20, minReviewsRating: 4 },
    ...{ deliveryFlags: ['Prime'], condition: 'Any', itemCount: 10, itemPage: 1 },
  })
  expect(resources).toContain('offersV2.listings.dealDetails')
  const japan = marketplaceByDomain('amazon.co.jp')
  const inYen = settings({ least_price: 1500, pages: 1, credential_version: '3.3' })
  await creatorsKind(server)
    .bind(inYen)
    .run(context({ ...(japan && { marketplace: japan }) }))
  expect(server.asked.at(-1)).toMatchObject({
    body: { minPrice: 1500 },
    headers: { 'x-marketplace': 'www.amazon.co.jp' },
  })
})

test('certain items are asked for ten at a time, and what is said of single ones is noted', async () => {
  const server = await creatorsServer()
  server.items = itemsOf(11)
  const asins = [...Array.from({ length: 11 }, (_, at) => asinOf(at)), 'B0MISSING1', asinOf(0)]
  const ctx = context()
  const outcome = await creatorsKind(server)
    .bind(settings({ subject: 'items', asins }))
    .run(ctx)
  expect(outcome).toEqual({
    ...{ state: 'done', cost: '2 requests' },
    notes: ['ItemNotAccessible: The item B0MISSING1 is not accessible.'],
  })
  expect(ctx.handed[0]?.rows).toHaveLength(11)
})

describe('tokens', () => {
  test.each(['2.1', '2.2', '2.3', '3.1', '3.2', '3.3'] as const)(
    'of a credential of version %s',
    async (version) => {
      const server = await creatorsServer()
      server.items = itemsOf(1)
      const outcome = await creatorsKind(server)
        .bind(settings({ credential_version: version }))
        .run(context())
      expect(outcome).toMatchObject({ state: 'done' })
      expect(paths(server.asked)).toEqual([`/token/${version}`, search])
      const bare = `Bearer token-${version}-1`
      expect(server.asked[1]?.headers.authorization).toBe(
        version < '3' ? `${bare}, Version ${version}` : bare,
      )
    },
  )

  test('are asked for once by all runs, and once more when one has ended', async () => {
    const server = await creatorsServer()
    server.items = itemsOf(1)
    const box = { seal: (text: string) => text, open: (text: string) => text }
    const token = serviceTokens(databases.durableDb, box, new HostTurns(databases.reservedPool))
    const kind = creatorsKind(server).bind(settings())
    await Promise.all([kind.run(context({ token })), kind.run(context({ token }))])
    expect(server.lent).toBe(1)
    server.tokens.clear()
    expect(await kind.run(context({ token }))).toMatchObject({ state: 'done', cost: '2 requests' })
    expect(server.lent).toBe(2)
  })

  test('that end at once again are not asked for without end', async () => {
    const server = await creatorsServer()
    const expired = { status: 401, body: { reason: 'TokenExpired', message: 'The token has expired.' } }
    server.answers = [expired, expired, expired]
    const outcome = await creatorsKind(server).bind(settings()).run(context())
    expect(outcome).toMatchObject({ state: 'failed', isPermanent: true })
    expect(server.lent).toBe(2)
  })

  test('of a credential that is wrong', async () => {
    const server = await creatorsServer()
    const wrong = context({ secrets: { client_secret: 'another' } })
    expect(await creatorsKind(server).bind(settings()).run(wrong)).toMatchObject({
      ...{ state: 'failed', isPermanent: true },
      text: 'The credential is not accepted. Check its ID, its secret and its version.',
    })
  })

  test.each([
    [503, 'Asking for a token came to status 503.'],
    [200, 'Asking for a token brought an answer without one.'],
  ])('is asked for again after an answer with status %d that has none', async (status, text) => {
    const server = await creatorsServer()
    server.tokenAnswer = { status, body: '<html>later</html>' }
    const later = await creatorsKind(server).bind(settings()).run(context())
    expect(later).toMatchObject({ state: 'failed', text })
    expect(later.isPermanent).toBe(undefined)
  })
})

describe('what goes wrong', () => {
  const failing = (type: string, reason: string, more: object = {}) => ({
    type,
    reason,
    message: 'A <b>reason</b>.',
    ...more,
  })
  test.each([
    [
      400,
      failing('ValidationException', 'FieldValidationFailed', { fieldList: [{ name: 'minPrice' }] }),
      'failed',
      'The interface doesn’t accept the question (minPrice): A reason.',
    ],
    [
      400,
      { errors: [{ reason: 'InvalidPartnerTag', message: 'Bad tag' }] },
      'failed',
      'The interface doesn’t accept the question: Bad tag.',
    ],
    [
      401,
      failing('UnauthorizedException', 'InvalidClient'),
      'failed',
      'The interface doesn’t accept the credential: A reason. Enter it anew.',
    ],
    [
      403,
      failing('AccessDeniedException', 'AuthorizationFailed'),
      'failed',
      'The interface refuses this account: A reason.',
    ],
  ])('%i %j stays until it is set up anew', async (status, body, state, text) => {
    const server = await creatorsServer()
    server.answers = [{ status, body }]
    const outcome = await creatorsKind(server).bind(settings()).run(context())
    expect(outcome).toMatchObject({ state, text, isPermanent: true })
  })

  test('an account that is not eligible is asked about again a day later', async () => {
    const server = await creatorsServer()
    const body = { type: 'AccessDeniedException', reason: 'AssociateNotEligible', message: 'no' }
    const once = async () => creatorsKind(server).bind(settings()).run(context())
    server.answers = [{ status: 403, body }]
    const notBefore = new Date('2026-05-05T12:00:00Z')
    expect(await once()).toMatchObject({ state: 'not_eligible', notBefore })
    server.tokenAnswer = { status: 403, body }
    expect(await once()).toMatchObject({ state: 'not_eligible', notBefore })
  })

  test('too many requests are waited for; what came before is handed over, and the next run goes on', async () => {
    const server = await creatorsServer()
    server.items = itemsOf(25)
    server.answers = [null, { status: 429, body: {}, headers: { 'retry-after': '90' } }]
    const kind = creatorsKind(server).bind(settings())
    const ctx = context()
    const notBefore = new Date('2026-05-04T12:01:30Z')
    expect(await kind.run(ctx)).toMatchObject({ state: 'waiting', notBefore, cost: '2 requests' })
    expect(ctx.handed).toMatchObject([{ isWhole: false }])
    expect(ctx.handed[0]?.rows).toHaveLength(10)
    const next = context({ position: ctx.positions.at(-1) })
    expect(await kind.run(next)).toMatchObject({ state: 'done' })
    expect(next.handed[0]?.rows).toHaveLength(15)
    expect(next.handed).toMatchObject([{ isWhole: false }])
    expect(next.positions.at(-1)).toMatchObject({ next: 0 })
  })

  test.each([
    [500, { type: 'InternalServerException' }, 'The interface answered with status 500.'],
    [502, '<html>{}</html>', 'The interface answered with status 502.'],
    [200, '<html>maintenance</html>', 'The answer of the interface was no JSON.'],
  ])('%i %j is tried again', async (status, body, text) => {
    const server = await creatorsServer()
    server.answers = [{ status, body }]
    const outcome = await creatorsKind(server).bind(settings()).run(context())
    expect(outcome).toMatchObject({ state: 'failed', text })
    expect(outcome.isPermanent).toBe(undefined)
  })

  test.each([
    ['a connection that breaks', new FetchError('connection', 'It broke off.'), { state: 'failed' }, 0],
    ['a host that is to be left alone', new HostQuietError(now), { state: 'waiting', notBefore: now }, 1],
  ])('%s takes nothing away of what came before', async (_, error, expected, next) => {
    const server = await creatorsServer()
    server.items = itemsOf(25)
    const { ask } = context()
    const ctx = context({
      ask: async (url, request) => {
        if (url.endsWith(search) && server.asked.some(({ path }) => path === search)) throw error
        return ask(url, request)
      },
    })
    const outcome = await creatorsKind(server).bind(settings()).run(ctx)
    expect(outcome).toMatchObject({ ...expected, text: error.message, cost: '2 requests' })
    expect(ctx.handed).toMatchObject([{ isWhole: false }])
    expect(ctx.handed[0]?.rows).toHaveLength(10)
    expect(ctx.positions.at(-1)).toMatchObject({ next })
  })

  test('no such items are no failure', async () => {
    const server = await creatorsServer()
    expect(await creatorsKind(server).bind(settings()).run(context())).toEqual({
      ...{ state: 'unchanged', notes: [], cost: '1 request' },
    })
  })
})

test('requests of a day that are used up are waited for', async () => {
  const server = await creatorsServer()
  server.items = itemsOf(30)
  const budget = serviceBudgets(databases.durableDb)
  // Of ten a day one may go at once, the others as the day goes on.
  const kind = creatorsKind(server).bind(settings({ per_day: 10, per_second: 10 }))
  const ctx = context({ budget })
  const outcome = await kind.run(ctx)
  expect(outcome).toMatchObject({
    state: 'waiting',
    cost: '1 request',
    text: expect.stringMatching(
      /^Waits until 20[-\d]+T[:\d]+Z, since the requests of the day are used up\.$/,
    ),
  })
  expect((outcome.notBefore?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_600_000)
  expect(ctx.handed[0]?.rows).toHaveLength(10)
})

test('trying costs one request and stores nothing', async () => {
  const server = await creatorsServer()
  server.items = itemsOf(30)
  const ctx = context({ isTry: true })
  expect(await creatorsKind(server).bind(settings()).run(ctx)).toMatchObject({
    state: 'done',
    cost: '1 request',
  })
  expect(ctx.positions).toEqual([])
  expect(ctx.handed[0]?.rows).toHaveLength(10)
})
