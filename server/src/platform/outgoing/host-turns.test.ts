import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { openDatabases } from '../database/database.ts'
import { HostQuietError, HostTurns, quietMsOf } from './host-turns.ts'

const databases = await testDatabases()
const pool = databases.reservedPool
// What another process has: pools of its own on the same database.
const others = openDatabases(databases.url, () => {})
whenDone(() => others.close())
const here = new HostTurns(pool)
const there = new HostTurns(others.reservedPool)
const wish = { pauseMs: 0 }
const makeHost = () => `${randomUUID()}.example`

const rowOf = async (host: string) =>
  (
    await pool.query(
      'select next_at > now() as quiet, busy_until > now() as busy, extract(epoch from next_at - now())::int as seconds from request_hosts where host = $1',
      [host],
    )
  ).rows[0]

test('one at a time asks a host, whichever process', async () => {
  const host = makeHost()
  let [atWork, most, done] = [0, 0, 0]
  const work = async (turns: HostTurns) => {
    const release = await turns.take(host, wish)
    atWork += 1
    most = Math.max(most, atWork)
    await new Promise((resolve) => setTimeout(resolve, 5))
    atWork -= 1
    done += 1
    await release()
  }
  await Promise.all(Array.from({ length: 12 }, (_, index) => work(index % 2 ? here : there)))
  expect([most, done]).toEqual([1, 12])
})

test('other hosts don’t wait for it', async () => {
  const [one, other] = [await here.take(makeHost(), wish), await here.take(makeHost(), wish)]
  await Promise.all([one(), other()])
})

test('a pause lies between two requests', async () => {
  const host = makeHost()
  await (await here.take(host, { pauseMs: 60_000 }))()
  await expect(there.take(host, { ...wish, patienceMs: 5_000 })).rejects.toThrow(HostQuietError)
  await pool.query('update request_hosts set next_at = now() where host = $1', [host])
  await (await there.take(host, wish))()
})

describe('a host that asks to be left alone', () => {
  test('is, for as long as it says, and whoever wants to ask knows until when', async () => {
    const host = makeHost()
    await (await here.take(host, wish))(3_600_000)
    const refused = there.take(host, { ...wish, patienceMs: 5_000 })
    await expect(refused).rejects.toThrow(HostQuietError)
    const until = await refused.catch((error: HostQuietError) => error.until.getTime())
    expect(Number(until) - Date.now()).toBeGreaterThan(3_500_000)
  })

  test('a day at most', async () => {
    const host = makeHost()
    await (await here.take(host, wish))(Number.MAX_SAFE_INTEGER)
    expect((await rowOf(host)).seconds).toBeLessThanOrEqual(86_400)
  })
})

test('the turn of a process that was killed ends by itself, and what it says later ends no other’s', async () => {
  const host = makeHost()
  const lost = await here.take(host, wish)
  // As if it had not been heard of for long enough.
  await pool.query("update request_hosts set busy_until = now() - interval '1 s' where host = $1", [host])
  const release = await there.take(host, wish)
  await lost(60_000)
  expect(await rowOf(host)).toMatchObject({ quiet: true, busy: true })
  await release()
  expect(await rowOf(host)).toMatchObject({ quiet: true, busy: false })
})

test.each([
  ['its own', here],
  ['another', there],
])('whoever waits for %s process can leave the line', async (_, first) => {
  const host = makeHost()
  const release = await first.take(host, wish)
  const controller = new AbortController()
  const reason = new Error('Enough')
  const waiting = here.take(host, { ...wish, signal: controller.signal })
  const behind = here.take(host, { ...wish, patienceMs: 20_000 })
  setTimeout(() => controller.abort(reason), 50)
  await expect(waiting).rejects.toBe(reason)
  await release()
  await (await behind)()
})

test('a turn can be given back twice, and while the database is away', async () => {
  const release = await here.take(makeHost(), wish)
  await release()
  await release()
  const away = openDatabases(databases.url, () => {})
  const left = await new HostTurns(away.reservedPool).take(makeHost(), wish)
  await away.close()
  await left()
})

test('hosts that were not asked for long are forgotten', async () => {
  const [old, current] = [makeHost(), makeHost()]
  const insert = 'insert into request_hosts values ($1, now() - $2::interval, now() - $2::interval)'
  await pool.query(insert, [old, '2 hours'])
  await pool.query(insert, [current, '2 minutes'])
  await (await new HostTurns(pool).take(makeHost(), wish))()
  expect(await rowOf(old)).toBeUndefined()
  expect(await rowOf(current)).toBeDefined()
})

test.each([
  [429, '120', true, 120_000],
  [503, 'Wed, 01 Jan 2025 00:01:00 GMT', true, 60_000],
  [429, '9999999999', true, 86_400_000],
  [429, 'soon', true, 0],
  [503, 'Wed, 01 Jan 2020 00:00:00 GMT', true, 0],
  [429, '', true, 0],
  [200, '120', true, 0],
  [429, '120', false, 0],
])('%i with Retry-After %j of a host that is public: %s', (status, said, isPublic, ms) => {
  const headers = new Headers({ 'retry-after': said })
  expect(quietMsOf({ status, headers, isPublic }, new Date('2025-01-01T00:00:00Z'))).toBe(ms)
})

test('times that a clock wrote which was ahead hold nobody up', async () => {
  for (const late of [`next_at = now() + interval '2 days'`, `busy_until = now() + interval '1 hour'`]) {
    const host = makeHost()
    await (await here.take(host, wish))()
    await pool.query(`update request_hosts set ${late} where host = $1`, [host])
    await (await there.take(host, { ...wish, patienceMs: 1_000 }))()
    expect(await rowOf(host)).toMatchObject({ quiet: false, busy: false })
  }
})
