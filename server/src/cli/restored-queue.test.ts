import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { expect, inject, test } from 'vitest'
import { whenDone } from '../../testing/cleanup.ts'
import { testDatabases } from '../../testing/database.ts'
import { makeUser } from '../../testing/factories.ts'
import { cloneTemplate, dropDatabase } from '../../testing/template.ts'
import { eventPruning } from '../features/deals/jobs.ts'
import { heartbeats } from '../features/home/jobs.ts'
import { sessionSweeping } from '../features/session/jobs.ts'
import { type Databases, openDatabases } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrations.ts'
import { JobRunner } from '../platform/jobs/job-runner.ts'
import { queueSchema, queueVersion, readQueueVersion } from '../platform/jobs/queue-schema.ts'
import { writeBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'

const clock = () => new Date('2026-03-01T12:00:20Z')

async function fill({ durablePool }: Databases, user: number): Promise<void> {
  await durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at)
     select decode(lpad(to_hex(n), 8, '0'), 'hex'), $1, case when n > 2500 then '2026-03-02'::date else '2026-02-01'::date end
     from generate_series(1, 2501) n`,
    [user],
  )
  await durablePool.query('update feed_state set revision = 30000')
}

const left = async ({ durablePool }: Databases) =>
  (
    await durablePool.query(
      `select (select count(*) from sessions) as sessions, (select min(revision) from feed_events) as oldest,
         (select count(*) from heartbeats) as minutes`,
    )
  ).rows[0]

test('after a restore every job is found again by looking at the tables', async () => {
  const source = await testDatabases()
  await fill(source, (await makeUser(source)).id)
  // Under way and waiting when the backup is made, and in the database that is replaced.
  const queued = `insert into ${queueSchema}.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds,
      retention_seconds, deletion_seconds, partition, table_name)
    values ('session-sweep', 'exclusive', 5, 0, false, 300, 300, 300, false, 'job_common');
    insert into ${queueSchema}.job (name, data, state, policy, singleton_key)
    values ('session-sweep', '{}', 'active', 'exclusive', '{}')`
  await source.durablePool.query(queued)
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-queue-'))
  whenDone(() => rm(folder, { recursive: true }))
  const counts = await writeBackup(source.url, join(folder, 'all.gz'))
  expect([...counts.keys()]).toEqual(expect.arrayContaining(['sessions', 'heartbeats']))
  expect([...counts.keys()].filter((name) => ['job', 'queue', 'version', 'schedule'].includes(name))).toEqual(
    [],
  )

  const cluster = inject('clusterUrl')
  const url = await cloneTemplate(cluster, inject('templateName'))
  whenDone(() => dropDatabase(cluster, url))
  const target = new pg.Client({ connectionString: url })
  await target.connect()
  await target.query(queued)
  await target.end()
  await restoreBackup(url, join(folder, 'all.gz'), true)
  const restored = openDatabases(url, () => {})
  whenDone(() => restored.close())
  expect(await readQueueVersion(restored.durablePool)).toBeUndefined()
  await migrate(url)
  expect(await readQueueVersion(restored.durablePool)).toBe(queueVersion)
  // A restore begins a new epoch, without events.
  await restored.durablePool.query('insert into feed_events (revision) select generate_series(4000, 11000)')
  expect(await left(restored)).toEqual({ sessions: 2501, oldest: 4000, minutes: 0 })

  const log = pino({ level: 'silent' })
  const deps = { databases: restored, clock, log, settings: { CHANGES_KEPT_DAYS: 7 } }
  const kinds = [heartbeats(deps).kind, sessionSweeping(deps), eventPruning(deps).kind]
  const jobs = new JobRunner(restored, kinds, log)
  whenDone(() => jobs.stop())
  await jobs.look()
  await expect.poll(() => left(restored)).toEqual({ sessions: 1, oldest: 10_002, minutes: 1 })
  for (const kind of kinds) expect([kind.name, await kind.due()]).toEqual([kind.name, []])
})
