import type { Home } from '@dealdeck/contract/home'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { testDatabases } from '../../../testing/database.ts'
import type { Databases } from '../../platform/database/database.ts'
import { recordHeartbeat } from './actions.ts'
import { heartbeats } from './jobs.ts'
import { readUptime } from './queries.ts'

const start = Date.parse('2026-03-01T12:00:20Z')
/** So many minutes after the start. */
const at = (minutes: number) => new Date(start + minutes * 60_000)
const day = 24 * 60

async function beatsOf(databases: Databases): Promise<number> {
  const { rows } = await databases.customPlanPool.query('select count(*) as n from heartbeats')
  return rows[0].n
}

/** Records every minute from one to another, both included, as a process that is up all the time would. */
async function fill(databases: Databases, from: number, to: number): Promise<void> {
  await databases.durablePool.query(
    `insert into heartbeats select date_trunc('minute', g) from
       generate_series($1::timestamptz, $2::timestamptz, '1 minute') g on conflict do nothing`,
    [at(from), at(to)],
  )
}

test('one minute is one row, whichever and however many processes were up in it', async () => {
  const databases = await testDatabases()
  expect(await readUptime(databases, at(0))).toBeNull()
  for (const minutes of [0, 0.3, 0.6]) await recordHeartbeat(databases, at(minutes))
  expect(await beatsOf(databases)).toBe(1)
  expect(await readUptime(databases, at(0.5))).toEqual({ percentage: 100, minutes: 1 })
  // Two processes, one of them down in the third minute, both in the fifth.
  for (const minutes of [1, 1.2, 2, 3, 3.1]) await recordHeartbeat(databases, at(minutes))
  expect(await readUptime(databases, at(5))).toEqual({ percentage: 83.33, minutes: 6 })
})

test('a single missing minute of a month never shows as 100 %, and only 30 days count', async () => {
  const databases = await testDatabases()
  await fill(databases, 0, 10)
  await fill(databases, 5 * day, 40 * day)
  expect(await readUptime(databases, at(40 * day))).toEqual({ percentage: 100, minutes: 30 * day })
  await databases.durablePool.query(
    `delete from heartbeats where minute = date_trunc('minute', $1::timestamptz)`,
    [at(20 * day)],
  )
  expect(await readUptime(databases, at(40 * day))).toEqual({ percentage: 99.99, minutes: 30 * day })
})

test('a clock that jumps never makes more than 100 %', async () => {
  const databases = await testDatabases()
  await fill(databases, 100, 300)
  // Put back before everything recorded, then into its middle, then far ahead.
  expect(await readUptime(databases, at(0))).toBeNull()
  await recordHeartbeat(databases, at(0))
  expect(await readUptime(databases, at(0))).toEqual({ percentage: 100, minutes: 1 })
  await fill(databases, 0, 99)
  expect(await readUptime(databases, at(150))).toEqual({ percentage: 100, minutes: 151 })
  expect(await readUptime(databases, at(601))).toEqual({ percentage: 50.16, minutes: 602 })
})

test('what is older than 90 days is forgotten', async () => {
  const databases = await testDatabases()
  await fill(databases, 0, 119)
  const full = new Date('2026-05-30T13:00:05Z')
  await recordHeartbeat(databases, full)
  const { rows } = await databases.customPlanPool.query('select min(minute) as first from heartbeats')
  expect(rows[0].first.toISOString()).toBe('2026-03-01T13:00:00.000Z')
})

test('a machine whose clock is far ahead records nothing and forgets nothing', async () => {
  const databases = await testDatabases()
  await fill(databases, 0, 9)
  const hour = 3_600_000
  const ahead = new Date(Math.ceil(Date.now() / hour) * hour + 2 * hour)
  await expect(recordHeartbeat(databases, ahead)).rejects.toThrow(/clock is \d+ seconds ahead/)
  expect(await beatsOf(databases)).toBe(10)
})

test('a minute is due until some process has recorded it', async () => {
  const databases = await testDatabases()
  let now = at(0)
  const clock = () => now
  const [mine, other] = [heartbeats({ databases, clock }), heartbeats({ databases, clock })]
  const due = [{ minute: '2026-03-01T12:00:00.000Z' }]
  expect([await mine.kind.due(), await other.kind.due(), mine.last()]).toEqual([due, due, undefined])
  const { signal } = new AbortController()
  // Whoever was killed after it had recorded the minute has it recorded again.
  await mine.kind.run(due[0], signal)
  await other.kind.run(due[0], signal)
  expect(await beatsOf(databases)).toBe(1)
  const third = heartbeats({ databases, clock })
  for (const { kind, last } of [mine, third])
    expect([await kind.due(), last()]).toEqual([[], Date.parse('2026-03-01T12:00:00Z')])
  now = at(1)
  expect(await mine.kind.due()).toEqual([{ minute: '2026-03-01T12:01:00.000Z' }])
  // One of before an outage may be done after newer ones.
  await mine.kind.run({ minute: '2026-03-01T11:00:00.000Z' }, signal)
  expect(mine.last()).toBe(Date.parse('2026-03-01T12:00:00Z'))
  await expect(mine.kind.run({ minute: 'noon' }, signal)).rejects.toThrow(/minute/)
})

test('a listening application records itself and tells its users', async () => {
  const { app, databases, signIn } = await buildTestApp({
    settings: { COMMUNITY_URL: 'https://chat.example/in' },
  })
  const { headers } = await signIn('user')
  const home = async () => (await app.inject({ url: '/api/home', headers })).json<Home>()
  expect(await home()).toEqual({ uptime: null, community_url: 'https://chat.example/in' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  await expect.poll(() => beatsOf(databases)).toBe(1)
  expect((await home()).uptime?.percentage).toBe(100)
  expect((await app.inject({ url: '/api/home' })).statusCode).toBe(401)
})

test('without a chat there is no invitation', async () => {
  const { app, signIn } = await buildTestApp()
  const { headers } = await signIn('user')
  expect((await app.inject({ url: '/api/home', headers })).json()).toMatchObject({ community_url: null })
})
