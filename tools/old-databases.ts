import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { applyMigrations, migrationNames } from '../server/src/platform/database/migrations.ts'
import { cloneTemplate, dropDatabase } from '../server/testing/template.ts'
import { sampleRows } from './old-database-rows.ts'

const usage = `Usage: TEST_DATABASE_URL=postgres://… node tools/old-databases.ts

Writes the dump of a small database as each migration left it, for each that has none yet, into
server/testing/old-databases. pg_dump, in PATH, must be of the server's version, the oldest that Dealdeck works with.`

const folder = fileURLToPath(new URL('../server/testing/old-databases/', import.meta.url))
const clusterUrl = process.env.TEST_DATABASE_URL
if (clusterUrl === undefined) {
  console.error(usage)
  process.exit(2)
}

const names = await migrationNames()
for (const [at, name] of names.entries()) {
  const file = folder + name.replace(/\.sql$/, '.dump')
  if (existsSync(file)) continue
  const url = await cloneTemplate(clusterUrl, 'template0')
  try {
    await fill(url, names.slice(0, at + 1))
    await writeFile(file, dump(url))
    console.log(`Written: ${file}`)
  } finally {
    await dropDatabase(clusterUrl, url)
  }
}

/** Applies these migrations to an empty database, and puts the samples into whatever tables and columns there are then. */
async function fill(url: string, migrations: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin')
    await applyMigrations(client, migrations)
    for (const { table, rows } of sampleRows) {
      const columns = await columnsOf(client, table)
      for (const row of rows) await insert(client, table, columns, row)
      if (columns.has('id'))
        await client.query(
          `select setval(pg_get_serial_sequence($1, 'id'), (select max(id) from ${table}))`,
          [table],
        )
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}

async function columnsOf(client: pg.Client, table: string): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  )
  return new Set(rows.map(({ name }) => name))
}

/** What takes the only row of its table changes that one. */
async function insert(
  client: pg.Client,
  table: string,
  columns: ReadonlySet<string>,
  row: Record<string, unknown>,
): Promise<void> {
  const known = Object.keys(row).filter((name) => columns.has(name))
  if (known.length === 0) return
  const list = known.join(', ')
  const statement = columns.has('only_row')
    ? `update ${table} set (${list}) = (select ${list} from jsonb_populate_record(null::${table}, $1))`
    : `insert into ${table} (${list}) overriding system value
       select ${list} from jsonb_populate_record(null::${table}, $1)`
  await client.query(statement, [JSON.stringify(row)])
}

/** Everything as plain statements, without what is for reading or for psql only. */
function dump(url: string): string {
  const options = ['--inserts', '--no-owner', '--no-privileges', '--exclude-schema=dealdeck_jobs']
  const { status, stdout, stderr } = spawnSync('pg_dump', [...options, url], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  if (status !== 0) throw new Error(stderr)
  // The dumps are read by people, and loaded without psql.
  const lines = stdout.split('\n').filter((line) => !/^(--|\\|$|SET |COMMENT ON EXTENSION )/.test(line))
  return `${lines.join('\n')}\n`
}
