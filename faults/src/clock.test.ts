import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../server/testing/app.ts'
import { makeUser, testPassword } from '../../server/testing/factories.ts'

const minutes = 60_000
/** How wrong a clock is. */
const off = 10 * minutes

/** An application whose clock can be put forward and back. */
async function withClock(at = 0) {
  const shift = { ms: at }
  const built = await buildTestApp({ clock: () => new Date(Date.now() + shift.ms) })
  return { ...built, shift }
}

test.each([off, -off])('a clock that jumps by %i ms signs nobody out and lets everybody in', async (jump) => {
  const { app, databases, shift } = await withClock()
  const { username } = await makeUser(databases)
  const signIn = () =>
    app.inject({ method: 'POST', url: '/api/session', payload: { username, password: testPassword } })
  const before = (await signIn()).cookies[0]?.value ?? ''
  shift.ms += jump
  const after = (await signIn()).cookies[0]?.value ?? ''
  shift.ms -= jump
  for (const token of [before, after]) {
    const session = await app.inject({ url: '/api/session', cookies: { dealdeck_session: token } })
    expect(session.json()).toMatchObject({ username })
  }
})

test('two instances whose clocks are ten minutes apart share sessions, and each counts the minutes it has passed', async () => {
  const right = await withClock()
  const wrong = await buildTestApp({
    databases: right.databases,
    clock: () => new Date(Date.now() + off),
  })
  const { headers } = await wrong.signIn('user')
  for (const { app } of [right, wrong]) {
    await app.listen({ host: '127.0.0.1', port: 0 })
    expect((await app.inject({ url: '/api/session', headers })).statusCode).toBe(200)
  }
  const beats = async () =>
    (await right.databases.customPlanPool.query<{ n: number }>('select count(*) as n from heartbeats'))
      .rows[0]?.n
  await expect.poll(beats).toBeGreaterThan(1)
  const uptimeOf = async ({ app }: TestApp): Promise<number> => {
    const home = await app.inject({ url: '/api/home', headers })
    expect(home.statusCode).toBe(200)
    return home.json().uptime.percentage
  }
  // What the other one has counted is a minute of the future to it, and none yet.
  expect(await uptimeOf(right)).toBe(100)
  // Two minutes of eleven, or some more where one has ended meanwhile.
  const percentage = await uptimeOf(wrong)
  expect(percentage).toBeGreaterThan(15)
  expect(percentage).toBeLessThan(50)
})

test('deals from the future are shown, first of all, and what corrects them wins once the clock has caught up', async () => {
  const { app, shift, signIn } = await withClock(off)
  const { headers } = await signIn('admin')
  const hand = async (price: number) => {
    const payload = [
      { asin: 'B0FUTURE00', title: 'Enamel kettle of tomorrow', price, availability: 'In stock' },
    ]
    const answer = await app.inject({ method: 'POST', url: '/api/products/import', headers, payload })
    expect(answer.statusCode).toBe(200)
    return answer.json()
  }
  const shown = async () => {
    const page = await app.inject({ url: '/api/products', headers })
    return page.json().items.map(({ asin, price }: { asin: string; price: number }) => [asin, price])
  }
  expect(await hand(5)).toMatchObject({ created: 1 })
  // The clock is put right: what was seen before then is still the later observation, and only shows that it is older.
  shift.ms = 0
  expect(await hand(4)).toMatchObject({ updated: 1 })
  expect(await shown()).toEqual([['B0FUTURE00', 5]])
  shift.ms = off + 1_000
  expect(await hand(4)).toMatchObject({ updated: 1 })
  expect(await shown()).toEqual([['B0FUTURE00', 4]])
})
