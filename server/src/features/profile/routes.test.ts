import type { OwnSession, OwnSessionPage } from '@dealdeck/contract/profile'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeUser, testPassword } from '../../../testing/factories.ts'
import { SignInThrottle } from '../../platform/accounts/sign-in-throttle.ts'
import { verifyPassword } from '../session/passwords.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function profileOf() {
  const testApp = await buildTestApp()
  const { app, databases } = testApp
  const logIn = async (username: string, password = testPassword, more: object = {}) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/session',
      headers: { 'user-agent': firefox },
      payload: { username, password },
      ...more,
    })
    const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
    return { status: answer.statusCode, headers: { host: 'localhost', origin: 'http://localhost', cookie } }
  }
  type Headers = Record<string, string>
  const call = async (method: 'GET' | 'POST' | 'DELETE', at: string, headers: Headers, payload?: object) => {
    const url = `/api/profile/${at}`
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body && answer.json() }
  }
  const page = async (headers: Headers, query = ''): Promise<OwnSessionPage> =>
    (await call('GET', `sessions${query}`, headers)).body
  const sessions = async (headers: Headers): Promise<OwnSession[]> => (await page(headers)).items
  const isSignedIn = async (headers: Headers) =>
    (await app.inject({ url: '/api/session', headers })).statusCode === 200
  const change = (headers: Headers, current_password: unknown, new_password: unknown) =>
    call('POST', 'password', headers, { current_password, new_password })
  return { ...testApp, user: await makeUser(databases), logIn, call, page, sessions, isSignedIn, change }
}

test('one sees one’s own sessions with device, place and last use, and ends one or all others', async () => {
  const { databases, user, logIn, call, sessions, isSignedIn } = await profileOf()
  const stranger = await makeUser(databases)
  const strangers = await logIn(stranger.username)
  const phone = await logIn(user.username, testPassword, { remoteAddress: '203.0.113.9' })
  const desk = await logIn(user.username)
  const script = await logIn(user.username, testPassword, { headers: { 'user-agent': 'curl/8.5.0' } })
  const listed = await sessions(desk.headers)
  expect(listed).toMatchObject([
    { device: 'Firefox on Linux', address: '127.0.0.1', is_current: true },
    { device: 'curl', address: '127.0.0.1', is_current: false },
    { device: 'Firefox on Linux', address: '203.0.113.9', is_current: false },
  ])
  expect(Object.keys(listed[0] ?? {}).sort()).toEqual(
    ['address', 'created_at', 'device', 'id', 'is_current', 'last_used_at'].sort(),
  )
  const [, scripts] = listed
  expect((await call('DELETE', `sessions/${scripts?.id}`, desk.headers)).status).toBe(204)
  expect((await call('DELETE', `sessions/${scripts?.id}`, desk.headers)).body).toEqual({
    code: 'NOT_FOUND',
    message: 'This session is already over.',
  })
  expect(await isSignedIn(script.headers)).toBe(false)
  // Somebody else's is as good as none.
  const [theirs] = await sessions(strangers.headers)
  expect((await call('DELETE', `sessions/${theirs?.id}`, desk.headers)).status).toBe(404)
  expect((await call('DELETE', 'sessions', desk.headers)).body).toEqual({ ended: 1 })
  expect(await isSignedIn(phone.headers)).toBe(false)
  expect([await isSignedIn(desk.headers), await isSignedIn(strangers.headers)]).toEqual([true, true])
  expect(await sessions(desk.headers)).toHaveLength(1)
})

