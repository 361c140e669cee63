import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Deal } from '@dealdeck/contract/deals'
import { declarationOf, fieldNames } from '@dealdeck/query/fields'
import { parseQuestion } from '@dealdeck/query/parsing'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../../testing/app.ts'
import { plain } from '../../../../testing/asked-deals.ts'
import { whenDone } from '../../../../testing/cleanup.ts'
import { listening } from '../../../../testing/streams.ts'
import { LiveBus } from '../../../platform/live/live-bus.ts'
import { beginEpoch } from '../publisher.ts'
import { countDeals, listDeals } from '../queries.ts'
import { narrowed } from '../searching/asking.ts'
import type { FeedQuery } from '../searching/conditions.ts'
import { DealSearch } from './deal-search.ts'
import type { IndexAnswer, IndexRequest, IndexWorkerData } from './index-messages.ts'
import { LeftQuestions } from './left-questions.ts'

const rows = (...deals: object[]) => deals.map((deal) => JSON.stringify(deal)).join('\n')

async function setUp() {
  // That a thread ends and another begins is written to the log.
  const log = pino({ level: 'silent' })
  const testApp = await buildTestApp({ settings: { SEARCH_INDEX: 'on' }, log })
  await listening(testApp)
  const [user, admin] = [await testApp.signIn('user'), await testApp.signIn('admin')]
  const send = async (body: string) => {
    const headers = { ...admin.headers, 'content-type': 'application/x-ndjson' }
    const answer = await testApp.app.inject({
      method: 'POST',
      url: '/api/products/import?availability=In%20stock',
      headers,
      body,
    })
    expect(answer.statusCode, answer.body).toBe(200)
  }
  return { ...testApp, user, admin, send }
}

/** The titles a question finds, and who found them. */
async function search({ app }: TestApp, { headers }: SignedIn, parameters: Record<string, string>) {
  const by = async () => {
    const { body } = await app.inject({ url: '/metrics' })
    return ['memory', 'database'].map((name) =>
      Number(new RegExp(`searches_total\\{by="${name}"\\} (\\d+)`).exec(body)?.[1]),
    )
  }
  const [before] = await by()
  const answer = await app.inject({ url: `/api/products?${new URLSearchParams(parameters)}`, headers })
  const [after] = await by()
  const { items } = answer.json<{ items: Deal[] }>()
  return { titles: items.map(({ title }) => title), isFromMemory: before !== after }
}

const ready = async (testApp: TestApp, who: SignedIn) => {
  let asked = 0
  await expect
    .poll(async () => (await search(testApp, who, { q: `begin${asked++}` })).isFromMemory, {
      timeout: 20_000,
    })
    .toBe(true)
}

test('searches are answered from memory, and the next one knows of every change', async () => {
  const setting = await setUp()
  const { user, admin, send, app } = setting
  await send(
    rows(
      { asin: 'B000000001', title: 'Wireless earbuds', price: 5 },
      { asin: 'B000000002', title: 'Earbuds case, wireless', price: 7 },
    ),
  )
  await ready(setting, user)
  const find = async (q: string, more = {}) => {
    const found = await search(setting, user, { q, sort: 'price', ...more })
    expect(found.isFromMemory).toBe(true)
    return found.titles
  }
  expect(await find('earbuds wireless')).toEqual(['Wireless earbuds', 'Earbuds case, wireless'])
  expect(await find('"wireless earbuds"')).toEqual(['Wireless earbuds'])
  await send(
    rows(
      { asin: 'B000000003', title: 'Earbuds', price: 1 },
      { asin: 'B000000001', title: 'Wireless lamp', price: 9 },
    ),
  )
  expect(await find('earbuds')).toEqual(['Earbuds', 'Earbuds case, wireless'])
  expect(await find('wireless')).toEqual(['Earbuds case, wireless', 'Wireless lamp'])
  expect(await find('brand:=none OR earbuds')).toEqual(['Earbuds', 'Earbuds case, wireless'])
  const word = {
    method: 'POST',
    url: '/api/blacklisted_words',
    headers: admin.headers,
    payload: { word: 'case' },
  } as const
  const added = await app.inject(word)
  expect(await find('earbuds')).toEqual(['Earbuds'])
  // Hidden deals are looked for in the database.
  const hidden = await search(setting, admin, { q: 'earbuds', include_hidden: 'true', sort: 'price' })
  expect(hidden).toEqual({ titles: ['Earbuds', 'Earbuds case, wireless'], isFromMemory: false })
  const { id } = added.json<{ id: number }>()
  await app.inject({ method: 'DELETE', url: `/api/blacklisted_words/${id}`, headers: admin.headers })
  expect(await find('earbuds')).toEqual(['Earbuds', 'Earbuds case, wireless'])
  const count = await app.inject({ url: '/api/products/count?q=earbuds', headers: user.headers })
  expect(count.json()).toEqual({ count: 2, has_more: false })
})

