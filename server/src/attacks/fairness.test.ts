import { revisionHeader } from '@dealdeck/contract/preloads'
import type pg from 'pg'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { buildTestApp, busyMs } from '../../testing/app.ts'
import { whenDone } from '../../testing/cleanup.ts'
import { testDatabases } from '../../testing/database.ts'
import { makeDeal } from '../../testing/factories.ts'
import type { Databases } from '../platform/database/database.ts'
import { logSlowStatements } from '../platform/observing/slow-statements.ts'

/** The application on a port, two members, and a way to make every search wait. */
async function installation() {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const databases = await testDatabases()
  logSlowStatements(databases, 50, log)
  // Work in the background asks for deals, too, and the tests count what waits for them.
  const { app, signIn } = await buildTestApp({
    ...{ log, databases, databaseSilenceMs: busyMs },
    settings: { WORKERS: 'off' },
  })
  await makeDeal(databases, { title: 'Folding lantern' })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const [hostile, other] = [await signIn('user'), await signIn('user')]
  const ask = (who: typeof hostile, path: string, signal?: AbortSignal) =>
    fetch(origin + path, { headers: { cookie: who.headers.cookie }, ...(signal && { signal }) })
  return { databases, lines, hostile, other, ask, origin }
}

/** Until it is released no statement that reads these tables comes to its end. */
async function hold(databases: Databases, tables = 'deals'): Promise<pg.PoolClient> {
  const client = await databases.durablePool.connect()
  whenDone(async () => void client.release(true))
  await client.query(`begin; lock table ${tables} in access exclusive mode`)
  return client
}

async function waitingStatements({ reservedPool }: Databases): Promise<number> {
  const { rows } = await reservedPool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query not like '%pg_notify%'`,
  )
  return rows[0]?.n ?? 0
}

/** How many turns a gate has given that have not ended, or how many wait for one, as the figures tell. */
async function turnsOf(origin: string, gate: string, state: 'running' | 'waiting'): Promise<number> {
  const figures = await (await fetch(`${origin}/metrics`)).text()
  return Number(new RegExp(`dealdeck_turns\\{gate="${gate}",state="${state}"\\} (\\d+)`).exec(figures)?.[1])
}

let turn = 0
/** A search nobody has made before. */
const search = () => {
  turn += 1
  return `/api/products?limit=1000&search=la&sort=discord&max_price=${turn}`
}

test('a member with many searches has two at work, eight waiting, and slows nobody else', async () => {
  const { databases, hostile, other, ask, lines } = await installation()
  const kept = '/api/products?max_price=30'
  // Nothing is kept while revisions can't be heard yet.
  await expect.poll(async () => (await ask(other, kept)).headers.has(revisionHeader)).toBe(true)
  for (let times = 0; times < 2; times++) expect((await ask(other, kept)).status).toBe(200)
  const held = await hold(databases)
  const many = Array.from({ length: 16 }, () => ask(hostile, search()))
  await expect.poll(() => waitingStatements(databases)).toBe(2)

  for (const path of ['/api/session', '/readyz', kept, '/api/amazon_filters'])
    expect([path, (await ask(other, path)).status]).toEqual([path, 200])
  // Their own search waits for the database only, beside those two.
  const own = ask(other, search())
  await expect.poll(() => waitingStatements(databases)).toBe(3)

  const refusals = () => lines.filter(({ msg }) => msg === 'refused: TOO_MANY_REQUESTS')
  await expect.poll(() => refusals().length).toBe(6)
  expect(new Set(refusals().map(({ by }) => by))).toEqual(new Set([hostile.user.id]))
  await held.query('rollback')
  expect((await own).status).toBe(200)
  const answers = await Promise.all(many)
  // What the process does by itself meanwhile, such as a job, is nobody's.
  const slow = lines.filter(
    ({ msg, statement, by }) =>
      msg === 'Slow statement' && /deals/.test(String(statement)) && by !== undefined,
  )
  expect(new Set(slow.map(({ by }) => by))).toEqual(new Set([hostile.user.id, other.user.id]))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(refused).toHaveLength(6)
  expect(refused[0]?.headers.get('retry-after')).toBe('2')
  expect(await refused[0]?.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
})

test('a statement ends when nobody waits for it, and not while somebody does', async () => {
  const { databases, hostile, other, ask, lines, origin } = await installation()
  const held = await hold(databases)
  const leaves = new AbortController()
  const shared = search()
  const left = Array.from({ length: 4 }, () => ask(hostile, search(), leaves.signal))
  const first = ask(hostile, shared, leaves.signal)
  for (const one of [...left, first]) one.catch(() => undefined)
  await expect.poll(() => waitingStatements(databases)).toBe(2)
  leaves.abort()
  await expect.poll(() => waitingStatements(databases)).toBe(0)

  const leavesAlone = new AbortController()
  const leavers = [shared, search()].map((path) => ask(hostile, path, leavesAlone.signal))
  for (const one of leavers) one.catch(() => undefined)
  const stays = ask(other, shared)
  // Two of these three wait for one making of the page.
  await expect.poll(() => turnsOf(origin, 'searches', 'running')).toBe(3)
  await expect.poll(() => waitingStatements(databases)).toBe(2)
  leavesAlone.abort()
  // What nobody waits for is ended; by then the other would be, too.
  await expect.poll(() => waitingStatements(databases)).toBe(1)
  await held.query('rollback')
  expect((await stays).status).toBe(200)
  expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
})

test('a pool that is full is busy, and neither the database nor its members are taken for away', async () => {
  const { databases, hostile, ask } = await installation()
  const { customPlanPool } = databases
  const taken = await Promise.all(
    Array.from({ length: customPlanPool.options.max }, () => customPlanPool.connect()),
  )
  whenDone(async () => taken.forEach((client) => void client.release()))
  const answer = await ask(hostile, '/api/products/1')
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(await answer.json()).toMatchObject({ code: 'BUSY' })
  expect((await ask(hostile, '/readyz')).status).toBe(200)
  expect(databases.watch.isAway).toBe(false)
})

test('what a member may not do waits for its turn to be refused', async () => {
  const { databases, hostile, ask, origin } = await installation()
  const held = await hold(databases)
  const many = Array.from({ length: 16 }, () => ask(hostile, '/api/products/1'))
  await expect.poll(() => turnsOf(origin, 'requests', 'running')).toBe(16)
  const forbidden = ask(hostile, '/api/users')
  await expect.poll(() => turnsOf(origin, 'requests', 'waiting')).toBe(1)
  await held.query('rollback')
  expect((await forbidden).status).toBe(403)
  for (const { status } of await Promise.all(many)) expect(status).toBe(200)
})

test('the long address of a search is read one at a time for each member, and only up to a length', async () => {
  const { databases, hostile, origin } = await installation()
  const parse = (url: string) =>
    fetch(`${origin}/api/links/parse`, {
      method: 'POST',
      headers: { cookie: hostile.headers.cookie, origin, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    })
  const long = (parts: number) =>
    `https://www.amazon.com/s?k=a${Array.from({ length: parts }, (_, at) => `&a${at}=1`).join('')}`
  expect((await parse(long(1_200))).status).toBe(400)
  // One that is read waits for the filters; eight wait for it.
  const held = await hold(databases, 'amazon_filters, filter_state')
  const statuses: number[] = []
  const answers = Array.from({ length: 12 }, async () => void statuses.push((await parse(long(400))).status))
  await expect.poll(() => statuses).toEqual([429, 429, 429])
  await held.query('rollback')
  await Promise.all(answers)
  expect(statuses.slice(3)).toEqual(Array(9).fill(200))
})

