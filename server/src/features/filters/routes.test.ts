import { errorBodySchema } from '@dealdeck/contract/errors'
import { type FilterRecord, maximumFilters } from '@dealdeck/contract/filters'
import type { Role } from '@dealdeck/contract/session'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'

const path = '/api/amazon_filters'

async function filtersOf() {
  const testApp = await buildTestApp()
  const headers = {
    admin: (await testApp.signIn('admin')).headers,
    user: (await testApp.signIn('user')).headers,
  }
  const call = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    at: string | number,
    payload?: object,
    role: Role = 'admin',
  ) => {
    const url = typeof at === 'number' ? `${path}/${at}` : path + at
    const response = await testApp.app.inject({
      method,
      url,
      headers: headers[role],
      ...(payload && { payload }),
    })
    return { status: response.statusCode, headers: response.headers, body: response.body && response.json() }
  }
  const add = async (name: string, code = 'p_8:50-', category = 'brands'): Promise<FilterRecord> => {
    const { status, body } = await call('POST', '', { category, name, code })
    expect([status, body]).toEqual([201, expect.objectContaining({ category, name })])
    return body
  }
  const list = async (query = ''): Promise<FilterRecord[]> =>
    (await call('GET', query, undefined, 'user')).body
  return { ...testApp, headers, call, add, list }
}

test('everybody reads the list by category then name, whole or one category; an unchanged one is not sent again', async () => {
  const { app, headers, add, list, call } = await filtersOf()
  expect(await list()).toEqual([])
  await add('banana wear', 'p_89:Banana Wear')
  await add('60 % off', 'p_8:60-', 'percent_off')
  await add('Zebra', 'p_89:Zebra')
  await add('Apricot', 'p_89:Apricot')
  await add('Cheapest', 's=price-asc-rank', 'sort_by')
  await add('Toys', 'n:165793011', 'departments')
  const names = (await list()).map(({ name }) => name)
  expect(names).toEqual(['Apricot', 'banana wear', 'Zebra', 'Toys', '60 % off', 'Cheapest'])
  expect((await list('?category=departments')).map(({ name }) => name)).toEqual(['Toys'])
  expect((await call('GET', '?category=shoes')).body.fields).toHaveProperty('category')

  const etag = String((await call('GET', '')).headers.etag)
  const again = () => app.inject({ url: path, headers: { ...headers.user, 'if-none-match': etag } })
  expect((await again()).statusCode).toBe(304)
  await add('Toys and games', 'n:165793012', 'departments')
  expect((await again()).statusCode).toBe(200)
})

test('a filter is added, changed and removed by administrators only', async () => {
  const { call, list } = await filtersOf()
  const input = { category: 'brands', name: '  Under   Armour ', code: ' p_89:Under Armour ' }
  expect((await call('POST', '', input, 'user')).status).toBe(403)
  const { body: made } = await call('POST', '', input)
  expect(made).toEqual({
    id: expect.any(Number),
    category: 'brands',
    name: 'Under Armour',
    code: 'p_89:Under Armour',
    created_at: expect.stringMatching(/Z$/),
    updated_at: made.created_at,
  })
  expect((await call('PATCH', made.id, { name: 'UA' }, 'user')).status).toBe(403)
  const { body: changed } = await call('PATCH', made.id, { name: 'UA' })
  expect(changed).toMatchObject({ id: made.id, name: 'UA', code: made.code, created_at: made.created_at })
  expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(made.updated_at))
  expect((await call('DELETE', made.id, undefined, 'user')).status).toBe(403)
  expect(await list()).toEqual([changed])
  expect((await call('DELETE', made.id)).status).toBe(204)
  expect(await list()).toEqual([])
})