test('what is shown from memory is as of the last change, and of the last sight of an unchanged deal', async () => {
  const setting = await setUp()
  const { user, send, app } = setting
  const row = (observed_at: string, more = {}) =>
    rows({ asin: 'B000000001', title: 'Wireless earbuds', price: 5, observed_at, ...more })
  await send(row('2026-01-01T00:00:00Z'))
  await ready(setting, user)
  const page = async (q: string) => {
    const url = `/api/products?${new URLSearchParams({ q })}`
    return (await app.inject({ url, headers: user.headers })).json<{ items: Deal[] }>().items
  }
  expect(await page('earbuds')).toMatchObject([{ price: 5, observed_at: '2026-01-01T00:00:00Z' }])
  // Asked again in another way, since the same page is cached by its address.
  expect(await page('wireless')).toMatchObject([{ price: 5, observed_at: '2026-01-01T00:00:00Z' }])
  // A whole second: of a fraction PostgreSQL leaves out the zeros at its end.
  const now = `${new Date().toISOString().slice(0, 19)}Z`
  expect(await page('earbuds checked:<1h')).toEqual([])
  await send(row(now))
  expect(await page('earbuds checked:<1h')).toMatchObject([{ price: 5, observed_at: now }])
  await send(row(now, { price: 4 }))
  expect(await page('earbuds wireless')).toMatchObject([{ price: 4, observed_at: now }])
})

