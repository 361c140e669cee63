import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsins } from '../../../testing/factories.ts'
import {
  kindThat,
  makeHeldRow,
  makeSource,
  rowsOf,
  runNow,
  testBox,
  testSources,
} from '../../../testing/sources.ts'
import type { RunContext } from '../sources/kinds/source-kind.ts'

let body: object[] = []
let meanwhile = async () => {}
const hand = async (context: RunContext) => {
  await context.hand({ body, isWhole: true, listsAll: false })
  await meanwhile()
  await context.savePosition('read')
  return { state: 'done' as const }
}
const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [kindThat(hand)], secrets: testBox },
})
const { headers } = await signIn('admin')
const deps = testSources(databases, hand)

const poll = async (source: number, rows: object[]) => {
  body = rows
  return runNow(deps, source)
}
const priced = (asin: string, price: number, more: object = {}) => ({
  ...rowsOf([asin], () => price)[0],
  ...more,
})
const inEuros = (asin: string, price: number, more: object = {}) =>
  priced(asin, price, { currency: 'EUR', ...more })
const call = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) => {
  const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: response.statusCode, ...response.json() }
}
const waiting = async (source: number): Promise<{ id: number; asin: string; rule: string }[]> =>
  (await call('GET', `/api/quarantine?source=${source}&limit=200`)).items
const decide = async (what: 'release' | 'refuse', source: number, more: object) => {
  const ids = (await waiting(source)).map(({ id }) => id)
  return call('POST', `/api/quarantine/${what}`, { ids, ...more })
}
const change = (source: number, payload: object) => call('PATCH', `/api/sources/${source}`, payload)
const sourceOf = async (id: number) =>
  databases.db.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const rejectsOf = async ({ import_ids: [id] }: { import_ids: number[] }) =>
  (await call('GET', `/api/imports/${id}/rejects`)).rejected
const priceOf = async (asin: string) =>
  (await databases.customPlanPool.query('select price from deals where asin = $1', [asin])).rows[0]?.price

test('what is always refused of a source waits no more, and counts as refused with the reason', async () => {
  const source = await makeSource(databases)
  const [one = '', other = '', own = '', next = ''] = nextAsins(4)
  await poll(source, [inEuros(one, 20), priced(other, 20, { marketplace: 'amazon.de' })])
  const held = await waiting(source)
  const ids = held.filter(({ rule }) => rule === 'currency').map(({ id }) => id)
  const decided = await call('POST', '/api/quarantine/refuse', { ids, always: true })
  expect(decided).toMatchObject({ status: 200, decided: 1 })
  expect(await sourceOf(source)).toMatchObject({ refused_rules: ['currency'], trusted_rules: [] })
  expect((await call('GET', '/api/audit?limit=1')).items).toMatchObject([
    { action: 'reject', after: { rows: 1, rules: 'currency', always_refused: true } },
  ])
  const run = await poll(source, [
    inEuros(one, 30),
    { asin: own },
    inEuros(next, 5),
    priced(own, 8, { currency: 'USD' }),
  ])
  expect(run).toMatchObject({
    received: 4,
    created: 1,
    rejected: 3,
    held: 0,
    refused_before: 0,
    state: 'done',
  })
  expect(await rejectsOf(run)).toEqual([
    { row: 1, asin: one, reason: 'another currency: EUR, always refused' },
    { row: 2, asin: own, reason: 'no title' },
    { row: 3, asin: next, reason: 'another currency: EUR, always refused' },
  ])
  expect((await waiting(source)).map(({ asin }) => asin)).toEqual([other])
  // Of another source it waits.
  expect(await poll(await makeSource(databases), [inEuros(one, 20)])).toMatchObject({ held: 1, rejected: 0 })
})

test('a source of which all rows are always refused has not worked', async () => {
  const source = await makeSource(databases, { refused_rules: ['currency'] })
  expect(
    await poll(
      source,
      nextAsins(2).map((asin) => inEuros(asin, 20)),
    ),
  ).toMatchObject({
    ...{ state: 'failed', rejected: 2, held: 0 },
    text: 'All 2 rows were refused: another currency: EUR, always refused (2). Nothing of it becomes a deal.',
  })
})

test('every rule can refuse at once, of a row as of a document', async () => {
  const source = await makeSource(databases, { refused_rules: ['doubled', 'price_low'] })
  const all = nextAsins(90)
  const [first = ''] = all
  for (let count = 0; count < 3; count++) await poll(source, rowsOf(all.slice(0, 30)))
  const low = await poll(
    source,
    rowsOf(all.slice(0, 30), (at) => (at === 0 ? 1 : 20)),
  )
  expect(low).toMatchObject({ rejected: 1, unchanged: 29, held: 0, text: null })
  expect(await rejectsOf(low)).toEqual([
    { row: 1, asin: first, reason: 'price far below what it was, always refused' },
  ])
  expect(await priceOf(first)).toBe(20)
  const doubled = await poll(source, rowsOf(all))
  expect(doubled).toMatchObject({ rejected: 60, created: 0, unchanged: 30, held: 0 })
  expect(doubled.text).toBe('90 rows, where there were 30. No row of it waits, and nothing ends for it.')
  expect(await waiting(source)).toEqual([])
})