test('the messages are the specification’s', async () => {
  const { add, call } = await filtersOf()
  const acme = await add('Acme')
  const bolt = await add('Bolt')
  const both = 'Please enter both name and code'
  for (const [input, field] of [
    [{ name: '   ', code: 'p_8:50-' }, 'name'],
    [{ name: 'Cog', code: ' ' }, 'code'],
    [{ code: 'p_8:50-' }, 'name'],
    [{ name: 'Cog' }, 'code'],
    [{ name: '\u200b\u200d', code: 'p_8:50-' }, 'name'],
  ] as const) {
    const { status, body } = await call('POST', '', { category: 'brands', ...input })
    expect([status, body]).toEqual([400, { code: 'INVALID_INPUT', message: both, fields: { [field]: both } }])
  }
  const taken = 'Filter name already exists in this category'
  for (const name of ['Acme', ' ACME ', 'ａcme', 'Ac\u200bme']) {
    const { status, body } = await call('POST', '', { category: 'brands', name, code: 'p_8:50-' })
    expect([status, body]).toEqual([409, { code: 'CONFLICT', message: taken, fields: { name: taken } }])
  }
  await add('Acme', 'n:1', 'departments')
  const either = 'Filter name already exists or filter not found'
  expect(await call('PATCH', bolt.id, { name: 'aCME' })).toMatchObject({
    status: 409,
    body: { message: either },
  })
  expect(await call('PATCH', 999_999, { name: 'X' })).toMatchObject({
    status: 404,
    body: { message: either },
  })
  expect(await call('PATCH', acme.id, { name: 'ACME' })).toMatchObject({
    status: 200,
    body: { name: 'ACME' },
  })
  expect(await call('PATCH', acme.id, { name: '' })).toMatchObject({ status: 400, body: { message: both } })
  expect(await call('PATCH', acme.id, {})).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
  expect(await call('DELETE', 999_999)).toMatchObject({
    status: 404,
    body: { message: 'Failed to remove filter' },
  })
})

test('codes are brought into normal form, or refused in plain words naming the field', async () => {
  const { add, call } = await filtersOf()
  for (const [index, typed] of ['&rh=p_8:50-', 'rh=p_8%3A50-', 'p_8%253A50-', ' p_8:50-, '].entries()) {
    expect(await add(`Half price ${index}`, typed, 'percent_off')).toMatchObject({ code: 'p_8:50-' })
  }
  const { id } = await add('Sony', 'p_89:Sony')
  expect((await call('PATCH', id, { code: '&rh=p_89%3ASony' })).body).toMatchObject({ code: 'p_89:Sony' })
  for (const code of [
    'half off',
    'javascript:alert(1)&',
    `p_8:${'5'.repeat(3000)}`,
    'p_8:\u202e50-',
    'p_8:\ud800',
  ]) {
    for (const refused of [
      await call('POST', '', { category: 'deals', name: 'Odd', code }),
      await call('PATCH', id, { code }),
    ]) {
      expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['code']])
      expect(refused.body.message).toMatch(/^\S.* .*/)
    }
  }
})

test('a name may be in any script and hold anything; it stays text', async () => {
  const { add, list } = await filtersOf()
  const names = [
    '<script>alert(1)</script>',
    `"Quote's"`,
    'نستله',
    '小米',
    "'; drop table amazon_filters; --",
    '👩‍🔧 %_\\',
  ]
  for (const name of names) await add(name)
  expect((await list()).map(({ name }) => name).sort()).toEqual([...names].sort())
})

test.each([
  { category: 'shoes', name: 'A', code: 'p_8:50-' },
  { category: 'brands', name: 'x'.repeat(121), code: 'p_8:50-' },
  { category: 'brands', name: 'line\u0000break', code: 'p_8:50-' },
  { category: 'brands', name: 'evil\u202egnp', code: 'p_8:50-' },
  { category: 'brands', name: 'ﷺ'.repeat(120), code: 'p_8:50-' },
  { category: ['brands'], name: 5, code: { a: 1 } },
  {},
])('bad input is refused in the one shape, naming the field: %j', async (input) => {
  const { call, list } = await filtersOf()
  const { status, body } = await call('POST', '', input)
  expect([status, errorBodySchema.strict().parse(body).code]).toEqual([400, 'INVALID_INPUT'])
  expect(Object.keys(body.fields).length).toBeGreaterThan(0)
  expect(await list()).toEqual([])
})

