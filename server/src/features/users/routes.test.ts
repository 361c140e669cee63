import { errorBodySchema } from '@dealdeck/contract/errors'
import { type UserPage, type UserRecord, userRecordSchema } from '@dealdeck/contract/users'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeUser } from '../../../testing/factories.ts'

async function usersOf() {
  const testApp = await buildTestApp()
  const admin = await testApp.signIn('admin')
  const call = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    at: string | number = '',
    payload?: object,
    headers: Record<string, string> = admin.headers,
  ) => {
    const url = typeof at === 'number' ? `/api/users/${at}` : `/api/users${at}`
    const answer = await testApp.app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, text: answer.body, body: answer.body && answer.json() }
  }
  const add = async (username: string, more: object = {}): Promise<UserRecord> => {
    const { status, body } = await call('POST', '', { username, password: 'secret1', ...more })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ username: username.trim().toLowerCase() }),
    ])
    return body
  }
  const list = async (query = ''): Promise<UserPage> => (await call('GET', query)).body
  const signIn = async (username: string, password: string) =>
    (await testApp.app.inject({ method: 'POST', url: '/api/session', payload: { username, password } }))
      .statusCode
  return { ...testApp, admin, call, add, list, logIn: signIn }
}

const names = ({ items }: UserPage) => items.map(({ username }) => username)

test('an account is added approved, listed, changed and deleted, and can do what it should at each step', async () => {
  const { call, add, list, logIn } = await usersOf()
  const added = await add('  Night-Owl ')
  expect(userRecordSchema.strict().parse(added)).toMatchObject({
    username: 'night-owl',
    role: 'user',
    status: 'approved',
    is_active: true,
    last_sign_in_at: null,
    live_sessions: 0,
  })
  expect(names(await list())[0]).toBe('night-owl')
  expect(await logIn('NIGHT-OWL', ' secret1 ')).toBe(200)
  const [listed] = (await list('?search=OWL')).items
  expect(listed).toMatchObject({ id: added.id, live_sessions: 1, last_sign_in_at: expect.any(String) })

  const change = { username: 'day-owl', password: 'secret2', role: 'admin' }
  const { status, body } = await call('PATCH', added.id, change)
  expect([status, body]).toMatchObject([200, { username: 'day-owl', role: 'admin', live_sessions: 0 }])
  expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(added.updated_at))
  expect([await logIn('night-owl', 'secret1'), await logIn('day-owl', 'secret2')]).toEqual([401, 200])

  for (const [change, expected] of [
    [{ status: 'rejected' }, 401],
    [{ status: 'pending' }, 401],
    [{ status: 'approved' }, 200],
    [{ is_active: false }, 401],
    [{ is_active: true }, 200],
  ] as const) {
    expect((await call('PATCH', added.id, change)).body).toMatchObject(change)
    expect([change, await logIn('day-owl', 'secret2')]).toEqual([change, expected])
  }
  expect((await call('DELETE', added.id)).status).toBe(204)
  expect([await logIn('day-owl', 'secret2'), names(await list('?search=owl'))]).toEqual([401, []])
})

test('no answer holds a password or a hash', async () => {
  const { call, add } = await usersOf()
  const { id } = await add('silent', { password: 'very secret words' })
  const answers = [
    await call('POST', '', { username: 'silent too', password: 'very secret words' }),
    await call('POST', '', { username: 'silent', password: 'very secret words' }),
    await call('PATCH', id, { password: 'other secret words' }),
    await call('PATCH', id, { password: 'x', username: 'very secret words' }),
    await call('GET'),
    await call('DELETE', id),
  ]
  for (const { text } of answers) expect(text).not.toMatch(/argon2|secret words|password_hash/)
})