test('of several rules one that always refuses counts, also of what was let through before', async () => {
  const source = await makeSource(databases, { refused_rules: ['marketplace'] })
  const [asin = ''] = nextAsins(1)
  const both = inEuros(asin, 20, { marketplace: 'amazon.de' })
  expect(await poll(source, [both])).toMatchObject({ rejected: 1, held: 0 })
  await change(source, { trusted_rules: ['currency'] })
  expect(await poll(source, [both])).toMatchObject({ rejected: 1, held: 0 })
  await change(source, { trusted_rules: [], refused_rules: [] })
  await poll(source, [both])
  await decide('release', source, {})
  expect(await poll(source, [both])).toMatchObject({ unchanged: 1, held: 0 })
  await change(source, { refused_rules: ['currency'] })
  expect(await poll(source, [both])).toMatchObject({ rejected: 1, unchanged: 0 })
})

test('what waits since before is refused with what comes', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(source, [inEuros(asin, 20)])
  await change(source, { refused_rules: ['currency'] })
  expect(await waiting(source)).toHaveLength(1)
  expect(await poll(source, [inEuros(asin, 20)])).toMatchObject({ rejected: 1, held: 0 })
  expect(await waiting(source)).toEqual([])
})

test('a rule is trusted, always refused or neither, by whoever decides last', async () => {
  const source = await makeSource(databases, { trusted_rules: ['title'] })
  const rules = async () => {
    const { trusted_rules, refused_rules } = await sourceOf(source)
    return [trusted_rules, refused_rules]
  }
  const hold = (...names: string[]) =>
    Promise.all(names.map((rule) => makeHeldRow(databases, source, { rule })))
  await hold('price_low', 'title')
  await decide('refuse', source, { always: true })
  expect(await rules()).toEqual([[], ['price_low', 'title']])
  await hold('title')
  await decide('release', source, { trust: true })
  expect(await rules()).toEqual([['title'], ['price_low']])
  // Without a word of it nothing changes.
  await hold('title', 'price_low')
  await decide('refuse', source, {})
  expect(await rules()).toEqual([['title'], ['price_low']])
  expect(await change(source, { trusted_rules: ['price_low', 'title'] })).toMatchObject({
    ...{ trusted_rules: ['price_low', 'title'], refused_rules: [] },
  })
  expect(await change(source, { refused_rules: ['title', 'currency'] })).toMatchObject({
    ...{ trusted_rules: ['price_low'], refused_rules: ['currency', 'title'] },
  })
  const both = await change(source, { trusted_rules: ['title'], refused_rules: ['title'] })
  expect(both).toMatchObject({ status: 400, fields: { refused_rules: expect.any(String) } })
  const unknown = await change(source, { refused_rules: ['nonsense'] })
  expect(unknown).toMatchObject({ status: 400, fields: { refused_rules: expect.any(String) } })
  const { items: entries } = await call('GET', '/api/audit?limit=1')
  expect(entries[0].after).toMatchObject({ refused_rules: 'currency, title' })
})

test('once a rule refuses no longer, its source is read again, also where it says the same', async () => {
  const source = await makeSource(databases, { refused_rules: ['currency', 'title'] })
  const [asin = ''] = nextAsins(1)
  await poll(source, [inEuros(asin, 20)])
  expect((await sourceOf(source)).position).toBe('read')
  const { next_run_at: planned } = await sourceOf(source)
  await change(source, { refused_rules: ['currency', 'title', 'price_low'] })
  expect(await sourceOf(source)).toMatchObject({ position: 'read', next_run_at: planned })
  await change(source, { refused_rules: ['title'] })
  const { position, next_run_at } = await sourceOf(source)
  expect([position, Number(next_run_at) <= Date.now()]).toEqual([null, true])
  // A run under way has read it with the rules of before.
  meanwhile = async () => {
    await change(source, { refused_rules: [] })
  }
  await expect(poll(source, [inEuros(asin, 20)])).rejects.toThrow('another’s')
  meanwhile = async () => {}
  expect((await sourceOf(source)).position).toBeNull()
  await poll(source, [inEuros(asin, 20)])
  await change(source, { refused_rules: ['currency'] })
  await databases.durablePool.query(`update sources set position = '"read"' where id = $1`, [source])
  await decide('release', source, { trust: true })
  const trusting = await sourceOf(source)
  expect(trusting).toMatchObject({ position: null, trusted_rules: ['currency'] })
  expect(Number(trusting.next_run_at) <= Date.now()).toBe(true)
  // The same while a run is under way.
  await change(source, { refused_rules: ['currency'] })
  await makeHeldRow(databases, source, { rule: 'currency' })
  meanwhile = async () => {
    await decide('release', source, { trust: true })
  }
  await expect(poll(source, [inEuros(asin, 30)])).rejects.toThrow('another’s')
  meanwhile = async () => {}
  expect(await sourceOf(source)).toMatchObject({ position: null, running_id: null })
})

test('rows that are trusted no longer, as they are always refused, are missed by nobody', async () => {
  const source = await makeSource(databases, { trusted_rules: ['currency'] })
  const all = [...rowsOf(nextAsins(25)), ...nextAsins(60).map((asin) => inEuros(asin, 20))]
  for (let count = 0; count < 3; count++) await poll(source, all)
  await makeHeldRow(databases, source, { rule: 'currency' })
  await decide('refuse', source, { always: true })
  expect(await poll(source, all)).toMatchObject({ rejected: 60, held: 0, unchanged: 25, text: null })
})
