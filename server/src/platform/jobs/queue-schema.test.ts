import pg from 'pg'
import { PgBoss } from 'pg-boss'
import manifest from 'pg-boss/package.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { migrate } from '../database/migrations.ts'
import { ensureQueue, queueSchema, queueVersion, readQueueVersion } from './queue-schema.ts'

test('the queue is made in the version of the package, as the package wants it', async () => {
  expect(queueVersion).toBe(manifest.pgboss.schema)
  const { durablePool } = await testDatabases()
  expect(await readQueueVersion(durablePool)).toBe(queueVersion)
  const executeSql = (text: string, values?: unknown[]) => durablePool.query(text, values)
  const boss = new PgBoss({ db: { executeSql }, schema: queueSchema })
  expect(await boss.detectSchemaDrift()).toMatchObject({ ok: true, missing: [], extraIndexes: [] })
})

test('an older queue is replaced, a newer one left alone, and a lost one made anew', async () => {
  const { url, durablePool } = await testDatabases()
  const fill = (version: number) =>
    durablePool.query(
      `update ${queueSchema}.version set version = ${version}; insert into ${queueSchema}.warning (type, message) values ('a', 'b')`,
    )
  const look = async () => {
    await migrate(url)
    const { rows } = await durablePool.query(`select count(*) as n from ${queueSchema}.warning`)
    return [await readQueueVersion(durablePool), rows[0].n]
  }
  await fill(queueVersion)
  expect(await look()).toEqual([queueVersion, 1])
  await fill(queueVersion + 1)
  expect(await look()).toEqual([queueVersion + 1, 2])
  await fill(queueVersion - 1)
  expect(await look()).toEqual([queueVersion, 0])
  await durablePool.query(`drop schema ${queueSchema} cascade`)
  expect(await readQueueVersion(durablePool)).toBeUndefined()
  expect(await look()).toEqual([queueVersion, 0])
})

test('it is part of the transaction around it, and says which right is missing', async () => {
  const { url, durablePool } = await testDatabases()
  await durablePool.query(`drop schema ${queueSchema} cascade`)
  const role = `no_schema_${Date.now()}`
  await durablePool.query(`create role ${role}`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin')
    await ensureQueue(client)
    expect(await readQueueVersion(client)).toBe(queueVersion)
    await client.query('rollback')
    expect(await readQueueVersion(client)).toBeUndefined()
    await client.query(`set role ${role}`)
    await expect(ensureQueue(client)).rejects.toThrow(
      /^The database's user may not make the schema dealdeck_jobs/,
    )
  } finally {
    await client.end()
    await durablePool.query(`drop role ${role}`)
  }
})