test('of twenty who add the same name at once one succeeds', async () => {
  const { call, list } = await filtersOf()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      call('POST', '', { category: 'brands', name: index % 2 ? 'Acme' : 'ACME', code: `p_8:${index + 10}-` }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
  expect(await list()).toEqual([answers.find(({ status }) => status === 201)?.body])
})

test('of two administrators who edit the same filter at once one wins and the other is told', async () => {
  const { add, call, list } = await filtersOf()
  const { id, updated_at: expected_updated_at } = await add('Acme')
  const edits = ['First', 'Second'].map((name, index) => ({
    name,
    code: `p_8:${index + 1}0-`,
    expected_updated_at,
  }))
  const answers = await Promise.all(edits.map((edit) => call('PATCH', id, edit)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const [winner, loser] = [200, 409].map((status) => answers.find((answer) => answer.status === status)?.body)
  expect(loser).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('Somebody else changed') })
  expect(Object.keys(loser.fields)).toEqual(['expected_updated_at'])
  expect(await list()).toEqual([winner])
  expect(edits).toContainEqual(expect.objectContaining({ name: winner.name, code: winner.code }))
  const again = { name: 'Third', expected_updated_at: winner.updated_at }
  expect((await call('PATCH', id, again)).status).toBe(200)
  expect((await call('PATCH', id, { name: 'Fourth', expected_updated_at: 'yesterday' })).status).toBe(400)
})

test('who removes a filter that was changed meanwhile is told, and it stays', async () => {
  const { add, call, list } = await filtersOf()
  const { id, updated_at } = await add('Acme')
  const remove = (read: string) => call('DELETE', `/${id}?expected_updated_at=${encodeURIComponent(read)}`)
  const { body: changed } = await call('PATCH', id, { name: 'Bolt' })
  const { status, body } = await remove(updated_at)
  expect([status, body.code, Object.keys(body.fields)]).toEqual([409, 'CONFLICT', ['expected_updated_at']])
  expect(await list()).toEqual([changed])
  expect((await remove('yesterday')).status).toBe(400)
  const inBody = await call('DELETE', `/${id}`, { expected_updated_at: updated_at })
  expect([inBody.status, Object.keys(inBody.body.fields)]).toEqual([400, ['body.expected_updated_at']])
  expect(await list()).toEqual([changed])
  expect((await remove(changed.updated_at)).status).toBe(204)
  expect(await list()).toEqual([])
})

test('renaming two filters to the same name at once lets one have it', async () => {
  const { add, call, list } = await filtersOf()
  const both = [await add('Acme'), await add('Bolt')]
  const answers = await Promise.all(both.map(({ id }) => call('PATCH', id, { name: 'Cog' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect((await list()).filter(({ name }) => name === 'Cog')).toHaveLength(1)
})

test('a full list is listed whole and takes no more', async () => {
  const { databases, call, list } = await filtersOf()
  await databases.durablePool.query(
    `insert into amazon_filters (category, name, name_folded, code)
     select 'brands', 'Brand ' || n, 'brand ' || n, 'p_89:Brand ' || n from generate_series(1, $1) n`,
    [maximumFilters - 1],
  )
  expect((await call('POST', '', { category: 'deals', name: 'Last', code: 'p_8:50-' })).status).toBe(201)
  expect(await list()).toHaveLength(maximumFilters)
  const { status, body } = await call('POST', '', { category: 'deals', name: 'One more', code: 'p_8:50-' })
  expect([status, body.code, body.message]).toEqual([409, 'CONFLICT', expect.stringContaining('no room')])
})