/** A body of 62,000 bytes in which 31,000 things are wrong. */
const wrong = {
  filters: { brands: Array(9_999).fill(1), deals: Array(9_999).fill(1), off: Array(9_999).fill(1) },
}

test('however much is wrong with what one member sends, others are answered between, and the answer is short', async () => {
  const { app, signIn } = await buildTestApp()
  const [hostile, other] = [await signIn('user'), await signIn('user')]
  const order: string[] = []
  const asked = async (name: string, { headers }: typeof hostile, url: string, payload?: object) => {
    const answer = await app.inject({ url, headers, ...(payload && { method: 'POST', payload }) })
    order.push(name)
    return answer
  }
  // Both are known by now, so that neither has to be looked up.
  for (const who of [hostile, other]) await asked('warm', who, '/api/session')
  const answers = Array.from({ length: 10 }, (_, at) => asked(`wrong ${at}`, hostile, '/api/links', wrong))
  expect((await asked('other', other, '/api/links', {})).statusCode).toBe(200)
  for (const { statusCode, body } of await Promise.all(answers)) {
    expect(statusCode).toBe(400)
    expect(body.length).toBeLessThan(10_000)
  }
  expect(order.indexOf('other')).toBeLessThan(order.indexOf('wrong 2'))
})

test('however many ask whether it is ready, the database is asked once', async () => {
  const { app, databases } = await buildTestApp()
  const asked = vi.spyOn(databases.reservedPool, 'query')
  const answers = await Promise.all(Array.from({ length: 300 }, () => app.inject('/readyz')))
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  // One question whether the migrations are there, one which.
  expect(asked.mock.calls.length).toBeLessThanOrEqual(2)
})
