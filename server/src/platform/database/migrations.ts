import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { ensureQueue } from '../jobs/queue-schema.ts'
import { asking, isLockTimeout, tablesInUse, takeLock } from './advisory-locks.ts'
import { clientForWork, connectInTime, leave, whileAnswering } from './answering.ts'
import { refuseUnconfirmed } from './commit-limit.ts'

const folder = fileURLToPath(new URL('../../../migrations/', import.meta.url))

/**
 * How long a start, or a restore, waits for another one or for whoever uses the tables, in milliseconds. An update takes
 * a few seconds as a rule. Whoever meets a long one is started again by what watches over it; a connection that was left
 * behind never ends, and somebody has to hear of it.
 */
export const tablesPatienceMs = 30_000

const mostTries = 5

/** A migration by its file's name; `checksum` is the hash of its text, whatever its line endings. */
type Migration = { name: string; text: string; checksum: string }
/** A migration as a database, or a backup, knows it. Those applied by the first builds have no checksum. */
export type Applied = { name: string; checksum: string | null }

type Options = {
  /** Says a line to whoever started this when it has to wait. */
  say?: (line: string) => void
  /** Aborted when nobody wants the result any more; then it throws. */
  signal?: AbortSignal
}

/**
 * Brings the database of `url` up to date: every file of `server/migrations` not yet applied, in order, all of them in
 * one transaction or none, and the queue of work in the background. Several applications starting at once wait for each
 * other. Returns the names applied.
 * Throws one clear line and changes nothing when a migration fails, another build has been at this database, somebody is
 * in the way for half a minute, or no standby confirms commits. For their limit, call it within `withCommitLimit`.
 */
export async function migrate(url: string, { say, signal }: Options = {}): Promise<string[]> {
  const known = await readMigrations()
  const client = clientForWork(url, 'dealdeck migrate')
  const stop = () => void client.connection.stream.destroy()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    signal?.throwIfAborted()
    await connectInTime(client)
    const work = () => aloneWithTables(client, say, () => applyMissing(client, url, known))
    return await whileAnswering(client, url, () => againAfterDeadlock(work))
  } finally {
    signal?.removeEventListener('abort', stop)
    await leave(client)
  }
}

/** Who waited for a table that the migrations had, while these waited for one of theirs, is through by the next try. */
async function againAfterDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isDeadlock(error) || tries === mostTries) throw error
    }
  }
}

/** Whether a migration was ended because it and somebody else waited for each other. */
function isDeadlock(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === '40P01'
}

async function applyMissing(client: pg.Client, url: string, known: readonly Migration[]): Promise<string[]> {
  const applied = await readApplied(client)
  await refuseOtherBuild(applied)
  const pending = known.slice(applied.length)
  // With nothing to change, a start goes on without a standby.
  if (pending.length > 0) await refuseUnconfirmed(url)
  const isNoted = applied.every(({ checksum }) => checksum !== null)
  if (pending.length > 0 || !isNoted) await apply(client, pending)
  await ensureQueue(client)
  return pending.map(({ name }) => name)
}

/**
 * Runs `work` in one transaction, while no other process starts or restores on this database. Rolls back and rethrows on
 * any error; throws one clear line that names who is in the way when a lock is not to be had in time.
 */
export async function aloneWithTables<T>(
  client: pg.ClientBase,
  say: ((line: string) => void) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  await client.query('begin')
  try {
    await takeLock(asking(client), 'migrations', tablesPatienceMs, say)
    await client.query(`set local lock_timeout = ${tablesPatienceMs}`)
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw isLockTimeout(error) ? await tablesInUse(asking(client), error) : error
  }
}

/** Applies these migrations of this build inside the caller's transaction, which holds the migrations' lock. */
export async function applyMigrations(client: pg.ClientBase, names: readonly string[]): Promise<void> {
  const known = await readMigrations()
  await apply(
    client,
    known.filter(({ name }) => names.includes(name)),
  )
}

