import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Command } from 'commander'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { asking, isLockTimeout, tablesInUse } from '../platform/database/advisory-locks.ts'
import { clientForWork, connectInTime, leave, whileAnswering } from '../platform/database/answering.ts'
import { type BackupHeader, block, firstLine } from '../platform/database/backup-file.ts'
import {
  type Applied,
  readApplied,
  refuseOtherBuild,
  tablesPatienceMs,
} from '../platform/database/migrations.ts'
import { keyFileOf } from '../platform/key-file.ts'
import { withDatabaseUrl } from './database.ts'

type Table = { name: string; columns: string[]; needs: string[] }

/** `backup FILE`: everything the database holds, as of one moment, while the application goes on. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('write everything the database holds to one file; the application may be running')
    .argument('<file>', 'where to; an older backup there is replaced when the new one is whole')
    .action(async (file: string) => {
      const { counts, key } = await withDatabaseUrl(async (url, { SECRET_KEY, DATA_DIR }) => {
        const key = SECRET_KEY === '' ? keyFileOf(DATA_DIR) : 'SECRET_KEY'
        return { counts: await writeBackup(url, file), key }
      }, 'read')
      const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
      console.log(`Wrote ${rows} rows of ${counts.size} tables to ${file}.`)
      // Somebody who finds the backup must not be able to open them.
      if ((counts.get('sources') ?? 0) + (counts.get('destinations') ?? 0) > 0)
        console.log(
          `Secrets of sources and destinations are sealed, and their key is not in it: keep a copy of ${key} elsewhere.`,
        )
    })
}

/**
 * Writes the whole database to `file`, readable by its owner only; the file appears when it is complete. A database that
 * an older build left stays as it is.
 * Returns the number of rows of each table. Throws when the file can't be written, the connection breaks, or the
 * database is not one that this build could restore.
 */
export async function writeBackup(url: string, file: string): Promise<Map<string, number>> {
  await refuseOther(file)
  const client = clientForWork(url, 'dealdeck backup')
  // Of this run alone: two backups of one name at once must not write into each other.
  const half = `${file}.${randomBytes(4).toString('hex')}.part`
  const counts = new Map<string, number>()
  const work = async () => {
    const applied = await readApplied(client)
    if (applied.length === 0) throw new Error('There is nothing of Dealdeck in this database yet.')
    await refuseOtherBuild(applied)
    const names = (await tablesOf(client)).map(({ name }) => pg.escapeIdentifier(name))
    await begin(client)
    // Before anything is read: a table that a migration writes anew would look empty from a moment before.
    await client.query(`set local lock_timeout = ${tablesPatienceMs}`)
    await client.query(`lock table ${names.join(', ')} in access share mode`)
    // A start with an update waits here, where nobody else has to wait with it.
    await client.query('lock table migrations in row share mode')
    const out = createWriteStream(half, { mode: 0o600, flush: true })
    await pipeline(Readable.from(blocksOf(client, applied, counts)), createGzip(), out)
    await rename(half, file)
    return counts
  }
  try {
    await connectInTime(client)
    return await whileAnswering(client, url, work)
  } catch (error) {
    await rm(half, { force: true }).catch(() => {})
    if (isLockTimeout(error)) {
      await client.query('rollback')
      throw await tablesInUse(asking(client), error)
    }
    throw isAboutFile(error) ? new Error(`The backup ${file} can't be written: ${error.message}`) : error
  } finally {
    await leave(client)
  }
}

/** Before an hour of work is lost on the name of a folder, or root puts a file in the place of /dev/null. */
async function refuseOther(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found && !found.isFile())
    throw new Error(`The backup ${file} can't be written: there is a folder or a device of that name.`)
}

/**
 * Begins the one transaction of a backup, in which every value is written in one form, whatever the database, the role
 * or a pooler has set. Throws one line where a pooler lets no transaction last.
 */
async function begin(client: pg.Client): Promise<void> {
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query(
      "set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local timezone = 'UTC'; set local bytea_output = 'hex'; set local extra_float_digits = 3",
    )
    // A select would be the moment of the backup, and it has no locks yet.
    const { rows } = await client.query<{ transaction_isolation: string }>('show transaction_isolation')
    if (rows[0]?.transaction_isolation !== 'repeatable read')
      throw new Error('it was not the transaction that began')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      `No backup can be made through what stands before the database: a transaction does not last (${why}). Use a session of its own (PgBouncer: pool_mode = session), or the address of PostgreSQL itself.`,
      { cause: error },
    )
  }
}

/** Whether the operating system refused; the database's errors and lost connections speak for themselves. */
function isAboutFile(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'syscall' in error &&
    /^(open|write|fsync|close|rename)$/.test(`${error.syscall}`)
  )
}

async function* blocksOf(
  client: pg.Client,
  applied: readonly Applied[],
  counts: Map<string, number>,
): AsyncGenerator<Buffer> {
  const tables = inOrderOfNeed(await tablesOf(client))
  yield firstLine()
  yield block('H', await headerOf(client, applied, tables))
  for (const { name, columns } of tables) {
    yield block('T', { table: name, columns })
    const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
    const rows = client.query(copyTo(`copy ${pg.escapeIdentifier(name)} (${list}) to stdout`))
    for await (const chunk of rows) yield block('D', chunk)
    counts.set(name, rows.rowCount)
    yield block('C', { rows: rows.rowCount })
  }
  yield block('Z', {})
}

async function headerOf(
  client: pg.Client,
  applied: readonly Applied[],
  tables: Table[],
): Promise<BackupHeader> {
  const counters = await client.query<BackupHeader['counters'][number]>(
    `select t.relname as table, a.attname as column, q.last_value
     from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' join pg_class t on t.oid = d.refobjid
       join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
       join pg_sequences q on q.schemaname = current_schema() and q.sequencename = s.relname
     where d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i') and t.relnamespace = current_schema()::regnamespace
     order by 1, 2`,
  )
  return {
    created_at: new Date().toISOString(),
    migrations: applied.map(({ name }) => name),
    checksums: Object.fromEntries(
      applied.flatMap(({ name, checksum }) => (checksum === null ? [] : [[name, checksum]])),
    ),
    tables: tables.map(({ name }) => name),
    counters: counters.rows,
  }
}

/** Every table that no extension brought, its columns without those that follow from others, and the tables its keys point to. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
             and attgenerated = '' and col_description(c.oid, attnum) is distinct from 'derived' order by attnum) as columns,
       array(select r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
             where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as needs
     from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') order by 1`,
  )
  return rows
}

function inOrderOfNeed(tables: Table[]): Table[] {
  const ordered: Table[] = []
  const visit = (table: Table, path: string[]) => {
    if (ordered.includes(table)) return
    if (path.includes(table.name))
      throw new Error(`The tables ${path.join(', ')} need each other in a circle`)
    for (const need of table.needs) {
      const needed = tables.find(({ name }) => name === need)
      if (needed) visit(needed, [...path, table.name])
    }
    ordered.push(table)
  }
  for (const table of tables) visit(table, [])
  return ordered
}
