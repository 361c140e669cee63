import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../../../testing/database.ts'
import {
  type KeepaServer,
  keepaDeal,
  keepaKey,
  keepaMinutes,
  keepaServer,
} from '../../../../../testing/keepa-server.ts'
import { runContext, type TestContext } from '../../../../../testing/run-context.ts'
import { FetchError } from '../../../../platform/outgoing/safe-fetch.ts'
import { serviceBudgets } from '../../running/service-budget.ts'
import type { RunContext } from '../source-kind.ts'
import { waitMs } from './client.ts'
import { keepaKind } from './keepa.ts'

const databases = await testDatabases()

const noon = keepaMinutes('2026-05-04T12:00:00Z')
const now = new Date('2026-05-04T12:05:00Z')
const dealsOf = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    keepaDeal(`B0${String(at).padStart(8, '0')}`, { 0: 2_000 }, { lastUpdate: noon - at }),
  )
const context = (given: Partial<RunContext> = {}): TestContext =>
  runContext({ secrets: { api_key: keepaKey }, clock: () => now, ...given })

/** A context whose budget is a row, as if no other key had ever been used. */
async function withBudget(given: Partial<RunContext> = {}): Promise<TestContext> {
  await databases.durablePool.query('truncate service_budgets')
  return context({ budget: serviceBudgets(databases.durableDb), ...given })
}

test('where the tokens end a run waits, and the next goes on at the page after', async () => {
  const server = await keepaServer()
  server.tokens.left = 17
  server.deals = dealsOf(400)
  const kind = keepaKind(server).bind({ reserve: 5 })
  const first = await withBudget()
  const outcome = await kind.run(first)
  expect(outcome).toMatchObject({ state: 'waiting', cost: '10 tokens' })
  // 7 are left of the 10 that a page and the reserve need: one step of 5, in 20 seconds.
  expect((outcome.notBefore?.getTime() ?? 0) - Date.now()).toBeGreaterThan(5_000)
  expect(server.asked).toHaveLength(2)
  expect(first.positions.at(-1)).toMatchObject({ mark: null, pass: { page: 2, top: noon } })

  server.tokens.left = 60
  const next = context({ position: first.positions.at(-1) })
  expect(await kind.run(next)).toMatchObject({ state: 'done' })
  expect(server.asked.slice(2).map(({ question }) => question?.page)).toEqual([2])
  expect(next.handed[0]?.rows).toHaveLength(100)
  expect(next.positions.at(-1)).toMatchObject({ mark: noon, pass: null })
})

/** Ends with each page, as a process that is killed does it. */
const killed = (given: Partial<RunContext>): TestContext => {
  const ctx = context({
    ...given,
    savePosition: async (position) => {
      ctx.positions.push(position)
      throw new Error('killed')
    },
  })
  return ctx
}
const pagesOf = (server: KeepaServer) => server.asked.map(({ question }) => question?.page)

test('a run that goes on much later looks a page back, since deals have gone meanwhile', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(400)
  const kind = keepaKind(server).bind({})
  const first = killed({})
  await expect(kind.run(first)).rejects.toThrow('killed')
  // Twenty of the first page are over, so twenty of the second stand on the first now.
  server.deals = server.deals.slice(20)
  const clock = () => new Date('2026-05-04T12:30:00Z')
  const ctx = context({ clock, position: first.positions[0] })
  await kind.run(ctx)
  const rows = [...first.handed, ...ctx.handed].flatMap((document) => document.rows)
  expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(400)
  expect(pagesOf(server)).toEqual([0, 0, 1, 2])
})

test('runs that come to one page each come to the end all the same', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(400)
  const kind = keepaKind(server).bind({})
  let position: unknown = null
  for (let hour = 0; hour < 4; hour++) {
    const ctx = killed({ position, clock: () => new Date(now.getTime() + hour * 3_600_000) })
    await expect(kind.run(ctx)).rejects.toThrow('killed')
    ;[position] = ctx.positions
  }
  expect(pagesOf(server)).toEqual([0, 0, 1, 1])
  await kind.run(context({ position, clock: () => new Date(now.getTime() + 4 * 3_600_000) }))
  expect(pagesOf(server)).toEqual([0, 0, 1, 1, 2])
})

test('a list left off six hours ago is begun anew', async () => {
  const server = await keepaServer()
  server.deals = dealsOf(5)
  const kind = keepaKind(server).bind({})
  const first = context()
  await kind.run(first)
  const stored = first.positions[0]
  const begun = now.getTime() - 6 * 3_600_000 - 1
  const pass = { page: 3, top: noon, begun, at: now.getTime(), repeated: null }
  await kind.run(context({ position: { ...(typeof stored === 'object' && stored), mark: noon, pass } }))
  expect(server.asked.at(-1)?.question?.page).toBe(0)
})

