import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { cloneTemplate, dropDatabase } from '../../../testing/template.ts'
import { writeBackup } from '../../cli/backup.ts'
import { restoreBackup } from '../../cli/restore.ts'
import { advisoryLocks } from './lock-register.ts'
import { applyMigrations, migrate, migrationNames, readText } from './migrations.ts'

const clusterUrl = inject('clusterUrl')
const names = await migrationNames()

/** A database of this test's own; `template0` is an empty one. */
async function database(template = inject('templateName')): Promise<{ url: string; client: pg.Client }> {
  const url = await cloneTemplate(clusterUrl, template)
  const client = new pg.Client({ connectionString: url, application_name: 'test' })
  client.on('error', () => {})
  await client.connect()
  whenDone(async () => {
    await client.end()
    await dropDatabase(clusterUrl, url)
  })
  return { url, client }
}

async function rows(client: pg.Client, statement: string): Promise<unknown[]> {
  return (await client.query(statement)).rows
}

/** Everything a database is made of, as one text. */
const shape = (client: pg.Client) =>
  rows(
    client,
    `select (select string_agg(table_name || column_name || data_type, ',' order by table_name, ordinal_position)
         from information_schema.columns where table_schema = 'public') as columns,
       (select jsonb_agg(m order by name) from migrations m) as migrations`,
  )

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'dealdeck-migrations-'))
  whenDone(() => rm(path, { recursive: true }))
  return path
}

const unreleased = (what: string) =>
  `The database was made by an unreleased build of Dealdeck (it has ${what}). Nothing was changed. Start the build that made it, or use another database.`

test('each migration is kept with its checksum, and those of the first builds are taken for the released ones', async () => {
  const { url, client } = await database()
  const kept = 'select name, checksum from migrations order by name'
  const before = await rows(client, kept)
  expect(before).toEqual(names.map((name) => ({ name, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) })))
  expect(await migrate(url)).toEqual([])
  await client.query('alter table migrations drop column checksum')
  expect(await migrate(url)).toEqual([])
  expect(await rows(client, kept)).toEqual(before)
})

test('ASINs are ordered by their bytes in every table, or an index of one would be of no use to a comparison with another', async () => {
  const { client } = await database()
  const others = await rows(
    client,
    `select table_name from information_schema.columns
     where table_schema = 'public' and column_name = 'asin' and collation_name is distinct from 'C'`,
  )
  expect(others).toEqual([])
})

test('line endings, which a checkout may change, are no other migration', () => {
  const text = 'create table a (\n  b int\n);\n'
  expect(readText(text.replaceAll('\n', '\r\n'))).toEqual(readText(text))
  expect(readText(text.replace('int', 'text')).checksum).not.toBe(readText(text).checksum)
})

test.each([
  ['an edited migration', "update migrations set checksum = repeat('0', 64) where name = $1", names[2]],
  ['a migration nobody else has', "update migrations set name = '0003_other.sql' where name = $1", names[2]],
  ['a gap', 'delete from migrations where name = $1', names[2]],
])('%s is named before anything is changed', async (_, statement, name) => {
  const { url, client } = await database()
  // The newest is still to be applied; it must not be.
  await client.query('delete from migrations where name = $1', [names.at(-1)])
  await client.query(statement, [name])
  const before = await shape(client)
  const what = statement.startsWith('delete')
    ? `${names[3]} without ${name}`
    : statement.includes('checksum')
      ? `another ${name} than this build`
      : '0003_other.sql, which this build lacks'
  await expect(migrate(url)).rejects.toThrow(new Error(unreleased(what)))
  const file = join(await folder(), 'backup.gz')
  await expect(writeBackup(url, file)).rejects.toThrow(new Error(unreleased(what)))
  expect(await shape(client)).toEqual(before)
})

test('a backup of an unreleased build is refused, and what it would replace stays', async () => {
  const { url, client } = await database()
  const file = join(await folder(), 'backup.gz')
  await client.query("insert into users (username, password_hash) values ('ann', 'hash')")
  await writeBackup(url, file)
  const [kept] = await rows(client, `select checksum from migrations where name = '${names[4]}'`)
  // The statement above gives this column.
  const { checksum } = kept as { checksum: string }
  const text = gunzipSync(await readFile(file)).toString('latin1')
  await writeFile(file, gzipSync(Buffer.from(text.replaceAll(checksum, 'f'.repeat(64)), 'latin1')))
  await expect(restoreBackup(url, file, true)).rejects.toThrow(
    `backup.gz was written by an unreleased build of Dealdeck (it has another ${names[4]} than this build). Nothing was changed.`,
  )
  expect(await rows(client, 'select username from users')).toEqual([{ username: 'ann' }])
})

