import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { advisoryLocks } from '../../server/src/platform/database/lock-register.ts'
import { applyMigrations, migrationNames } from '../../server/src/platform/database/migrations.ts'
import { DealdeckProcess, runCommand, temporaryFolder } from '../../server/testing/dealdeck-process.ts'
import { ownDatabase } from './own-database.ts'

/** A database of this test's own, and a connection to it; `template0` is an empty one. */
async function database(template?: string): Promise<{ url: string; client: pg.Client }> {
  const url = await ownDatabase(template)
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return { url, client }
}

function start(DATABASE_URL: string): DealdeckProcess {
  const dealdeck = new DealdeckProcess('main.ts', ['--no-web'], { PORT: '0', DATABASE_URL })
  onTestFinished(async () => {
    dealdeck.kill('SIGTERM')
    await dealdeck.ended()
  })
  return dealdeck
}

test('a database as the first Dealdeck made it is brought up to date with its rows', async () => {
  const { url, client } = await database('template0')
  const names = await migrationNames()
  await client.query('begin')
  await applyMigrations(client, names.slice(0, 2))
  await client.query('commit')
  await client.query(
    `insert into deals (asin, title, title_folded, price, product_url, availability)
     select 'B' || lpad(n::text, 9, '0'), 'Kettle ' || n, 'kettle ' || n, n, '', 'In stock' from generate_series(1, 500) n`,
  )
  await client.query("insert into users (username, password_hash) values ('ann', 'hash')")
  const dealdeck = start(url)
  const address = await dealdeck.says(/Dealdeck is ready: (\S+)/)
  expect((await fetch(`${address}/readyz`)).status).toBe(200)
  const { rows } = await client.query('select name from migrations order by name')
  expect(rows.map(({ name }) => name)).toEqual(names)
  const counted = await client.query(
    'select (select count(*)::int from deals) as deals, (select username from users) as name',
  )
  expect(counted.rows).toEqual([{ deals: 500, name: 'ann' }])
})

test('a database of a newer Dealdeck is refused in one line, by the application and by commands, and stays as it is', async () => {
  const { url, client } = await database()
  await client.query("insert into migrations (name) values ('9998_later.sql'), ('9999_latest.sql')")
  const line =
    /^The database was made by a newer Dealdeck \(it has 9999_latest\.sql\)\. Start that one or a newer one\.\n$/
  const dealdeck = start(url)
  expect(await dealdeck.ended()).toBe(1)
  expect(dealdeck.errors).toMatch(line)
  const command = await runCommand(['create-user', 'ann'], { DATABASE_URL: url })
  expect(command.code).toBe(1)
  expect(command.errors).toMatch(line)
  const { rows } = await client.query('select count(*)::int as n from users')
  expect(rows).toEqual([{ n: 0 }])
})

test('a migration that fails is one line, and the next start goes on from before it', async () => {
  const { url, client } = await database('template0')
  // Somebody else's table stands where the first migration makes its own.
  await client.query('create table sessions (id int)')
  const broken = start(url)
  expect(await broken.ended()).toBe(1)
  expect(broken.errors).toBe('Migration 0001_accounts.sql failed: relation "sessions" already exists\n')
  await client.query('drop table sessions')
  await start(url).says(/Dealdeck is ready/)
})

test('what somebody else never gives back ends a start and restores within a minute, in a line that says who it is', async () => {
  const { url, client } = await database()
  const reports = await database()
  const folder = await temporaryFolder()
  const file = join(folder, 'backup.gz')
  const DATABASE_URL = url
  expect(await runCommand(['backup', file], { DATABASE_URL })).toMatchObject({ code: 0 })
  await client.query(
    `set application_name = 'left behind'; select pg_advisory_lock(${advisoryLocks.migrations.key})`,
  )
  await reports.client.query("set application_name = 'reports'; begin; select from deals")
  const dealdeck = start(url)
  const [waits, meetsReader] = await Promise.all([
    runCommand(['restore', file, '--replace'], { DATABASE_URL }),
    runCommand(['restore', file, '--replace'], { DATABASE_URL: reports.url }),
    dealdeck.ended(),
  ])
  const who =
    'for migrations.*In the way is connection \\d+ \\(application left behind, role \\w+, from .*, idle since'
  const waiting = new RegExp(`^Waiting up to 30 seconds for the lock ${who}`)
  const refusal = new RegExp(`(^|\n)The lock ${who}.*: select pg_terminate_backend\\(\\d+\\)\n$`)
  expect([await dealdeck.ended(), waits.code, meetsReader.code]).toEqual([1, 1, 1])
  expect(dealdeck.output).toMatch(waiting)
  expect(dealdeck.errors).toMatch(refusal)
  expect(waits.errors).toMatch(waiting)
  expect(waits.errors).toMatch(refusal)
  expect(meetsReader.errors).toMatch(
    /^The tables of the database are in use, so nothing was changed\. In the way is connection \d+ \(application reports, /,
  )
})
