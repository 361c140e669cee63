import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../testing/app.ts'
import { makeUser, testPassword } from '../../testing/factories.ts'
import { AttemptLimit } from '../platform/accounts/attempt-limit.ts'
import { networkAndSiteOf } from '../platform/http/caller-address.ts'

type Try = { username: string; password?: string; from: string; headers?: Record<string, string> }

const attempt = ({ app }: TestApp, { username, password = 'a guess', from, headers }: Try) =>
  app.inject({
    method: 'POST',
    url: '/api/session',
    remoteAddress: from,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ username, password }),
  })

/** How many of these tries had their password looked at. */
async function lookedAt(testApp: TestApp, tries: Try[]): Promise<number> {
  const statuses: number[] = []
  for (let from = 0; from < tries.length; ) {
    // A stranger's turn comes within eight seconds or never, and thousands of refusals would keep this process, which is also
    // the server, from connecting to its database in time.
    const size = statuses.includes(429) ? 500 : 12
    const answers = await Promise.all(tries.slice(from, from + size).map((one) => attempt(testApp, one)))
    statuses.push(...answers.map(({ statusCode }) => statusCode))
    from += size
  }
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  return statuses.filter((status) => status === 401).length
}

const address = (index: number) => `203.0.${index >> 8}.${index & 255}`
const many = (count: number, one: (index: number) => Try) => Array.from({ length: count }, (_, at) => one(at))

test('10,000 guesses over names and addresses get ten a name and a hundred an address', async () => {
  const testApp = await buildTestApp()
  // One address over many names, many addresses over one name, and both spread: each on names and addresses of its own.
  expect(
    await lookedAt(
      testApp,
      many(4_000, (at) => ({ username: `a${at}`, from: '198.51.100.1' })),
    ),
  ).toBe(100)
  expect(
    await lookedAt(
      testApp,
      many(3_000, (at) => ({ username: 'victim', from: address(at) })),
    ),
  ).toBe(10)
  const spread = many(3_000, (at) => ({ username: `c${at % 20}`, from: address(8_192 + (at % 30)) }))
  expect(await lookedAt(testApp, spread)).toBeLessThanOrEqual(20 * 10)
})

test('whoever owns a whole network of IPv6 addresses is one guesser', async () => {
  const testApp = await buildTestApp()
  const tries = many(300, (at) => ({ username: `d${at}`, from: `2001:db8:0:7::${at.toString(16)}` }))
  expect(await lookedAt(testApp, tries)).toBe(100)
  const elsewhere: Try = { username: 'd', from: '2001:db8:0:8::1' }
  expect((await attempt(testApp, elsewhere)).statusCode).toBe(401)
})

test.each([
  ['203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['2001:0DB8:0000:00ff:1:2:3:4', '2001:db8:0:ff::/64', '2001:db8:0::/48'],
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['1:2:3:4:5::', '1:2:3:4::/64', '1:2:3::/48'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
])('%s is of the network %s and the site %s', (from, network, site) => {
  expect(networkAndSiteOf(from)).toEqual({ network, site })
})

test('claiming another address in a header changes nothing, unless a proxy on this machine says so', async () => {
  const testApp = await buildTestApp()
  const claims = (from: string, claim: (at: number) => string) =>
    many(150, (at) => ({ username: `e${from}${at}`, from, headers: { 'x-forwarded-for': claim(at) } }))
  expect(await lookedAt(testApp, claims('198.51.100.2', address))).toBe(100)
  // A proxy that appends what it sees: the caller's own claims stand before it.
  expect(
    await lookedAt(
      testApp,
      claims('127.0.0.1', (at) => `${address(at)}, 127.0.0.1, 198.51.100.3`),
    ),
  ).toBe(100)
  // No address at all: all such callers are one.
  expect(
    await lookedAt(
      testApp,
      claims('::ffff:127.0.0.1', (at) => `nonsense ${at}`),
    ),
  ).toBe(100)
})

test('guessing keeps nobody out: open sessions go on, and the owner signs in from where they did before', async () => {
  const testApp = await buildTestApp()
  const { username } = await makeUser(testApp.databases)
  const home = '198.51.100.4'
  const right = { username, password: testPassword }
  const opened = await attempt(testApp, { ...right, from: home })
  const cookie = String(opened.headers['set-cookie']).split(';')[0]
  await lookedAt(
    testApp,
    many(20, (at) => ({ username, from: address(at) })),
  )
  expect((await attempt(testApp, { ...right, from: address(99) })).statusCode).toBe(429)
  expect((await testApp.app.inject({ url: '/api/session', headers: { cookie } })).statusCode).toBe(200)
  expect((await attempt(testApp, { ...right, from: home })).statusCode).toBe(200)
  // There too only ten guesses count.
  expect(
    await lookedAt(
      testApp,
      many(20, () => ({ username, from: home })),
    ),
  ).toBe(10)
})

test('a million names cost the memory of as many as are remembered', async () => {
  const limit = new AttemptLimit({ attempts: 2, seconds: 300, most: 1_000 })
  const fail = async (name: string) => (await limit.begin(name)).count()
  for (let at = 0; at < 20_000; at++) await fail(`name ${at}`)
  expect(limit.size).toBe(1_000)
  await fail('name 19999')
  await expect(fail('name 19999')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  await fail('name 1')
})

test('guessing the own password inside a session is limited as well', async () => {
  const testApp = await buildTestApp()
  const { headers } = await testApp.signIn('user')
  const statuses = await Promise.all(
    Array.from({ length: 15 }, async () => {
      const payload = { current_password: 'a guess', new_password: 'a new one' }
      const request = { method: 'POST', url: '/api/profile/password', headers, payload } as const
      return (await testApp.app.inject(request)).statusCode
    }),
  )
  expect(statuses.filter((status) => status === 422)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
})
