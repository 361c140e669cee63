import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../testing/app.ts'
import { makeUser, testPassword } from '../../testing/factories.ts'

test('the log tells who got in, who did not, and what they tried, without a secret', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const { app, databases, signIn } = await buildTestApp({ log })
  const { id, username } = await makeUser(databases)
  const ours = { host: 'localhost', origin: 'http://localhost' }
  const enter = (password: string) =>
    app.inject({
      method: 'POST',
      url: '/api/session',
      headers: ours,
      payload: { username, password },
      remoteAddress: '198.51.100.7',
    })
  await enter('wrong-secret')
  const cookie = String((await enter(testPassword)).headers['set-cookie']).split(';')[0] ?? ''
  const headers = { ...ours, cookie }
  await app.inject({ url: '/api/users', headers })
  await app.inject({
    method: 'DELETE',
    url: '/api/session',
    headers: { ...headers, origin: 'https://evil.example' },
  })
  await app.inject({ url: '/api/users', headers: { ...headers, host: 'evil.example' } })
  const change = { current_password: testPassword, new_password: 'brand-new-secret' }
  await app.inject({ method: 'POST', url: '/api/profile/password', headers, payload: change })
  await app.inject({ method: 'DELETE', url: '/api/session', headers })
  await app.inject({
    method: 'POST',
    url: '/api/signup',
    headers: ours,
    payload: { username: 'newcomer', password: 'my-secret' },
  })
  await signIn('user')

  const written = lines.map((line): Record<string, unknown> => JSON.parse(line))
  // What a busy machine makes of a statement is nothing anybody tried.
  const events = written.filter(({ msg }) => msg !== 'Slow statement')
  expect(events.map(({ msg, route, by }) => [msg, route, by])).toEqual([
    ['refused: INVALID_CREDENTIALS', '/api/session', 'nobody'],
    ['signed in', '/api/session', id],
    ['refused: FORBIDDEN', '/api/users', id],
    ['refused: FOREIGN_ORIGIN', '/api/session', undefined],
    ['refused: FOREIGN_HOST', '/api/users', undefined],
    ['password changed', '/api/profile/password', id],
    ['signed out', '/api/session', id],
    ['signed up', '/api/signup', expect.any(Number)],
  ])
  expect(events[0]).toMatchObject({
    address: '198.51.100.7',
    method: 'POST',
    time: expect.any(Number),
    request_id: expect.anything(),
  })
  expect(lines.join('')).not.toMatch(/secret|argon2|dealdeck_session/)
  expect(lines.join('')).not.toContain(testPassword)
})