test('a database of the first builds can be backed up as it is, and comes back with checksums', async () => {
  const { url, client } = await database('template0')
  await client.query('begin')
  await applyMigrations(client, names.slice(0, -1))
  await client.query('commit')
  await client.query('alter table migrations drop column checksum')
  const file = join(await folder(), 'backup.gz')
  const before = await shape(client)
  await writeBackup(url, file)
  expect(await shape(client)).toEqual(before)
  const target = await database('template0')
  await restoreBackup(target.url, file, false)
  const bare = 'select name from migrations where checksum is null'
  expect(await rows(target.client, bare)).toEqual([])
  expect(await migrate(target.url)).toEqual([])
})

test('a migration that fails takes back those before it', async () => {
  const { url, client } = await database('template0')
  // Somebody else's table stands where the second migration makes its own.
  await client.query('create table deals (id int)')
  await expect(migrate(url)).rejects.toThrow(/^Migration 0002_deals\.sql failed: relation "deals" already/)
  expect(
    await rows(client, "select relname from pg_class where relnamespace = 'public'::regnamespace"),
  ).toEqual([{ relname: 'deals' }])
  await client.query('drop table deals')
  expect(await migrate(url)).toEqual(names)
})

test('an update waits for a backup without keeping readers waiting', async () => {
  const { url, client } = await database('template0')
  await client.query('begin')
  await applyMigrations(client, names.slice(0, -1))
  await client.query('commit; begin; lock table deals, migrations in access share mode')
  await client.query('lock table migrations in row share mode')
  const reader = new pg.Client({ connectionString: url, statement_timeout: 2_000 })
  await reader.connect()
  const updating = migrate(url)
  const waiting = () =>
    rows(reader, 'select relation::regclass::text as of, mode from pg_locks where not granted')
  await expect.poll(waiting).toEqual([{ of: 'migrations', mode: 'ExclusiveLock' }])
  expect(await rows(reader, 'select from deals')).toEqual([])
  expect(await rows(reader, 'select from migrations')).toHaveLength(names.length - 1)
  await reader.end()
  await client.query('commit')
  expect(await updating).toEqual(names.slice(-1))
})

test('an update and somebody who uses the same tables in another order both get through', async () => {
  const { url, client } = await database('template0')
  await client.query('begin')
  await applyMigrations(client, names.slice(0, names.indexOf('0035_asin_collation.sql')))
  await client.query('commit; begin; select from source_deals')
  const watching = new pg.Client({ connectionString: url })
  // Where the test fails its database goes with both of them still at work.
  watching.on('error', () => undefined)
  await watching.connect()
  const updating = migrate(url)
  updating.catch(() => undefined)
  const waiting = () =>
    rows(watching, 'select relation::regclass::text as of from pg_locks where not granted')
  await expect.poll(waiting).toEqual([{ of: 'source_deals' }])
  // Each waits for the other now; the update, which finds that out first, gives way.
  await client.query('select from quarantine; commit')
  expect(await updating).toContain('0035_asin_collation.sql')
  await watching.end()
})

test('a start and a restore say whom they wait for, and end when nobody needs them', async () => {
  const { url, client } = await database()
  await client.query(`select pg_advisory_lock(${advisoryLocks.migrations.key})`)
  const ending = new AbortController()
  const lines: string[] = []
  const say = (line: string) => {
    lines.push(line)
    ending.abort()
  }
  await expect(migrate(url, { say, signal: ending.signal })).rejects.toThrow()
  const file = join(await folder(), 'backup.gz')
  await writeBackup(url, file)
  // Given back as soon as the restore says that it waits.
  await restoreBackup(url, file, false, (line) => {
    lines.push(line)
    void client.query('select pg_advisory_unlock_all()')
  })
  expect(lines).toHaveLength(2)
  for (const line of lines)
    expect(line).toMatch(
      /^Waiting up to 30 seconds for the lock for migrations\. In the way is connection \d+ \(application test, /,
    )
})
