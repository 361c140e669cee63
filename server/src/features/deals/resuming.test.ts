import { eventsPath } from '@dealdeck/contract/events'
import { expect, test, vi } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { listening, openStream, publish, stampOf } from '../../../testing/streams.ts'
import { streamsPerMember } from '../../platform/live/event-stream.ts'

type Stream = Awaited<ReturnType<typeof openStream>>

const namesOf = ({ messages }: Stream) => messages.map(({ event, id }) => [event, id])
const idsOf = ({ messages }: Stream) => messages.flatMap(({ data }) => data.added)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Commits so many changes at once, each an event of its own that adds the deal of its number. */
async function publishMany({ databases }: TestApp, count: number, isTold = true): Promise<void> {
  await databases.durablePool.query(
    `with last as (update feed_state set revision = revision + $1 returning revision)
     insert into feed_events (revision, added)
     select revision - $1 + n, array[revision - $1 + n] from last, generate_series(1, $1::int) n`,
    [count],
  )
  if (isTold)
    await databases.durablePool.query(`select pg_notify('dealdeck_deals', revision::text) from feed_state`)
}

test('hundreds who resume are sent what they missed in order, and the database is asked nothing', async () => {
  // Work in the background asks at intervals what there is to do.
  const testApp = await buildTestApp({ settings: { WORKERS: 'off' } })
  const port = await listening(testApp)
  const reader = await openStream(port, await testApp.signIn('user'))
  await publishMany(testApp, 300)
  await expect.poll(() => reader.messages.at(-1)?.id).toBe(300)
  const members: SignedIn[] = []
  while (members.length < 10) members.push(await testApp.signIn('user'))
  const { customPlanPool } = testApp.databases
  const from = await Promise.all(
    Array.from({ length: streamsPerMember }, async (_, at) => {
      const last = 100 + 10 * at
      return { last, stamp: await stampOf(testApp, last) }
    }),
  )
  const asked = [vi.spyOn(customPlanPool, 'query'), vi.spyOn(customPlanPool, 'connect')]
  const resumed = await Promise.all(
    members.flatMap((who) =>
      from.map(async ({ last, stamp }) => ({ last, stream: await openStream(port, who, stamp) })),
    ),
  )
  for (const spy of asked) expect(spy).not.toHaveBeenCalled()
  await publishMany(testApp, 1)
  for (const { last, stream } of resumed) await expect.poll(() => idsOf(stream)).toEqual(range(last + 1, 301))
})

test('whoever missed hundreds is told to reset, and goes on from there', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const who = await testApp.signIn('user')
  const reader = await openStream(port, who)
  await publishMany(testApp, 300)
  await expect.poll(() => reader.messages.at(-1)?.id).toBe(300)
  const late = await openStream(port, who, await stampOf(testApp, 99))
  await expect.poll(() => namesOf(late)).toEqual([['reset', 300]])
  await publishMany(testApp, 2)
  await expect
    .poll(() => namesOf(late).slice(1))
    .toEqual([
      ['deals', 301],
      ['deals', 302],
    ])
})

test('a stream begins after the revision of the list that is on screen', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const who = await testApp.signIn('user')
  await publishMany(testApp, 3)
  const list = async (headers = {}) =>
    testApp.app.inject({ url: '/api/products', headers: { ...who.headers, ...headers } })
  await expect.poll(async () => (await list()).headers['dealdeck-revision']).toBe(await stampOf(testApp, 3))
  const { headers } = await list()
  expect((await list({ 'if-none-match': headers.etag })).headers['dealdeck-revision']).toBeDefined()
  const query = `${eventsPath}?last_event_id=${headers['dealdeck-revision']}`
  await publishMany(testApp, 2)
  const begun = await openStream(port, who, undefined, query)
  await expect.poll(() => idsOf(begun).filter(Boolean)).toEqual([4, 5])
  // A browser that comes back opens the same address; its own header is later.
  const back = await openStream(port, who, await stampOf(testApp, 4), query)
  await expect.poll(() => idsOf(back).filter(Boolean)).toEqual([5])
})