test('too few tokens are waited for as long as Keepa says, and are no failure', async () => {
  const server = await keepaServer()
  server.tokens.left = -40
  const ctx = await withBudget()
  const kind = keepaKind(server).bind({ reserve: 0 })
  const outcome = await kind.run(ctx)
  // 45 are missing: nine steps of 5, the first in 20 seconds.
  expect(outcome).toMatchObject({
    state: 'waiting',
    notBefore: new Date(now.getTime() + 20_000 + 8 * 60_000),
    text: 'Waits for tokens of Keepa until 2026-05-04T12:13Z.',
  })
  // And nobody asks before, whichever process it is.
  expect(await kind.run(ctx)).toMatchObject({ state: 'waiting' })
  expect(server.asked).toHaveLength(1)
})

test('how long tokens are waited for', () => {
  const tokens = { left: 0, refillPerMinute: 20, refillInMs: 7_000, consumed: 0, penalty: 0 }
  expect(waitMs(tokens, 5)).toBe(7_000)
  expect(waitMs({ ...tokens, left: -100 }, 5)).toBe(7_000 + 5 * 60_000)
  expect(waitMs({ ...tokens, refillPerMinute: 0 }, 5)).toBe(7_000)
  // More than the key can ever hold isn't waited for.
  expect(waitMs(tokens, 5_000)).toBe(7_000 + 59 * 60_000)
})

test('products are asked for only with what deals leave', async () => {
  const server = await keepaServer()
  server.tokens.left = 47
  server.deals = dealsOf(20)
  const outcome = await keepaKind(server)
    .bind({ asks_products: true, reserve: 0 })
    .run(await withBudget())
  expect(outcome).toMatchObject({
    ...{ state: 'done', cost: '5 tokens' },
    notes: ['Some deals came without rating and list price, since there were too few tokens.'],
  })
})

test('a key whose tokens Keepa has cut is said to be so', async () => {
  const server = await keepaServer()
  server.tokens.flowReduction = 2.5
  const { notes } = await keepaKind(server).bind({}).run(context())
  expect(notes).toEqual([expect.stringMatching(/^Keepa gives this key 2\.5 tokens a minute less/)])
})

describe('what goes wrong', () => {
  const error = (message: string) => ({ error: { type: 'invalidParameter', message } })
  test.each([
    [
      400,
      error('priceTypes <b>missing</b>\n  for keepa-key-of-a-test'),
      'Keepa doesn’t accept the question: priceTypes missing for …. Change the settings.',
      true,
    ],
    [
      405,
      error('dateRange out of range.'),
      'Keepa doesn’t accept the question: dateRange out of range. Change the settings.',
      true,
    ],
    [401, error('x'), 'Keepa doesn’t know this API key. Enter the one that keepa.com shows under API.', true],
    [
      403,
      '<html>no</html>',
      'Keepa doesn’t know this API key. Enter the one that keepa.com shows under API.',
      true,
    ],
    [
      402,
      error('payment'),
      'The key has no subscription to Keepa’s interface, or it has ended: renew it at keepa.com.',
      true,
    ],
    [500, {}, 'Keepa answered with status 500.', undefined],
    [502, '<html>{"deals":{"dr":[]}}</html>', 'Keepa answered with status 502.', undefined],
    [200, '<html>maintenance</html>', 'Keepa’s answer was no JSON.', undefined],
    [200, {}, 'Keepa’s answer holds no list of deals.', undefined],
    [200, error('too busy'), 'Keepa answered with an error: too busy.', undefined],
  ])('%i %j', async (status, body, text, isPermanent) => {
    const server = await keepaServer()
    server.answers = [{ status, body }]
    const ctx = context()
    const outcome = await keepaKind(server).bind({}).run(ctx)
    expect(outcome).toMatchObject({ state: 'failed', text })
    expect(outcome.isPermanent).toBe(isPermanent)
    expect(ctx.positions).toEqual([])
  })

  test('a long complaint is cut', async () => {
    const server = await keepaServer()
    server.answers = [{ status: 400, body: error('word '.repeat(500)) }]
    const { text } = await keepaKind(server).bind({}).run(context())
    expect(text?.length).toBeLessThan(280)
  })

  test('no answer at all is a failure of the run', async () => {
    const ask = async () => {
      throw new FetchError('connection', 'api.keepa.com can’t be reached.')
    }
    await expect(keepaKind().bind({}).run(context({ ask }))).rejects.toThrow('can’t be reached')
  })
})
