import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { makeUser } from '../../../testing/factories.ts'

const admins = async ({ databases }: TestApp) =>
  (
    await databases.customPlanPool.query<{ id: number }>(
      "select id from users where role = 'admin' and is_active and status = 'approved'",
    )
  ).rows

function caller({ app }: TestApp, { headers }: SignedIn) {
  return async (method: 'PATCH' | 'DELETE' | 'POST', id: number | '', payload?: object) => {
    const url = id === '' ? '/api/users' : `/api/users/${id}`
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, body: answer.body && answer.json() }
  }
}

const removals = [
  { method: 'DELETE', words: 'Failed to delete user' },
  { method: 'PATCH', payload: { role: 'user' }, words: 'Failed to update user' },
  { method: 'PATCH', payload: { is_active: false }, words: 'Failed to deactivate user' },
  { method: 'PATCH', payload: { status: 'rejected' }, words: 'Failed to reject user' },
  { method: 'PATCH', payload: { status: 'pending' }, words: 'Failed to update user' },
] as const

test('the last active administrator stays, also against themselves', async () => {
  const testApp = await buildTestApp()
  const last = await testApp.signIn('admin')
  // Neither of these could take over.
  await makeUser(testApp.databases, { role: 'admin', is_active: false })
  await makeUser(testApp.databases, { role: 'admin', status: 'pending' })
  const call = caller(testApp, last)
  for (const { method, words, ...removal } of removals) {
    const answer = await call(method, last.user.id, 'payload' in removal ? removal.payload : undefined)
    expect(answer).toEqual({
      status: 409,
      body: { code: 'CONFLICT', message: `${words} - this is the last active administrator` },
    })
  }
  expect(await admins(testApp)).toEqual([{ id: last.user.id }])
  const { rows } = await testApp.databases.customPlanPool.query('select from audit_entries')
  expect(rows).toEqual([])
})

test('of fifty requests at once that would remove every administrator, one administrator is left', async () => {
  const testApp = await buildTestApp()
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => testApp.signIn('admin')))
  const before = all.length
  const answers = await Promise.all(
    all.flatMap((actor) => {
      const call = caller(testApp, actor)
      return all.flatMap(({ user }, index) => {
        const pair = [removals[index % removals.length], removals[(index + 1) % removals.length]]
        return pair.map((removal) =>
          removal
            ? call(removal.method, user.id, 'payload' in removal ? removal.payload : undefined)
            : undefined,
        )
      })
    }),
  )
  expect(answers).toHaveLength(50)
  const left = await admins(testApp)
  expect(left).toHaveLength(1)
  const statuses = new Set(answers.map((answer) => answer?.status))
  for (const status of statuses) expect([200, 204, 401, 403, 404, 409]).toContain(status)
  // Each demotion that happened was told of exactly once.
  const { rows } = await testApp.databases.customPlanPool.query<{ subject_id: number }>(
    'select distinct subject_id from audit_entries',
  )
  expect(rows).toHaveLength(before - 1)
  expect(rows.map((row) => row.subject_id)).not.toContain(left[0]?.id)
})

test('two administrators who demote each other at the same time: one succeeds', async () => {
  const testApp = await buildTestApp()
  const [one, two] = [await testApp.signIn('admin'), await testApp.signIn('admin')]
  const answers = await Promise.all([
    caller(testApp, one)('PATCH', two.user.id, { role: 'user' }),
    caller(testApp, two)('PATCH', one.user.id, { role: 'user' }),
  ])
  const [done, refused] = answers.map(({ status }) => status).sort()
  // Refused at the door, or inside, when the demotion came in between.
  expect([done, refused === 401 || refused === 403]).toEqual([200, true])
  expect(await admins(testApp)).toHaveLength(1)
})

test('of two who edit the same user at once one wins and the other is told; nothing is half-written', async () => {
  const testApp = await buildTestApp()
  const call = caller(testApp, await testApp.signIn('admin'))
  const added = (await call('POST', '', { username: 'shared', password: 'secret1' })).body
  const edits = [
    { username: 'first', role: 'admin', expected_updated_at: added.updated_at },
    { username: 'second', status: 'rejected', expected_updated_at: added.updated_at },
  ]
  const answers = await Promise.all(edits.map((edit) => call('PATCH', added.id, edit)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const winner = answers.find(({ status }) => status === 200)?.body
  const loser = answers.find(({ status }) => status === 409)?.body
  expect(loser).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('Somebody else changed') })
  expect(Object.keys(loser.fields)).toEqual(['expected_updated_at'])
  expect([
    ['first', 'admin', 'approved'],
    ['second', 'user', 'rejected'],
  ]).toContainEqual([winner.username, winner.role, winner.status])
  const again = { role: 'user', status: 'approved', expected_updated_at: winner.updated_at }
  expect((await call('PATCH', added.id, again)).status).toBe(200)
})

test('of twenty who add or take the same name at once one has it', async () => {
  const testApp = await buildTestApp()
  const call = caller(testApp, await testApp.signIn('admin'))
  const others = await Promise.all([1, 2, 3, 4, 5].map(() => makeUser(testApp.databases)))
  const answers = await Promise.all([
    ...others.map(({ id }) => call('PATCH', id, { username: 'TWIN' })),
    ...Array.from({ length: 10 }, () => call('POST', '', { username: 'twin', password: 'secret1' })),
    ...Array.from({ length: 5 }, () =>
      testApp.app
        .inject({ method: 'POST', url: '/api/signup', payload: { username: 'Twin', password: 'secret1' } })
        .then((answer) => ({ status: answer.statusCode })),
    ),
  ])
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  const { rows } = await testApp.databases.customPlanPool.query("select from users where username = 'twin'")
  expect(rows).toHaveLength(1)
})

test('a sign-in that is under way while the password changes opens nothing', async () => {
  const testApp = await buildTestApp()
  const call = caller(testApp, await testApp.signIn('admin'))
  const { id, username } = (await call('POST', '', { username: 'late', password: 'old secret' })).body
  const client = await testApp.databases.durablePool.connect()
  try {
    // Holds the account's row, as a change that is about to commit does.
    await client.query('begin')
    await client.query('update users set password_hash = $2 where id = $1', [id, 'another'])
    const signIn = testApp.app.inject({
      method: 'POST',
      url: '/api/session',
      payload: { username, password: 'old secret' },
    })
    await expect
      .poll(async () => {
        const { rows } = await testApp.databases.customPlanPool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
        return rows.length
      })
      .toBe(1)
    await client.query('commit')
    expect((await signIn).statusCode).toBe(401)
  } finally {
    client.release()
  }
  const { rows } = await testApp.databases.customPlanPool.query('select from sessions where user_id = $1', [
    id,
  ])
  expect(rows).toEqual([])
})
