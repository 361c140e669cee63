import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isSilence, leave } from './answering.ts'
import { refuseUnconfirmed } from './commit-limit.ts'
import { type DatabaseHosts, ReadOnlyError } from './database-hosts.ts'
import { findSessionFault } from './session-check.ts'

const patienceMs = 10_000
const pauseMs = 250
/** None of its questions takes long, in milliseconds. */
const questionMs = 5_000
const oldestVersion = 15

/** Answers that waiting can't change: wrong password, no such role, no such database, no right to connect. */
const finalCodes = new Set(['28P01', '28000', '3D000', '42501'])

/** What is to be done with it: a standby is as good as any other to `read` from. */
export type DatabaseUse = 'read' | 'write'

/**
 * Waits up to ten seconds for the database of DATABASE_URL and checks that Dealdeck can live in it; of several hosts the
 * one that can be written to is the one in use then.
 * Throws one clear line, without the password, when it can't be reached or written to, is older than PostgreSQL 15, isn't
 * UTF-8, lacks the extension pg_trgm, or a pooler before it doesn't leave each connection its session.
 */
export async function awaitExternalDatabase(
  hosts: DatabaseHosts,
  signal: AbortSignal,
  use: DatabaseUse = 'write',
): Promise<void> {
  const client = await connect(hosts, signal, use)
  try {
    const { rows } = await client.query<{ version: number; name: string; encoding: string }>(
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_version') as name,
              current_setting('server_encoding') as encoding`,
    )
    const [server] = rows
    const { shownAddress } = hosts
    if (!server || server.version < oldestVersion) {
      throw new Error(
        `The database at ${shownAddress} is PostgreSQL ${server?.name}; Dealdeck needs ${oldestVersion} or newer.`,
      )
    }
    if (server.encoding !== 'UTF8') {
      throw new Error(
        `The database at ${shownAddress} stores ${server.encoding}; Dealdeck needs one created with encoding UTF8.`,
      )
    }
    // Nobody can listen at a standby, and who only reads needs one transaction.
    if (use === 'write') await checkSessions(client, hosts, signal)
    await ensureTrigrams(client, hosts)
  } catch (error) {
    throw isSilence(error)
      ? new Error(`The database at ${hosts.shownAddress} can't be reached: ${reason(error)}.`, {
          cause: error,
        })
      : error
  } finally {
    await leave(client)
  }
}

async function connect(hosts: DatabaseHosts, signal: AbortSignal, use: DatabaseUse): Promise<pg.Client> {
  const end = performance.now() + patienceMs
  for (;;) {
    signal.throwIfAborted()
    let client: pg.Client | undefined
    try {
      await hosts.choose()
      client = new pg.Client({
        connectionString: hosts.url,
        ...{ connectionTimeoutMillis: questionMs, query_timeout: questionMs },
      })
      client.on('error', () => {})
      await client.connect()
      if (use === 'write') await refuseReadOnly(client)
      return client
    } catch (error) {
      if (client) await leave(client)
      const isFinal = error instanceof pg.DatabaseError && finalCodes.has(error.code ?? '')
      if (isFinal || performance.now() + pauseMs > end) {
        const what = error instanceof ReadOnlyError ? "can't be written to" : "can't be reached"
        throw new Error(`The database at ${hosts.shownAddress} ${what}: ${reason(error)}.`, { cause: error })
      }
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

/** Migrations have to be applied before anything else. A standby may be promoted any moment, so it is waited for. */
async function refuseReadOnly(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>(
    "select pg_is_in_recovery() as is_standby where current_setting('transaction_read_only')::bool",
  )
  const [found] = rows
  if (found?.is_standby) throw new ReadOnlyError('it is a standby that was not promoted')
  if (found) throw new ReadOnlyError('it was set to be read only (default_transaction_read_only)')
}

async function checkSessions(client: pg.Client, hosts: DatabaseHosts, signal: AbortSignal): Promise<void> {
  const other = await connect(hosts, signal, 'write')
  try {
    const fault = await findSessionFault(client, other, signal)
    if (fault !== undefined) {
      throw new Error(
        `The database at ${hosts.shownAddress} can't be used through what stands before it: ${fault}. Give Dealdeck sessions of its own (PgBouncer: pool_mode = session), or the address of PostgreSQL itself.`,
      )
    }
  } finally {
    await leave(other)
  }
}

async function ensureTrigrams(client: pg.Client, { url, shownAddress }: DatabaseHosts): Promise<void> {
  const isThere = async () =>
    (await client.query("select from pg_extension where extname = 'pg_trgm'")).rowCount !== 0
  if (await isThere()) return
  await refuseUnconfirmed(url)
  try {
    await client.query('create extension if not exists pg_trgm')
  } catch (error) {
    // Of several applications starting at once, one makes it and the others trip over that.
    if (await isThere()) return
    throw new Error(
      `The database at ${shownAddress} lacks the extension pg_trgm and it can't be added (${reason(error)}). Have its administrator install it and run: CREATE EXTENSION pg_trgm`,
      { cause: error },
    )
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  if (isSilence(error)) return 'it does not answer'
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host is unknown'
  // Connecting to a name with several addresses fails with an error that has no message of its own.
  return error.message || String(code ?? 'no answer')
}
