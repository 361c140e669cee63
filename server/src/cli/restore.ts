import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { waitsForLock } from '../platform/database/advisory-locks.ts'
import { clientForWork, connectInTime, leave, whileAnswering } from '../platform/database/answering.ts'
import {
  type BackupHeader,
  type Block,
  backupCountSchema,
  backupHeaderSchema,
  backupTableSchema,
  damaged,
  readBlocks,
} from '../platform/database/backup-file.ts'
import { refuseUnconfirmed } from '../platform/database/commit-limit.ts'
import {
  aloneWithTables,
  applyMigrations,
  findOtherBuild,
  migrationNames,
} from '../platform/database/migrations.ts'
import { dropQueue } from '../platform/jobs/queue-schema.ts'
import { withDatabaseUrl } from './database.ts'

/** `restore FILE [--replace]`: the database as it was when the backup was written. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('put a backup back; all of it or, when anything is wrong, nothing')
    .argument('<file>', 'what npm run cli -- backup wrote')
    .option('--replace', 'throw away what the database holds now')
    .action(async (file: string, options: { replace?: boolean }) => {
      const say = (line: string) => void process.stderr.write(`${line}\n`)
      const counts = await withDatabaseUrl((url) => restoreBackup(url, file, options.replace === true, say))
      const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
      console.log(`Restored ${rows} rows of ${counts.size} tables from ${file}.`)
    })
}

/**
 * Restores a backup in one transaction: the tables as the backup's migrations make them, its rows, then the migrations
 * that came later. Returns the number of rows of each table.
 * Throws one clear line and changes nothing when the file isn't whole or of another build, the application is running,
 * somebody else is in the way, or the database holds something and `replace` is false. `say` is called when it has to wait.
 */
export async function restoreBackup(
  url: string,
  file: string,
  replace: boolean,
  say?: (line: string) => void,
): Promise<Map<string, number>> {
  const blocks = readBlocks(file)
  const client = clientForWork(url, 'dealdeck restore')
  try {
    const header = await readHeader(blocks, file)
    await refuseUnconfirmed(url)
    await connectInTime(client)
    // A starting application waits for the end of this before it touches anything.
    const work = async () => {
      const counts = await aloneWithTables(client, say, async () => {
        const revision = await checkTarget(client, header, replace)
        // What waited there was about other rows; the next start makes it anew.
        await dropQueue(client)
        const filled = await refill(client, header, blocks, file).catch((error) => {
          throw isAboutContent(error) ? damaged(file, error) : error
        })
        await continueFrom(client, revision)
        return filled
      })
      // Whoever restored has it all by now; that the planner knows it needs no standby.
      await client.query("set synchronous_commit = 'local'")
      await client.query('analyze')
      return counts
    }
    return await whileAnswering(client, url, work)
  } finally {
    await blocks.return(undefined)
    await leave(client)
  }
}

/** Values, keys and names that no backup holds as it was written: the file's own checksum comes only at its end. */
function isAboutContent(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(22|23|42(?!501))/.test(error.code ?? '')
}

async function readHeader(blocks: AsyncGenerator<Block>, file: string): Promise<BackupHeader> {
  const header = parse(backupHeaderSchema, await next(blocks, file, 'H'), file)
  const other = await findOtherBuild(
    header.migrations.map((name) => ({ name, checksum: header.checksums[name] ?? null })),
  )
  // Flipped bits may read as another build: only at its end does the file prove that it is whole.
  if (other) for await (const _ of blocks);
  if (other?.isNewer) {
    throw new Error(`${file} was written by a newer Dealdeck; restore it with that one or a newer one.`)
  }
  if (other) {
    throw new Error(
      `${file} was written by an unreleased build of Dealdeck (it has ${other.what}). Nothing was changed. Restore it with that build.`,
    )
  }
  return header
}

/** Whether the database may be refilled; returns the feed's revision in it, 0 when it has none. */
async function checkTarget(client: pg.Client, header: BackupHeader, replace: boolean): Promise<number> {
  const { rows: users } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity a where datname = current_database()
     and application_name like 'dealdeck%' and pid <> pg_backend_pid() and not ${waitsForLock('migrations', 'a.pid')}`,
  )
  if (users.length > 0) {
    throw new Error('Dealdeck is using this database. Stop it (and other commands) first, then restore.')
  }
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`,
  )
  const present = rows.map(({ name }) => name)
  if (present.length === 0) return 0
  if (!present.includes('migrations')) {
    throw new Error(
      `This database holds tables that are not Dealdeck's (${present.slice(0, 3).join(', ')}). Give Dealdeck a database of its own.`,
    )
  }
  for (const table of ['users', 'deals'].filter((name) => !replace && present.includes(name))) {
    const { rowCount } = await client.query(`select from ${table} limit 1`)
    if (rowCount !== 0) {
      throw new Error(
        `The database is not empty (it has ${table}). Add --replace to put the backup in its place.`,
      )
    }
  }
  const revision = present.includes('feed_state')
    ? await client.query<{ revision: number }>('select revision from feed_state')
    : { rows: [] }
  const made = await madeByThisBuild(client)
  const ours = new Set([...header.tables, ...made.tables])
  const foreign = present.filter((name) => !ours.has(name))
  if (foreign.length > 0) {
    throw new Error(
      `This database also holds tables that are not Dealdeck's (${foreign.slice(0, 3).join(', ')}). Give Dealdeck a database of its own.`,
    )
  }
  await client.query(`drop table ${present.map((name) => pg.escapeIdentifier(name)).join(', ')} cascade`)
  for (const routine of made.routines) await client.query(`drop routine if exists ${routine} cascade`)
  return Number(revision.rows[0]?.revision ?? 0)
}