test('a page is followed by the next without gap or repeat while others are added, and knows the total', async () => {
  const { databases, add, list } = await usersOf()
  // Many of one instant: the id decides between them.
  await databases.durablePool.query(
    `insert into users (username, password_hash, created_at)
     select 'member ' || n, '', timestamptz '2026-03-01 10:00:00.123456Z' + (n / 7) * interval '1 microsecond'
     from generate_series(1, 120) n`,
  )
  const seen: number[] = []
  let cursor = ''
  do {
    const page = await list(`?search=member&limit=50${cursor}`)
    expect(page.total).toBe(seen.length === 0 ? 120 : 120 + Math.ceil(seen.length / 50))
    seen.push(...page.items.filter(({ username }) => /\d$/.test(username)).map(({ id }) => id))
    await add(`member new ${seen.length}x`)
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
  } while (cursor !== '')
  const { rows } = await databases.customPlanPool.query<{ id: number }>(
    "select id from users where username ~ '^member [0-9]+$' order by created_at desc, id desc",
  )
  expect(seen).toEqual(rows.map(({ id }) => id))
})

test('search and filters combine; odd questions are refused', async () => {
  const { databases, call, list } = await usersOf()
  await makeUser(databases, { username: 'pia_10%', status: 'pending' })
  await makeUser(databases, { username: 'piet', role: 'admin' })
  await makeUser(databases, { username: 'pim', is_active: false })
  await makeUser(databases, { username: 'rob', status: 'rejected' })
  expect(names(await list('?search=Pi'))).toEqual(['pim', 'piet', 'pia_10%'])
  expect(names(await list('?search=pi&role=admin'))).toEqual(['piet'])
  expect(names(await list('?search=pi&is_active=false'))).toEqual(['pim'])
  expect(names(await list('?status=pending'))).toEqual(['pia_10%'])
  expect(names(await list('?status=rejected&is_active=true'))).toEqual(['rob'])
  expect(names(await list('?search=0%25'))).toEqual(['pia_10%'])
  // However it is typed: composed or decomposed, in wide letters; and names from before all were stored in one form.
  await makeUser(databases, { username: 'ren\u00e9' })
  await makeUser(databases, { username: 'ire\u0301ne' })
  for (const typed of ['\u00e9n', 'E\u0301N', '\uff25\u0301\uff4e'])
    expect(names(await list(`?search=${encodeURIComponent(typed)}`))).toEqual(['ire\u0301ne'])
  expect(names(await list(`?search=${encodeURIComponent('e\u0301')}`))).toEqual(['ire\u0301ne', 'ren\u00e9'])
  expect(await list('?search=_1&limit=1')).toMatchObject({ total: 1, next_cursor: null })
  for (const query of [
    'role=boss',
    'status=1',
    'is_active=maybe',
    'limit=0',
    'limit=201',
    'cursor=x',
    'cursor=1-',
    'cursor=9999999999999999-1',
    'name=pi',
  ]) {
    const { status, body } = await call('GET', `?${query}`)
    expect([query, status, errorBodySchema.strict().parse(body).code]).toEqual([query, 400, 'INVALID_INPUT'])
  }
  expect((await call('GET', '?cursor=8999999999999999-999999999999999')).status).toBe(200)
})

test.each([
  [{}, 'Username and password are required'],
  [{ username: '  ', password: 'secret1' }, 'Username and password are required'],
  [{ username: 'someone', password: '  ' }, 'Username and password are required'],
  [{ username: 'someone', password: '12345' }, 'Password must be at least 6 characters long'],
  [{ username: 'x'.repeat(65), password: 'secret1' }, 'Username must be at most 64 characters long'],
  [{ username: 'nul\u0000', password: 'secret1' }, 'Username must not contain invisible characters'],
  [
    { username: 'Source lamps', password: 'secret1' },
    'Username must not begin with “source ” or “token ”, as imports by those do',
  ],
  [{ username: 5, password: ['a'] }, 'Username and password are required'],
])('bad input is refused in plain words: %j', async (input, message) => {
  const { call, list } = await usersOf()
  const { status, body } = await call('POST', '', input)
  expect([status, body]).toMatchObject([400, { code: 'INVALID_INPUT', message }])
  expect((await list()).total).toBe(1)
})

