import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../testing/app.ts'
import { makeUser, testPassword } from '../../../testing/factories.ts'

const json = { 'content-type': 'application/json' }

const signIn = ({ app }: TestApp, username: unknown, password: unknown) =>
  app.inject({
    method: 'POST',
    url: '/api/session',
    headers: json,
    payload: JSON.stringify({ username, password }),
  })
const signUp = ({ app }: TestApp, username: unknown, password: unknown) =>
  app.inject({
    method: 'POST',
    url: '/api/signup',
    headers: json,
    payload: JSON.stringify({ username, password }),
  })
const cookieOf = (answer: { headers: Record<string, unknown> }) =>
  String(answer.headers['set-cookie']).split(';')[0] ?? ''

test('sign up, sign in with other case and spaces, stay signed in, sign out', async () => {
  const testApp = await buildTestApp()
  const account = await signUp(testApp, '  Night-Owl ', ' secret1 ')
  expect([account.statusCode, account.json()]).toMatchObject([
    201,
    { username: 'night-owl', role: 'user', status: 'approved' },
  ])
  const session = await signIn(testApp, 'NIGHT-OWL', 'secret1')
  expect(session.statusCode).toBe(200)
  expect(String(session.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax/)
  const headers = { host: 'localhost', origin: 'http://localhost', cookie: cookieOf(session) }
  expect((await testApp.app.inject({ url: '/api/session', headers })).json()).toMatchObject({
    username: 'night-owl',
  })
  expect((await testApp.app.inject({ method: 'DELETE', url: '/api/session', headers })).statusCode).toBe(204)
  expect((await testApp.app.inject({ url: '/api/session', headers })).statusCode).toBe(401)
})

test('wrong name and wrong password are told apart neither by words nor by time', async () => {
  const testApp = await buildTestApp({ signInFloorMs: undefined })
  const { username } = await makeUser(testApp.databases)
  for (const [name, password] of [
    [username, 'wrong password'],
    ['nobody at all', testPassword],
  ]) {
    const before = performance.now()
    const answer = await signIn(testApp, name, password)
    expect(performance.now() - before).toBeGreaterThan(495)
    expect([answer.statusCode, answer.json()]).toEqual([
      401,
      { code: 'INVALID_CREDENTIALS', message: 'Invalid username or password. Access denied.' },
    ])
  }
})

test('missing, short and odd input is refused in the specified words', async () => {
  const testApp = await buildTestApp()
  const message = async (answer: Promise<{ statusCode: number; json(): { message: string } }>) =>
    (await answer).json().message
  expect(await message(signIn(testApp, '', ''))).toBe('Username and password are required')
  expect(await message(signIn(testApp, undefined, 5))).toBe('Username and password are required')
  expect(await message(signUp(testApp, 'someone', '12345'))).toBe(
    'Password must be at least 6 characters long',
  )
  expect((await signUp(testApp, 'zero\u200bwidth', 'secret1')).statusCode).toBe(400)
  expect((await signUp(testApp, 'nul\u0000', 'secret1')).statusCode).toBe(400)
})

test('of two racing for a name one gets it', async () => {
  const testApp = await buildTestApp()
  const answers = await Promise.all([1, 2, 3, 4].map(() => signUp(testApp, 'twin', 'secret1')))
  expect(answers.map((answer) => answer.statusCode).sort()).toEqual([201, 409, 409, 409])
  expect(answers.find((answer) => answer.statusCode === 409)?.json()).toMatchObject({
    message: 'Username already exists. Please choose a different username.',
  })
})

test('SIGNUP_MODE decides: approval waits, closed refuses', async () => {
  const approval = await buildTestApp({ settings: { SIGNUP_MODE: 'approval' } })
  expect((await signUp(approval, 'patient', 'secret1')).json()).toMatchObject({ status: 'pending' })
  expect((await signIn(approval, 'patient', 'secret1')).json()).toMatchObject({
    code: 'ACCOUNT_PENDING',
    message: 'Your account is waiting for approval.',
  })
  expect((await signIn(approval, 'patient', 'wrong')).json()).toMatchObject({ code: 'INVALID_CREDENTIALS' })
  const closed = await buildTestApp({ settings: { SIGNUP_MODE: 'closed' } })
  expect([
    (await signUp(closed, 'late', 'secret1')).statusCode,
    (await signUp(closed, 'late', 'secret1')).json(),
  ]).toMatchObject([403, { message: 'Registration is currently unavailable. Please contact administrator.' }])
})

test('inactive and rejected accounts may not sign in, and lose the session they had', async () => {
  const testApp = await buildTestApp({ clock: () => new Date() })
  const { databases } = testApp
  const rejected = await makeUser(databases, { status: 'rejected' })
  const inactive = await makeUser(databases, { is_active: false })
  for (const { username } of [rejected, inactive])
    expect((await signIn(testApp, username, testPassword)).statusCode).toBe(401)
  const { user, headers } = await testApp.signIn('user')
  expect((await testApp.app.inject({ url: '/api/session', headers })).statusCode).toBe(200)
  await databases.db.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute()
  await expect
    .poll(async () => (await testApp.app.inject({ url: '/api/session', headers })).statusCode)
    .toBe(401)
})

test('many wrong passwords for one name are throttled, with the time to wait', async () => {
  const testApp = await buildTestApp()
  const { username } = await makeUser(testApp.databases)
  const answers = await Promise.all(
    Array.from({ length: 14 }, () => signIn(testApp, username, 'wrong password')),
  )
  const throttled = answers.filter((answer) => answer.statusCode === 429)
  expect(throttled.length).toBe(4)
  expect(Number(throttled[0]?.headers['retry-after'])).toBeGreaterThan(0)
  expect(throttled[0]?.json().message).toMatch(/^Too many attempts\. Please try again in /)
})

test('a change with a cookie needs our own Origin', async () => {
  const { app, signIn: open } = await buildTestApp()
  const { headers } = await open('user')
  const { origin: ours, ...withoutOrigin } = headers
  const signOut = (origin: string | undefined) =>
    app.inject({
      method: 'DELETE',
      url: '/api/session',
      headers: origin === undefined ? withoutOrigin : { ...headers, origin },
    })
  expect((await signOut('https://evil.example')).json()).toMatchObject({ code: 'FOREIGN_ORIGIN' })
  expect((await signOut(undefined)).statusCode).toBe(403)
  expect((await signOut(ours)).statusCode).toBe(204)
})

test('no password, hash or token leaves in an answer', async () => {
  const testApp = await buildTestApp()
  const { username } = await makeUser(testApp.databases)
  const answer = await signIn(testApp, username, testPassword)
  expect(Object.keys(answer.json()).sort()).toEqual(['id', 'role', 'status', 'username'])
})

test('without its table of users the application says so to whoever signs up', async () => {
  const testApp = await buildTestApp()
  await testApp.databases.durablePool.query('alter table users rename to users_elsewhere')
  const answer = await signUp(testApp, 'early', 'secret1')
  expect([answer.statusCode, answer.json()]).toEqual([
    403,
    { code: 'SIGNUP_CLOSED', message: 'Database not configured. Please contact administrator.' },
  ])
})
