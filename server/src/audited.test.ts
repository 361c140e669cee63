import { contract } from '@dealdeck/contract/api'
import { afterAll, describe, expect, test } from 'vitest'
import { buildTestApp } from '../testing/app.ts'
import { makeDeal, makeUser } from '../testing/factories.ts'
import { kindThat, makeHeldRow, makeSource, testBox } from '../testing/sources.ts'
import { addWord } from './features/blacklist/actions.ts'
import { addFilter } from './features/filters/actions.ts'
import { createToken } from './features/ingest/actions.ts'
import { contractRoutes } from './platform/http/contract-routes.ts'

const idleKind = kindThat(async () => ({ state: 'done' }))
const { app, databases, signIn } = await buildTestApp({ sources: { kinds: [idleKind], secrets: testBox } })
const { user: actor, headers } = await signIn('admin')
const acme = { category: 'brands' as const, name: 'Acme', code: 'p_89:Acme' }
const row = { asin: 'B0AUDITED0', title: 'Enamel mug', price: 8 }

type Call = { payload?: object | (() => Promise<object>); id?: () => Promise<number> }
const withId =
  (make: () => Promise<{ id: number }>): NonNullable<Call['id']> =>
  async () =>
    (await make()).id
const anyFilter = withId(() => addFilter(databases, { ...acme, name: `Filter ${Math.random()}` }))
const anyWord = withId(() => addWord(databases, `word ${Math.random()}`))

const source = { kind: 'address', name: 'A list', settings: {} }
const anySource = () => makeSource(databases)

async function heldRow(): Promise<number> {
  return makeHeldRow(databases, await makeSource(databases))
}

async function dealWithPoint() {
  const deal = await makeDeal(databases)
  await databases.durablePool.query(
    "insert into price_points (deal_id, seen_at, price) values ($1, '2026-03-01T08:00:00Z', 9.99)",
    [deal.id],
  )
  return deal
}

/** For each route by which an administrator changes something, a call that does. */
const calls: Record<string, Call> = {
  'POST /api/amazon_filters': { payload: acme },
  'PATCH /api/amazon_filters/{id}': { id: anyFilter, payload: { name: 'Renamed' } },
  'DELETE /api/amazon_filters/{id}': { id: anyFilter },
  'POST /api/amazon_filters/import': { payload: [{ ...acme, code: 'p_89:Other' }] },
  'POST /api/blacklisted_words': { payload: { word: 'wig' } },
  'PATCH /api/blacklisted_words/{id}': { id: anyWord, payload: { is_active: false } },
  'DELETE /api/blacklisted_words/{id}': { id: anyWord },
  'POST /api/users': { payload: { username: 'newcomer', password: 'correct horse', role: 'user' } },
  'PATCH /api/users/{id}': { id: withId(() => makeUser(databases)), payload: { role: 'admin' } },
  'DELETE /api/users/{id}': { id: withId(() => makeUser(databases)) },
  'POST /api/ingest_tokens': { payload: { name: 'bot' } },
  'DELETE /api/ingest_tokens/{id}': { id: withId(() => createToken(databases, 'old bot', actor)) },
  'POST /api/products/import': { payload: [row] },
  'PUT /api/products/{id}/prices/wrong': {
    id: withId(dealWithPoint),
    payload: { seen_at: '2026-03-01T08:00:00Z', is_wrong: true },
  },
  'PUT /api/products/{id}/hidden': { id: withId(() => makeDeal(databases)), payload: { is_hidden: true } },
  'DELETE /api/products/samples': {},
  'POST /api/sources': { payload: { ...source, secrets: { key: 'correct horse' } } },
  'PATCH /api/sources/{id}': { id: anySource, payload: { secrets: { key: 'correct horse 2' } } },
  'DELETE /api/sources/{id}': { id: anySource },
  'POST /api/sources/{id}/run': { id: anySource },
  'POST /api/quarantine/release': { payload: async () => ({ ids: [await heldRow()] }) },
  'POST /api/quarantine/refuse': { payload: async () => ({ ids: [await heldRow()] }) },
}
/** Reads, in spite of its method. */
const changesNothing = new Set(['POST /api/products/import/preview', 'POST /api/sources/try'])

const routes = contractRoutes(contract)
  .filter(({ method, meta }) => method !== 'GET' && meta.access.startsWith('admin'))
  .map(({ method, path }) => ({ method, path, name: `${String(method)} ${path}` }))
  .filter(({ name }) => !changesNothing.has(name))

const texts: string[] = []
afterAll(() => expect(texts.join()).not.toMatch(/argon2|correct horse|dd_[\w-]{20}/))

describe.each(routes)('$name', ({ method, path, name }) => {
  test('leaves an entry by whoever called it', async () => {
    const known = calls[name]
    if (!known) throw new Error('Say in this test how to call it, and let it record its change')
    await makeDeal(databases, { is_sample: true })
    const url = known.id ? path.replace('{id}', String(await known.id())) : path
    const payload = typeof known.payload === 'function' ? await known.payload() : known.payload
    const { rows: before } = await databases.customPlanPool.query('select max(id) as id from audit_entries')
    const response = await app.inject({
      method,
      url,
      headers,
      ...(payload && { payload }),
    })
    expect([response.statusCode, response.body]).toEqual([
      expect.toSatisfy((status: number) => status < 300),
      expect.anything(),
    ])
    const { rows } = await databases.customPlanPool.query('select * from audit_entries where id > $1', [
      before[0].id ?? 0,
    ])
    expect(rows).toMatchObject([{ actor_id: actor.id, actor_name: actor.username }])
    texts.push(JSON.stringify(rows))
  })
})