/** The migrations this build knows, in the order in which they are applied. */
export async function migrationNames(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

/** What has been applied to a database, in order; empty also when it has none of our tables. */
export async function readApplied(client: pg.ClientBase): Promise<Applied[]> {
  const table = await client.query("select from pg_class where oid = to_regclass('migrations')")
  if (table.rowCount === 0) return []
  // The first builds made this table without checksums.
  const { rows } = await client.query<Applied>(
    "select name, to_jsonb(m) ->> 'checksum' as checksum from migrations m",
  )
  return rows.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What shows that another build applied these, after the words 'it has'; undefined when this build would have. */
export type OtherBuild = { isNewer: boolean; what: string }

/**
 * Compares what was applied with what this build would have applied first: whatever else it is, a newer build made it,
 * or one that was never released.
 */
export async function findOtherBuild(applied: readonly Applied[]): Promise<OtherBuild | undefined> {
  return compare(applied, await readMigrations())
}

/** Throws one clear line when another build has been at a database where these were applied. */
export async function refuseOtherBuild(applied: readonly Applied[]): Promise<void> {
  const other = await findOtherBuild(applied)
  if (!other) return
  throw new Error(
    other.isNewer
      ? `The database was made by a newer Dealdeck (it has ${other.what}). Start that one or a newer one.`
      : `The database was made by an unreleased build of Dealdeck (it has ${other.what}). Nothing was changed. Start the build that made it, or use another database.`,
  )
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

async function readMigrations(): Promise<Migration[]> {
  const names = await migrationNames()
  return Promise.all(
    names.map(async (name) => ({ name, ...readText(await readFile(folder + name, 'utf8')) })),
  )
}

/** A migration's text as it is run, and its checksum. A checkout may have changed the line endings: they don't count. */
export function readText(content: string): Pick<Migration, 'text' | 'checksum'> {
  const text = content.replaceAll('\r\n', '\n')
  return { text, checksum: createHash('sha256').update(text).digest('hex') }
}

function compare(applied: readonly Applied[], known: readonly Migration[]): OtherBuild | undefined {
  for (const [at, { name, checksum }] of applied.entries()) {
    const mine = known[at]
    if (mine?.name === name && (checksum ?? mine.checksum) === mine.checksum) continue
    if (mine?.name === name) return { isNewer: false, what: `another ${name} than this build` }
    if (known.some((one) => one.name === name))
      return { isNewer: false, what: `${name} without ${mine?.name}` }
    const isNewer = known.every((one) => one.name < name)
    return { isNewer, what: isNewer ? (applied.at(-1)?.name ?? name) : `${name}, which this build lacks` }
  }
  return undefined
}

async function apply(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(
    'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
  )
  // A backup holds all tables. Whoever waited to change one of them would have all its readers wait behind it; for this
  // lock only a backup is waited for.
  await client.query('lock table migrations in exclusive mode')
  await client.query('alter table migrations add column if not exists checksum text')
  if (migrations.length > 0) {
    // Whoever writes deals has one table after the other, in another order than these: each would wait for the other, and
    // what somebody hands in would be refused.
    await takeLock(asking(client), 'deals', tablesPatienceMs)
    // Who had to wait for it has none any more.
    await client.query(`set local lock_timeout = ${tablesPatienceMs}`)
  }
  for (const { name, text, checksum } of migrations) {
    try {
      await client.query(text)
    } catch (error) {
      if (isLockTimeout(error)) throw error
      throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
  }
  await noteChecksums(client)
}

/** Whoever applied a migration before there were checksums is taken to have applied the released one. */
async function noteChecksums(client: pg.ClientBase): Promise<void> {
  const known = await readMigrations()
  await client.query(
    `update migrations m set checksum = k.checksum from unnest($1::text[], $2::text[]) k(name, checksum)
     where m.name = k.name and m.checksum is null`,
    [known.map(({ name }) => name), known.map(({ checksum }) => checksum)],
  )
}
