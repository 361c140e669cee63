import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabases } from '../testing/database.ts'
import { startDealdeck } from '../testing/dealdeck-process.ts'
import { makeUser } from '../testing/factories.ts'

const METRICS_TOKEN = 'a-token-of-some-length'
const kinds = ['event-pruning', 'heartbeat', 'session-sweep']
/** A lease of ten seconds, and a beat of ten seconds of whoever is left, on a machine that may be busy. */
const takenOver = { timeout: 40_000, interval: 250 }

test('what a killed process was at is done once, by another', { timeout: 120_000 }, async () => {
  const databases = await testDatabases()
  const user = await makeUser(databases)
  await databases.durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at) values ('\\x01', $1, now() - interval '1 hour')`,
    [user.id],
  )
  await databases.durablePool.query('update feed_state set revision = 30000')
  await databases.durablePool.query('insert into feed_events (revision) values (1), (29999)')
  // Looks read; what writes waits in its middle.
  const holder = new pg.Client({ connectionString: databases.url })
  await holder.connect()
  await holder.query('begin; lock table heartbeats, sessions, feed_events in share row exclusive mode')
  const env = { DATABASE_URL: databases.url, METRICS_TOKEN }
  const killed = startDealdeck(env)
  await killed.address()
  // Each minute has a heartbeat of its own, and the next one's may come first.
  const underWay = async (attempt: number) => {
    const { rows } = await databases.customPlanPool.query<{ name: string }>(
      `select distinct name from dealdeck_jobs.job
       where state = 'active' and (retry_count = $1 or name = 'heartbeat') order by 1`,
      [attempt],
    )
    return rows.map(({ name }) => name)
  }
  await expect.poll(() => underWay(0), takenOver).toEqual(kinds)
  const other = startDealdeck(env)
  const address = await other.address()
  killed.kill('SIGKILL')
  await killed.ended()
  await expect.poll(() => underWay(1), takenOver).toEqual(kinds)
  // What the dead one asked for still waits in the database, and would be done beside the other's.
  await holder.query('commit')
  await holder.end()
  const figures = async () =>
    (await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text()
  const done = async (kind: string) =>
    Number(new RegExp(`dealdeck_jobs_total{kind="${kind}",outcome="done"} (\\d+)`).exec(await figures())?.[1])
  for (const kind of kinds) await expect.poll(() => done(kind), takenOver).toBeGreaterThan(0)
  const { rows } = await databases.customPlanPool.query(
    `select (select count(*) from sessions) as sessions, (select array_agg(revision) from feed_events) as events,
       (select count(*) - count(distinct minute) from heartbeats) as twice,
       (select array_agg(distinct retry_count) from dealdeck_jobs.job where name in ('event-pruning', 'session-sweep')) as attempts`,
  )
  expect(rows).toEqual([{ sessions: 0, events: [29_999], twice: 0, attempts: [1] }])
  expect(await figures()).toMatch(/dealdeck_jobs_total{kind="session-sweep",outcome="failed"} 0/)
})
