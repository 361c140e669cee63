import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../testing/app.ts'
import { makeUser, testPassword } from '../../testing/factories.ts'

const send = ({ app }: TestApp, method: 'POST' | 'PATCH', url: string, payload: object, headers = {}) =>
  app.inject({ method, url, payload, headers: { host: 'localhost', origin: 'http://localhost', ...headers } })
const signUp = (testApp: TestApp, username: string) =>
  send(testApp, 'POST', '/api/signup', { username, password: testPassword })
const signIn = (testApp: TestApp, username: string) =>
  send(testApp, 'POST', '/api/session', { username, password: testPassword })

const lookAlikes = ['bоss', 'boѕѕ', 'ВОЅЅ', 'βoss', 'ｂｏｓｓ', 'BOSS', '𝐛𝐨𝐬𝐬', 'ꓐꓳꓢꓢ', 'b0ss', ' boss\u2003']
const invisible = [
  '\u3164',
  '\u115f',
  '\u2800',
  '\u034f',
  '\ufe0f',
  '\u{e0101}',
  '\u200b',
  '\u00ad',
  '\u1680',
]
const clear = "This username looks like another user's username. Please choose a different username."
const taken = 'Username already exists. Please choose a different username.'

test('nobody signs up by a name that looks like another', async () => {
  const testApp = await buildTestApp()
  await makeUser(testApp.databases, { username: 'boss' })
  for (const name of lookAlikes) {
    const answer = await signUp(testApp, name)
    const message = name.normalize('NFKC').trim().toLowerCase() === 'boss' ? taken : clear
    expect([name, answer.statusCode, answer.json()]).toEqual([name, 409, { code: 'USERNAME_TAKEN', message }])
  }
  for (const sign of invisible) {
    const answer = await signUp(testApp, `bo${sign}ss`)
    expect([sign, answer.statusCode, answer.json().fields]).toEqual([
      ...[sign, 400, { username: 'Username must not contain invisible characters' }],
    ])
  }
  expect((await signUp(testApp, 'jose\u0301')).json()).toMatchObject({ username: 'jos\u00e9' })
  expect((await signUp(testApp, 'jos\u00e9')).statusCode).toBe(409)
  expect((await signUp(testApp, 'böss')).statusCode).toBe(201)
})

test('nor does an administrator give such a name by mistake, nor wake it up', async () => {
  const testApp = await buildTestApp()
  const { databases } = testApp
  const { headers } = await testApp.signIn('admin')
  await makeUser(databases, { username: 'boss' })
  const { id } = await makeUser(databases)
  const asleep = await makeUser(databases, { username: 'bоss', is_active: false })
  const say = async (what: string, request: ReturnType<typeof send>) => {
    const message = `Failed to ${what} user - the username looks like boss, which another active user has`
    const answer = await request
    expect([answer.statusCode, answer.json()]).toEqual([
      ...[409, { code: 'USERNAME_TAKEN', message, fields: { username: message } }],
    ])
  }
  const input = { username: 'bоss', password: testPassword }
  await say('add', send(testApp, 'POST', '/api/users', input, headers))
  await say('update', send(testApp, 'PATCH', `/api/users/${id}`, { username: 'boѕѕ' }, headers))
  await say('activate', send(testApp, 'PATCH', `/api/users/${asleep.id}`, { is_active: true }, headers))
  const other = { username: 'chief', is_active: true }
  expect((await send(testApp, 'PATCH', `/api/users/${asleep.id}`, other, headers)).statusCode).toBe(200)
})

test('of twenty who take names that look alike at once one has it', async () => {
  const testApp = await buildTestApp()
  const { headers } = await testApp.signIn('admin')
  const users = await Promise.all(Array.from({ length: 10 }, () => makeUser(testApp.databases)))
  const names = ['boss', 'bоss', 'boѕs', 'bosѕ', 'bоѕѕ', 'bοss', 'b0ss', 'bοѕs', 'ьoss', 'βoss']
  const answers = await Promise.all([
    ...names.map((username) => signUp(testApp, username)),
    ...users.map(({ id }, at) =>
      send(testApp, 'PATCH', `/api/users/${id}`, { username: names[at] ?? '' }, headers),
    ),
  ])
  expect(answers.filter(({ statusCode }) => statusCode < 300)).toHaveLength(1)
  expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(19)
})

test('names given away before go on as they were, and nobody joins them', async () => {
  const testApp = await buildTestApp()
  const { databases } = testApp
  const { headers } = await testApp.signIn('admin')
  const old = ['boss', 'bоss', 'ｂｏｓｓ', 'bo\u3164ss', 'jose\u0301']
  for (const username of old) {
    await makeUser(databases, { username })
    expect((await signIn(testApp, username)).json()).toMatchObject({ username })
  }
  // Typed in another form, too.
  expect((await signIn(testApp, 'JOS\u00c9')).json()).toMatchObject({ username: 'jose\u0301' })
  expect((await signUp(testApp, 'boѕѕ')).statusCode).toBe(409)
  const { id } = await makeUser(databases, { username: 'ｃｈｉｅｆ' })
  expect((await send(testApp, 'PATCH', `/api/users/${id}`, { role: 'admin' }, headers)).statusCode).toBe(200)
  expect((await signUp(testApp, 'chief')).statusCode).toBe(409)
})

test('a name changed past the application is looked at anew', async () => {
  const testApp = await buildTestApp()
  await makeUser(testApp.databases, { username: 'old' })
  expect((await signUp(testApp, 'old')).statusCode).toBe(409)
  await testApp.databases.durablePool.query("update users set username = 'boss' where username = 'old'")
  expect((await signUp(testApp, 'bоss')).statusCode).toBe(409)
  expect((await signUp(testApp, 'old')).statusCode).toBe(201)
})

test('guesses at a name in all its forms are guesses at one name', async () => {
  const testApp = await buildTestApp()
  await makeUser(testApp.databases, { username: 'jos\u00e9' })
  const forms = ['jos\u00e9', 'jose\u0301', 'ｊｏｓ\u00e9', 'ｊｏｓｅ\u0301']
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const guess = { username: forms[at % 4] ?? '', password: 'a guess' }
      return (await send(testApp, 'POST', '/api/session', guess)).statusCode
    }),
  )
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
})