/** What this build's migrations make, found by making it in a schema that is rolled back. */
async function madeByThisBuild(client: pg.Client): Promise<{ tables: string[]; routines: string[] }> {
  const { rows: current } = await client.query<{ schema: string }>('select current_schema() as schema')
  await client.query('savepoint look')
  await client.query('create schema dealdeck_look')
  await client.query(
    `set local search_path = dealdeck_look, ${pg.escapeIdentifier(current[0]?.schema ?? 'public')}`,
  )
  await applyMigrations(client, await migrationNames())
  const { rows: tables } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'dealdeck_look'::regnamespace",
  )
  const { rows: routines } = await client.query<{ name: string }>(
    `select format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) as name
     from pg_proc where pronamespace = 'dealdeck_look'::regnamespace`,
  )
  await client.query('rollback to savepoint look')
  return { tables: tables.map(({ name }) => name), routines: routines.map(({ name }) => name) }
}

async function refill(
  client: pg.Client,
  header: BackupHeader,
  blocks: AsyncGenerator<Block>,
  file: string,
): Promise<Map<string, number>> {
  await applyMigrations(client, header.migrations)
  // The words of the titles are in the backup as well.
  await client.query("set local dealdeck.words_are_known = 'on'")
  await emptyTables(client, header.tables)
  const indexes = await dropIndexes(client)
  const counts = new Map<string, number>()
  for (const name of header.tables) {
    const { table, columns } = parse(backupTableSchema, await next(blocks, file, 'T'), file)
    if (table !== name) throw damaged(file)
    counts.set(name, await refillTable(client, table, columns, blocks, file))
  }
  await next(blocks, file, 'Z')
  // Only at its end does the compressed file prove that no byte of it has changed.
  if (!(await blocks.next()).done) throw damaged(file)
  for (const definition of indexes) await client.query(definition)
  for (const { table, column, last_value } of header.counters) {
    if (last_value === null) continue
    await client.query('select setval(pg_get_serial_sequence($1, $2), $3)', [
      pg.escapeIdentifier(table),
      column,
      last_value,
    ])
  }
  const later = (await migrationNames()).filter((name) => !header.migrations.includes(name))
  await applyMigrations(client, later)
  return counts
}

/**
 * Rows that migrations put in are in the backup as well. Tables that hold nothing are left alone: the audit list lets
 * nobody empty it.
 */
async function emptyTables(client: pg.Client, tables: string[]): Promise<void> {
  const filled: string[] = []
  for (const name of tables.map((table) => pg.escapeIdentifier(table))) {
    const { rowCount } = await client.query(`select from ${name} limit 1`)
    if (rowCount !== 0) filled.push(name)
  }
  await client.query(`truncate ${filled.join(', ')}`)
}

async function refillTable(
  client: pg.Client,
  table: string,
  columns: string[],
  blocks: AsyncGenerator<Block>,
  file: string,
): Promise<number> {
  let stated = -1
  async function* data() {
    for (;;) {
      const part = await next(blocks, file, 'D', 'C')
      if (part.type === 'D') yield part.payload
      else {
        stated = parse(backupCountSchema, part, file).rows
        return
      }
    }
  }
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  const copy = client.query(copyFrom(`copy ${pg.escapeIdentifier(table)} (${list}) from stdin`))
  await pipeline(Readable.from(data()), copy)
  if (copy.rowCount !== stated) throw damaged(file)
  return stated
}

/** Filling a table and indexing it then is several times faster than the other way round. Returns how to make them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = current_schema()::regnamespace and not i.indisprimary
       and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/** A history of its own: whoever saw a revision of another one must notice that everything may be different. */
async function continueFrom(client: pg.Client, revision: number): Promise<void> {
  await client.query('update feed_state set epoch = default, revision = greatest(revision, $1) + 1', [
    revision,
  ])
  // Whoever follows changes is told that it missed some, and looks at the deals themselves.
  await client.query('delete from feed_events')
  await client.query('delete from deal_changes')
}

async function next(blocks: AsyncGenerator<Block>, file: string, ...types: string[]): Promise<Block> {
  const { value, done } = await blocks.next()
  if (done || !types.includes(value.type)) throw damaged(file)
  return value
}

function parse<T>(schema: { parse(value: unknown): T }, { payload }: Block, file: string): T {
  try {
    return schema.parse(JSON.parse(payload.toString('utf8')))
  } catch {
    throw damaged(file)
  }
}
