import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findSessionFault } from './session-check.ts'

const patienceMs = 10_000
const pauseMs = 250
const oldestVersion = 15

/** Answers that waiting can't change: wrong password, no such role, no such database, no right to connect. */
const finalCodes = new Set(['28P01', '28000', '3D000', '42501'])

/**
 * Waits up to ten seconds for the database of DATABASE_URL and checks that Dealdeck can live in it.
 * Throws one clear line, without the password, when it can't be reached, is older than PostgreSQL 15, isn't UTF-8, lacks
 * the extension pg_trgm, or a pooler before it doesn't leave each connection its session.
 */
export async function awaitExternalDatabase(url: string, signal: AbortSignal): Promise<void> {
  const client = await connect(url, signal)
  try {
    const { rows } = await client.query<{ version: number; name: string; encoding: string }>(
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_version') as name,
              current_setting('server_encoding') as encoding`,
    )
    const [server] = rows
    if (!server || server.version < oldestVersion) {
      throw new Error(
        `The database at ${place(url)} is PostgreSQL ${server?.name}; Dealdeck needs ${oldestVersion} or newer.`,
      )
    }
    if (server.encoding !== 'UTF8') {
      throw new Error(
        `The database at ${place(url)} stores ${server.encoding}; Dealdeck needs one created with encoding UTF8.`,
      )
    }
    await checkSessions(client, url, signal)
    await ensureTrigrams(client, url)
  } finally {
    await client.end().catch(() => {})
  }
}

async function connect(url: string, signal: AbortSignal): Promise<pg.Client> {
  const end = performance.now() + patienceMs
  for (;;) {
    signal.throwIfAborted()
    const client = await clientOf(url)
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => {})
      const isFinal = error instanceof pg.DatabaseError && finalCodes.has(error.code ?? '')
      if (isFinal || performance.now() + pauseMs > end) {
        throw new Error(`The database at ${place(url)} can't be reached: ${reason(error)}.`, { cause: error })
      }
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

async function clientOf(url: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    return client
  } catch {
    // The parser's own message quotes the address with its password.
    throw new Error(
      'Setting DATABASE_URL is not a PostgreSQL address (special characters must be percent-encoded).',
    )
  }
}

async function checkSessions(client: pg.Client, url: string, signal: AbortSignal): Promise<void> {
  const other = await connect(url, signal)
  try {
    const fault = await findSessionFault(client, other, signal)
    if (fault !== undefined) {
      throw new Error(
        `The database at ${place(url)} can't be used through what stands before it: ${fault}. Give Dealdeck sessions of its own (PgBouncer: pool_mode = session), or the address of PostgreSQL itself.`,
      )
    }
  } finally {
    await other.end().catch(() => {})
  }
}

async function ensureTrigrams(client: pg.Client, url: string): Promise<void> {
  const isThere = async () =>
    (await client.query("select from pg_extension where extname = 'pg_trgm'")).rowCount !== 0
  if (await isThere()) return
  try {
    await client.query('create extension if not exists pg_trgm')
  } catch (error) {
    // Of several applications starting at once, one makes it and the others trip over that.
    if (await isThere()) return
    throw new Error(
      `The database at ${place(url)} lacks the extension pg_trgm and it can't be added (${reason(error)}). Have its administrator install it and run: CREATE EXTENSION pg_trgm`,
      { cause: error },
    )
  }
}

/** Host, port and database: all of the address that may be shown. */
function place(url: string): string {
  try {
    const { hostname, port, pathname, searchParams } = new URL(url)
    return `${hostname || searchParams.get('host') || 'localhost'}:${port || 5432}${pathname}`
  } catch {
    return 'DATABASE_URL'
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host is unknown'
  // Connecting to a name with several addresses fails with an error that has no message of its own.
  return error.message || String(code ?? 'no answer')
}
