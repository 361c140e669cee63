import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../testing/app.ts'
import { makeUser, testPassword } from '../../testing/factories.ts'

type Try = { username: string; password?: string; from: string; cookie?: string }

async function attempt({ app }: TestApp, { username, password = 'a guess', from, cookie }: Try) {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/session',
    remoteAddress: from,
    headers: { origin: 'http://localhost', host: 'localhost', ...(cookie && { cookie }) },
    payload: { username, password },
  })
  const cookies = [answer.headers['set-cookie'] ?? []].flat().map((text) => text.split(';')[0] ?? '')
  return {
    status: answer.statusCode,
    device: cookies.find((text) => text.startsWith('dealdeck_device=')) ?? '',
    session: cookies.find((text) => text.startsWith('dealdeck_session=')) ?? '',
  }
}

const statuses = async (tries: Promise<{ status: number }>[]) =>
  (await Promise.all(tries)).map(({ status }) => status)
const times = <T>(count: number, one: (at: number) => T) => Array.from({ length: count }, (_, at) => one(at))
const stranger = (at: number) => `203.0.113.${at}`
const home = '198.51.100.7'

/** Uses up what a name has: from now on strangers are refused without a look at their password. */
async function lockOut(testApp: TestApp, username: string): Promise<void> {
  await statuses(times(12, (at) => attempt(testApp, { username, from: stranger(at) })))
  expect((await attempt(testApp, { username, password: testPassword, from: stranger(99) })).status).toBe(429)
}

test('108 who sign in at once from one network all get in, and their network is as before', async () => {
  const testApp = await buildTestApp()
  const { username } = await makeUser(testApp.databases)
  const right = { username, password: testPassword, from: home }
  const answers = await statuses(times(108, () => attempt(testApp, right)))
  expect(new Set(answers)).toEqual(new Set([200]))
  expect((await attempt(testApp, { username: 'nobody', from: home })).status).toBe(401)
})

test('after a restart, and at every process, an owner gets in from the network of their sessions', async () => {
  const before = await buildTestApp()
  const { username } = await makeUser(before.databases)
  const right = { username, password: testPassword, from: home }
  expect((await attempt(before, right)).status).toBe(200)
  const after = await buildTestApp({ databases: before.databases })
  await lockOut(after, username)
  expect((await attempt(after, right)).status).toBe(200)
  // There too ten wrong ones are enough.
  const guesses = await statuses(times(12, () => attempt(after, { username, from: home })))
  expect(guesses.filter((status) => status === 401)).toHaveLength(10)
  expect((await attempt(after, right)).status).toBe(429)
})

test('a neighbour who uses up what their network has keeps out those only who never signed in from it', async () => {
  const testApp = await buildTestApp()
  const [member, newcomer] = [await makeUser(testApp.databases), await makeUser(testApp.databases)]
  const right = { password: testPassword, from: home }
  expect((await attempt(testApp, { ...right, username: member.username })).status).toBe(200)
  await statuses(times(110, (at) => attempt(testApp, { username: `guess ${at}`, from: home })))
  expect((await attempt(testApp, { ...right, username: newcomer.username })).status).toBe(429)
  expect((await attempt(testApp, { ...right, username: member.username })).status).toBe(200)
})

test('a device one has signed in from is known wherever it is, also signed out and after a restart', async () => {
  const before = await buildTestApp()
  const { username } = await makeUser(before.databases)
  const { device, session } = await attempt(before, { username, password: testPassword, from: home })
  expect(device).not.toContain(username)
  await before.app.inject({
    ...{ method: 'DELETE', url: '/api/session' },
    headers: { origin: 'http://localhost', host: 'localhost', cookie: `${session}; ${device}` },
  })
  const after = await buildTestApp({ databases: before.databases })
  await lockOut(after, username)
  const right = { username, password: testPassword }
  expect((await attempt(after, { ...right, from: '192.0.2.1', cookie: device })).status).toBe(200)
  // Whoever has got hold of it has ten guesses more, from however many networks.
  const guesses = await statuses(
    times(12, (at) => attempt(after, { username, from: stranger(at), cookie: device })),
  )
  expect(guesses.filter((status) => status === 401)).toHaveLength(10)
})

test('a forged cookie, and that of somebody else’s device, make no device known', async () => {
  const testApp = await buildTestApp()
  const [victim, attacker] = [await makeUser(testApp.databases), await makeUser(testApp.databases)]
  const right = { password: testPassword, from: home }
  const { device } = await attempt(testApp, { ...right, username: attacker.username })
  const known = await attempt(testApp, { ...right, username: victim.username })
  await lockOut(testApp, victim.username)
  const [, nonce = ''] = device.split(/[=.]/)
  const forged = [
    device,
    `dealdeck_device=${nonce}.${'A'.repeat(22)}`,
    `${known.device.slice(0, -22)}${'A'.repeat(22)}`,
    known.device.replace(/=.{22}/, `=${nonce}`),
    'dealdeck_device=',
    `dealdeck_device=${'.'.repeat(500)}`,
  ]
  for (const cookie of forged) {
    const one = { username: victim.username, password: testPassword, from: stranger(50), cookie }
    expect((await attempt(testApp, one)).status).toBe(429)
  }
})

test('those who share a device are all known at it, eight at most', async () => {
  const testApp = await buildTestApp()
  const users = await Promise.all(times(9, () => makeUser(testApp.databases)))
  let cookie = ''
  for (const { username } of users)
    cookie = (await attempt(testApp, { username, password: testPassword, from: home, cookie })).device
  expect(cookie.split('.')).toHaveLength(9)
  const [first, second] = users
  for (const [user, status] of [[first, 429] as const, [second, 200] as const]) {
    const username = user?.username ?? ''
    await lockOut(testApp, username)
    const one = { username, password: testPassword, from: stranger(60), cookie }
    expect((await attempt(testApp, one)).status).toBe(status)
  }
})
