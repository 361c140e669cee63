import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const createTable =
  'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())'

/** The advisory lock under which migrations are applied. */
export const migrationsLock = 4_207_001

/** The migrations this build knows, in the order in which they are applied. */
export async function migrationNames(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

/** Applies these migrations inside the caller's transaction, which holds the migrations' lock. */
export async function applyMigrations(client: pg.Client, names: string[]): Promise<void> {
  await client.query(createTable)
  for (const name of names) {
    await client.query(await readFile(folder + name, 'utf8'))
    await client.query('insert into migrations (name) values ($1)', [name])
  }
}

/**
 * Brings the database of `url` up to date: every file of `server/migrations` not yet applied, in order, each in its own
 * transaction. Several applications starting at once wait for each other. Returns the names applied.
 * Throws one clear line when a migration fails, leaving that one undone, or when a newer build has been at this database.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationsLock])
    await client.query(createTable)
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const applied = new Set(rows.map((row) => row.name))
    const known = await migrationNames()
    refuseNewer(applied, known)
    const pending = known.filter((name) => !applied.has(name))
    for (const name of pending) await applyOne(client, name)
    return pending
  } finally {
    await client.end()
  }
}

/** Whether every migration this build knows has been applied; false also when the table isn't there. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>(
    "select to_regclass('migrations') is not null as there",
  )
  if (!rows[0]?.there) return false
  const names = await migrationNames()
  const { rows: applied } = await pool.query<{ n: number }>(
    'select count(*) as n from migrations where name = any($1)',
    [names],
  )
  return applied[0]?.n === names.length
}

/** Writing what a newer build has shaped would break its rules without anybody noticing. */
function refuseNewer(applied: ReadonlySet<string>, known: readonly string[]): void {
  const unknown = [...applied].filter((name) => !known.includes(name)).sort()
  if (unknown.length === 0) return
  throw new Error(
    `The database was made by a newer Dealdeck (it has ${unknown.at(-1)}). Start that one or a newer one.`,
  )
}

async function applyOne(client: pg.Client, name: string): Promise<void> {
  await client.query('begin')
  try {
    await applyMigrations(client, [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