test('a process that has just started has the last events at hand, too', async () => {
  const before = await buildTestApp()
  const who = await before.signIn('user')
  await publishMany(before, 300)
  const port = await listening(await buildTestApp({ databases: before.databases }))
  const resumed = await openStream(port, who, await stampOf(before, 250))
  await expect.poll(() => idsOf(resumed)).toEqual(range(251, 300))
  const late = await openStream(port, who, await stampOf(before, 99))
  await expect.poll(() => namesOf(late)).toEqual([['reset', 300]])
})

test('a revision that another process was quicker with is no reason to reset', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const who = await testApp.signIn('user')
  await publishMany(testApp, 3, false)
  const [ahead, behind] = [
    await openStream(port, who, await stampOf(testApp, 3)),
    await openStream(port, who, await stampOf(testApp, 1)),
  ]
  await expect.poll(() => idsOf(behind)).toEqual([2, 3])
  await publish(testApp, 4)
  for (const stream of [ahead, behind]) await expect.poll(() => idsOf(stream).at(-1)).toBe(4)
  expect([idsOf(ahead), idsOf(behind)]).toEqual([[4], [2, 3, 4]])
})

test('revisions that were skipped end the streams of whoever has an earlier one, and it is told to reset', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const who = await testApp.signIn('user')
  const stream = await openStream(port, who)
  await publishMany(testApp, 2)
  await expect.poll(() => idsOf(stream)).toEqual([1, 2])
  await publishMany(testApp, 1, false)
  await testApp.databases.durablePool.query('update feed_state set revision = 5')
  await publishMany(testApp, 2)
  await expect.poll(() => stream.ended).toBe(true)
  expect(idsOf(stream)).toEqual([1, 2, 3])
  const resumed = await openStream(port, who, await stampOf(testApp, 3))
  await expect.poll(() => namesOf(resumed)).toEqual([['reset', 7]])
})

test('what could not be read for want of a connection is sent a little later', async () => {
  const testApp = await buildTestApp()
  const stream = await openStream(await listening(testApp), await testApp.signIn('user'))
  // A pool's methods come in several shapes; that it fails is the same for all of them.
  const query = vi.spyOn(testApp.databases.customPlanPool, 'query')
  query.mockImplementationOnce(() => Promise.reject(new Error('timeout exceeded when trying to connect')))
  await publishMany(testApp, 2)
  await expect.poll(() => query.mock.calls.length).toBeGreaterThan(0)
  await expect.poll(() => idsOf(stream)).toEqual([1, 2])
})

test('the twenty-first stream of a member is refused, until another of theirs is closed', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const [who, other] = [await testApp.signIn('user'), await testApp.signIn('user')]
  const streams = await Promise.all(Array.from({ length: streamsPerMember }, () => openStream(port, who)))
  const refused = await testApp.app.inject({ url: '/api/products/events', headers: who.headers })
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
  expect(refused.json()).toEqual({
    code: 'TOO_MANY_REQUESTS',
    message: expect.stringContaining('Close one of them'),
  })
  await openStream(port, other)
  streams[0]?.close()
  await expect.poll(() => openStream(port, who).catch(() => null)).not.toBeNull()
})

test('the bound of a member holds over two processes', async () => {
  const one = await buildTestApp()
  const other = await buildTestApp({ databases: one.databases })
  const ports = [await listening(one), await listening(other)]
  const who = await one.signIn('user')
  const tries = await Promise.allSettled(
    ports.flatMap((port) => Array.from({ length: streamsPerMember }, () => openStream(port, who))),
  )
  const streams = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []))
  // Who has heard of the other's streams in time refuses; who hasn't ends some.
  const refusals = tries.flatMap((tried) => (tried.status === 'rejected' ? [String(tried.reason)] : []))
  expect(refusals.filter((reason) => !reason.endsWith('answered 429'))).toEqual([])
  const open = () => streams.filter(({ ended }) => !ended).length
  await expect.poll(open).toBeLessThanOrEqual(streamsPerMember)
  expect(open()).toBeGreaterThan(streamsPerMember / 2)
  // Until one is refused: of shares of unequal counts one may be left over.
  for (const port of ports)
    await expect.poll(() => openStream(port, who).then(() => 'open', String)).toMatch(/answered 429$/)
})