test('however many sessions there are, page by page all of them are seen, each once', async () => {
  const { databases, user, logIn, call, page } = await profileOf()
  const { headers } = await logIn(user.username)
  // Opened after the one that asks, many of them used in the same moment.
  await databases.durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at, last_used_at)
     select sha256(n::text::bytea), $1, case when n > 260 then now() else now() + interval '1 day' end,
       now() + n / 7 * interval '10.5 microseconds'
     from generate_series(1, 270) n`,
    [user.id],
  )
  const pages: OwnSessionPage[] = []
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null)
    pages.push(await page(headers, `?limit=100${cursor && `&cursor=${cursor}`}`))
  expect(pages.map(({ items, total }) => [items.length, total])).toEqual([
    [100, 261],
    [100, 261],
    [61, 261],
  ])
  const all = pages.flatMap(({ items }) => items)
  expect(new Set(all.map(({ id }) => id)).size).toBe(261)
  expect(all.map(({ is_current }) => is_current).indexOf(true)).toBe(0)
  const times = all.slice(1).map(({ last_used_at }) => last_used_at)
  expect(times).toEqual(times.toSorted().reverse())
  const alone = await page(headers, '?limit=1')
  expect([alone.items[0]?.is_current, alone.items.length]).toEqual([true, 1])
  expect((await page(headers, `?limit=200&cursor=${alone.next_cursor}`)).items).toHaveLength(200)
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=', 'offset=1'])
    expect([query, (await call('GET', `sessions?${query}`, headers)).status]).toEqual([query, 400])
})

test('a session used from elsewhere says so', async () => {
  const { app, user, logIn, sessions } = await profileOf()
  const { headers } = await logIn(user.username)
  await app.inject({ url: '/api/session', headers, remoteAddress: '198.51.100.7' })
  expect((await sessions(headers))[0]?.address).toBe('198.51.100.7')
})

test('a new password needs the old one, and ends all other sessions but not this one', async () => {
  const { user, logIn, isSignedIn, change } = await profileOf()
  const [here, elsewhere] = [await logIn(user.username), await logIn(user.username)]
  const wrong = await change(here.headers, 'not it at all', 'new secret')
  expect([wrong.status, wrong.body]).toEqual([
    422,
    {
      code: 'UNPROCESSABLE',
      message: 'This is not your current password',
      fields: { current_password: 'This is not your current password' },
    },
  ])
  expect(await isSignedIn(elsewhere.headers)).toBe(true)
  expect((await change(here.headers, testPassword, testPassword)).body.fields).toHaveProperty('new_password')
  expect((await change(here.headers, ` ${testPassword} `, ' new secret ')).status).toBe(204)
  await expect.poll(() => isSignedIn(elsewhere.headers)).toBe(false)
  expect(await isSignedIn(here.headers)).toBe(true)
  expect((await logIn(user.username)).status).toBe(401)
  expect((await logIn(user.username, 'new secret')).status).toBe(200)
})

test('a new password is hashed in the member’s turn, so that many of them hold up nobody’s sign-in', async () => {
  const { user, logIn, change } = await profileOf()
  const { headers } = await logIn(user.username)
  const turns = vi.spyOn(SignInThrottle.prototype, 'confirm')
  onTestFinished(() => turns.mockRestore())
  expect((await change(headers, testPassword, 'new secret')).status).toBe(204)
  const [turn] = turns.mock.settledResults
  const made: object = Object(turn?.value)
  const hashes = Object.values(made).map((hash) => verifyPassword('new secret', String(hash)))
  expect(await Promise.all(hashes)).toContain(true)
})

test('of two new passwords at once one is set', async () => {
  const { user, logIn, change } = await profileOf()
  const { headers } = await logIn(user.username)
  const answers = await Promise.all(
    ['first secret', 'second secret'].map((next) => change(headers, testPassword, next)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 422])
})

test.each([
  [{}, 'Please enter your current and your new password', 'current_password'],
  [{ current_password: 'given' }, 'Please enter your current and your new password', 'new_password'],
  [
    { current_password: ' ', new_password: 'new secret' },
    'Please enter your current and your new password',
    'current_password',
  ],
  [
    { current_password: 'x', new_password: '12345' },
    'Password must be at least 6 characters long',
    'new_password',
  ],
  [
    { current_password: 'x', new_password: 'x'.repeat(201) },
    'Password must be at most 200 characters long',
    'new_password',
  ],
])('bad input is refused in plain words: %j', async (input, message, field) => {
  const { signIn, call } = await profileOf()
  const { headers } = await signIn('user')
  const { status, body } = await call('POST', 'password', headers, input)
  expect([status, body.message, body.fields[field]]).toEqual([400, message, message])
})

test('guessing the current password is throttled, with the time to wait', async () => {
  const { signIn, change } = await profileOf()
  const { headers } = await signIn('user')
  const answers = await Promise.all(
    Array.from({ length: 13 }, () => change(headers, 'a guess', 'new secret')),
  )
  const throttled = answers.filter(({ status }) => status === 429)
  expect(throttled).toHaveLength(3)
  expect(Number(throttled[0]?.headers['retry-after'])).toBeGreaterThan(0)
  expect(throttled[0]?.body.message).toMatch(/^Too many attempts\. Please try again in /)
  expect((await change(headers, testPassword, 'new secret')).status).toBe(429)
  // Nobody else has to wait.
  expect((await change((await signIn('user')).headers, testPassword, 'new secret')).status).toBe(204)
})

test('an administrator’s own new password is in the audit list, a user’s is nobody’s business', async () => {
  const { databases, signIn, change } = await profileOf()
  for (const role of ['user', 'admin'] as const) {
    const { headers } = await signIn(role)
    expect((await change(headers, testPassword, 'new secret')).status).toBe(204)
  }
  const { rows } = await databases.customPlanPool.query('select action, before, after from audit_entries')
  expect(rows).toEqual([{ action: 'change', before: {}, after: { password_changed: true } }])
})