test('while the memory has lost its connection or its history the database answers, and it is read anew', async () => {
  const setting = await setUp()
  const { user, send, databases } = setting
  await send(rows({ asin: 'B000000001', title: 'Wireless earbuds', price: 5 }))
  await ready(setting, user)
  const { rowCount } = await databases.durablePool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'dealdeck index' and datname = current_database()`,
  )
  expect(rowCount).toBe(1)
  expect((await search(setting, user, { q: 'earbuds', sort: 'price' })).titles).toEqual(['Wireless earbuds'])
  await ready(setting, user)
  await beginEpoch(databases.durablePool, 0)
  expect((await search(setting, user, { q: 'wireless', sort: 'price' })).titles).toEqual(['Wireless earbuds'])
  await ready(setting, user)
})

test('while the memory is read who asks for fields waits for it, as the database has no index of them all', async () => {
  const { databases, user, send } = await setUp()
  await send(rows({ asin: 'B000000001', title: 'Wireless earbuds', price: 5, rating: 4.5 }))
  const client = await databases.durablePool.connect()
  await client.query('begin; lock table deals in access exclusive mode')
  const starting = await buildTestApp({ databases, settings: { SEARCH_INDEX: 'on' } })
  await listening(starting)
  const answers = ['rating:>4', 'earbuds price:<9'].map((q) => search(starting, user, { q }))
  // What a page shows is asked for by its ids, and looked up in the database whatever the question.
  const byId = search(starting, user, { q: 'rating:>4', ids: '1' })
  await sleep(500)
  // Only those that the database answers have a turn, which others need.
  const { body: meanwhile } = await starting.app.inject('/metrics')
  expect(meanwhile).toMatch(/^dealdeck_turns\{gate="searches",state="running"\} 2$/m)
  await client.query('commit')
  client.release()
  const titles = ['Wireless earbuds']
  expect(await answers[1]).toMatchObject({ titles })
  expect(await answers[0]).toMatchObject({ titles })
  expect(await byId).toMatchObject({ titles })
  const { body } = await starting.app.inject('/metrics')
  expect(body).toContain('searches_total{by="memory"} 1')
  expect(body).toContain('searches_total{by="database"} 1')
})

test('who asks for fields while the memory is read for long is told to come again, and asks nothing of the database', async () => {
  const { databases } = await buildTestApp()
  const client = await databases.durablePool.connect()
  await client.query('begin; lock table deals in access exclusive mode')
  whenDone(async () => {
    await client.query('rollback')
    client.release()
  })
  const bus = new LiveBus(databases, pino({ level: 'silent' }))
  const starting = new DealSearch(databases, bus, pino({ level: 'silent' }), () => null, 50)
  starting.start()
  whenDone(() => starting.stop())
  const asked = vi.spyOn(databases.customPlanPool, 'query')
  const rating: FeedQuery = { ...plain, min_rating: 4.5 }
  const condition = parseQuestion('condition:used', { isAdministrator: false }).question.condition
  for (const query of [rating, narrowed(plain, condition, { now: 0, midnight: 0 })]) {
    const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
    await expect(listDeals(databases, query, shop, starting)).rejects.toMatchObject({
      code: 'BUSY',
      retryAfter: 2,
    })
    await expect(countDeals(databases.customPlanPool, query, starting)).rejects.toMatchObject({
      code: 'BUSY',
    })
  }
  const texts = asked.mock.calls.map(([first]) => (typeof first === 'string' ? first : Object(first).text))
  expect(texts.filter((text) => / deals\b/.test(text))).toEqual([])
})

test('what is asked of one field is found in memory, but for fields that the database has an index of', async () => {
  const setting = await setUp()
  const { user, send } = setting
  await send(rows({ asin: 'B000000001', title: 'Wireless earbuds', price: 5 }))
  await ready(setting, user)
  const left: string[] = []
  for (const name of fieldNames) {
    const q = `${name}:${declarationOf(name).example}`
    if (!(await search(setting, user, { q })).isFromMemory) left.push(name)
  }
  // That it reads none of these pages by going through all deals is proved in `plans.test.ts`.
  expect(left.toSorted()).toEqual(['asin', 'off', 'price', 'prime'])
  // The beginning of nearly every code.
  expect((await search(setting, user, { q: 'asin:B brand:=casio' })).isFromMemory).toBe(true)
})

test('brands and categories are suggested by all deals in memory, and those of a hidden one no longer', async () => {
  const setting = await setUp()
  const { user, admin, send, app, databases } = setting
  const deal = (asin: string, brand: string | null, category: string | null = null) => ({
    ...{ asin, title: `Lamp of ${brand}`, price: 5, brand, category },
  })
  await send(
    rows(
      deal('B000000001', 'Casio', 'Clothing > Watches'),
      deal('B000000002', 'CASIO', 'Clothing > Shoes'),
      deal('B000000003', 'Casio'),
      deal('B000000004', 'Seiko'),
      deal('B000000005', null),
    ),
  )
  await ready(setting, user)
  const asked = vi.spyOn(databases.customPlanPool, 'query')
  const suggest = async (query: string) => {
    const answer = await app.inject({ url: `/api/query/suggestions?${query}`, headers: user.headers })
    return answer.json<{ values: { value: string; count: number }[] }>()
  }
  expect(await suggest('field=brand')).toEqual({
    ...{
      values: [
        { value: 'Casio', count: 3 },
        { value: 'Seiko', count: 1 },
      ],
      has_more: false,
    },
  })
  expect((await suggest('field=category&prefix=clo')).values).toEqual([{ value: 'Clothing', count: 2 }])
  await app.inject({
    ...{ method: 'POST', url: '/api/blacklisted_words', headers: admin.headers },
    payload: { word: 'seiko' },
  })
  await expect.poll(async () => (await suggest('field=brand&prefix=sei')).values).toEqual([])
  const read = asked.mock.calls.filter(([text]) => String(text).includes('group by brand'))
  expect(read).toEqual([])
})

test('the thread leaves out questions that nobody waits for any more', async () => {
  const { databases } = await buildTestApp()
  const left = new LeftQuestions()
  const worker = new Worker(new URL('./index-worker.ts', import.meta.url), {
    workerData: { url: databases.url, memory: left.memory } satisfies IndexWorkerData,
  })
  whenDone(async () => void (await worker.terminate()))
  const answers: IndexAnswer[] = []
  worker.on('message', (answer: IndexAnswer) => answers.push(answer))
  left.leave(1)
  for (const at of [1, 2])
    worker.postMessage({ kind: 'count', at, revision: 0, query: plain, most: 9 } satisfies IndexRequest)
  await expect
    .poll(() => answers.map((answer) => ('at' in answer ? answer.at : answer.kind)))
    .toEqual(['ready', 2])
})

test('a database that goes away takes the thread with it, whose connection may hang, and another begins', async () => {
  const setting = await setUp()
  const { user, send, databases, app } = setting
  await send(rows({ asin: 'B000000001', title: 'Wireless earbuds', price: 5 }))
  await ready(setting, user)
  // As the watch says it when the bus finds the database silent; its cut connections are others' business.
  for (const listener of databases.watch.onChange) listener('away')
  const isIndexed = async () => /^dealdeck_search_deals 1$/m.test((await app.inject('/metrics')).body)
  await expect.poll(isIndexed).toBe(false)
  // Who asks for fields until there is another one waits for it.
  expect(await search(setting, user, { q: 'price:any rating:any OR earbuds' })).toEqual({
    ...{ titles: ['Wireless earbuds'], isFromMemory: true },
  })
  await ready(setting, user)
})