test('odd changes are refused, and a change of nothing too', async () => {
  const { call, add } = await usersOf()
  const { id } = await add('steady')
  for (const change of [
    {},
    { role: 'owner' },
    { status: 'gone' },
    { is_active: 'no' },
    { username: '' },
    { password: '123' },
    { username: null },
    { role: 'admin', expected_updated_at: 'yesterday' },
  ])
    expect([change, (await call('PATCH', id, change)).status]).toEqual([change, 400])
  expect((await call('PATCH', id, { username: 'steady', role: 'user', is_active: true })).status).toBe(200)
  for (const at of [999_999, '/x', '/0']) expect([404, 400]).toContain((await call('DELETE', at)).status)
  expect((await call('DELETE', 999_999)).body.message).toBe(
    'Failed to delete user - this user no longer exists',
  )
  expect((await call('PATCH', 999_999, { is_active: false })).body.message).toBe(
    'Failed to deactivate user - this user no longer exists',
  )
})

test('a name is unique among active users, whatever its case, and says so in the specified words', async () => {
  const { call, add } = await usersOf()
  const first = await add('zoe')
  const taken = await call('POST', '', { username: ' ZOE ', password: 'secret1' })
  expect([taken.status, taken.body]).toMatchObject([
    409,
    { code: 'USERNAME_TAKEN', message: 'Failed to add user - username may already exist' },
  ])
  const other = await add('zack')
  const renamed = await call('PATCH', other.id, { username: 'Zoe', role: 'admin' })
  expect([renamed.status, renamed.body.message]).toEqual([
    409,
    'Failed to update user - username may already exist',
  ])
  expect((await call('PATCH', first.id, { username: 'zoe', role: 'admin' })).status).toBe(200)

  await call('PATCH', first.id, { is_active: false })
  expect((await call('PATCH', other.id, { username: 'zoe' })).status).toBe(200)
  const back = await call('PATCH', first.id, { is_active: true })
  expect([back.status, back.body.message]).toEqual([
    409,
    'Failed to activate user - the username is taken by another active user',
  ])
  // Inactive accounts keep what they have until they are active again, which another name allows.
  expect((await call('PATCH', first.id, { username: 'zoe2' })).body.message).toBe(
    'Failed to update user - activate the user first',
  )
  expect((await call('PATCH', first.id, { username: 'zoe2', is_active: true })).body).toMatchObject({
    username: 'zoe2',
    is_active: true,
    role: 'admin',
  })
})

test('every change is in the audit list with what it was and became, and no secret', async () => {
  const { databases, admin, call, add } = await usersOf()
  const { id } = await add('audited')
  await call('PATCH', id, { status: 'rejected' })
  await call('PATCH', id, { status: 'approved' })
  await call('PATCH', id, { is_active: false })
  await call('PATCH', id, { is_active: true })
  await call('PATCH', id, { username: 'watched', role: 'admin', password: 'secret words' })
  await call('PATCH', id, { role: 'admin' })
  await call('PATCH', id, { username: admin.user.username })
  await call('DELETE', id)
  const { rows } = await databases.customPlanPool.query(
    'select actor_name, action, subject_id, subject_name, before, after from audit_entries order by id',
  )
  const entry = (action: string, name: string, before: object | null, after: object | null) => ({
    actor_name: admin.user.username,
    action,
    subject_id: id,
    subject_name: name,
    before,
    after,
  })
  expect(rows).toEqual([
    entry('add', 'audited', null, {
      username: 'audited',
      role: 'user',
      status: 'approved',
      is_active: true,
    }),
    entry('reject', 'audited', { status: 'approved' }, { status: 'rejected' }),
    entry('approve', 'audited', { status: 'rejected' }, { status: 'approved' }),
    entry('deactivate', 'audited', { is_active: true }, { is_active: false }),
    entry('activate', 'audited', { is_active: false }, { is_active: true }),
    entry(
      'change',
      'audited',
      { username: 'audited', role: 'user' },
      { username: 'watched', role: 'admin', password_changed: true },
    ),
    entry(
      'remove',
      'watched',
      { username: 'watched', role: 'admin', status: 'approved', is_active: true },
      null,
    ),
  ])
})
