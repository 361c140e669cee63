import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { defaultConnections } from '../settings.ts'
import { ByteClient } from './byte-rows.ts'
import { DatabaseHosts } from './database-hosts.ts'
import { DatabaseWatch } from './database-watch.ts'
import type { Tables } from './tables.ts'
import { liftStatementLimits } from './time-limits.ts'
import { failUnconfirmed } from './unconfirmed-commits.ts'

export type Database = Kysely<Tables>

/**
 * The application's connections. Reading and writing keep separate pools, so that a hundred waiting
 * writers can never take the feed's connections away. A pool is named by what it guarantees; in `/metrics` and in the log
 * pools are called by what they are for: read, page, session, write, import.
 */
export type Databases = {
  /** The address of the server in use; of several it may be another one the next time. */
  readonly url: string
  hosts: DatabaseHosts
  /** Typed queries, on the `customPlanPool`. */
  db: Database
  /** For reading: each statement is planned for the values of its call, and ended after 15 s. */
  customPlanPool: pg.Pool
  /**
   * For pages of the feed that have one right plan whatever their values: a connection plans each of them once, and that
   * plan never reads or sorts the whole table.
   */
  genericPlanPool: pg.Pool
  /**
   * For who somebody is, and for the queue of work in the background: few connections for short statements only, never a
   * search or a page, so that a busy database still knows its members and is known to be there. What it writes may be lost
   * with the server, for it is confirmed by no standby.
   */
  reservedPool: pg.Pool
  /** Typed queries on the `reservedPool`. */
  reservedDb: Database
  /**
   * For the short transactions of everything that changes something: a commit waits until it is safe, unless its statement says
   * otherwise (`unwaitedHere`), and whoever stops in the middle loses its locks after 15 s.
   */
  durablePool: pg.Pool
  /** Typed queries on the `durablePool`. */
  durableDb: Database
  /** For imports, as many connections as run at once; they outlive a database that is silent for a while. */
  patientPool: pg.Pool
  /** Knows whether the database answers; a connection opened beside the pools takes its socket from here. */
  watch: DatabaseWatch
  /** Told of every revision this process commits, right after the commit. */
  onRevision: Set<(revision: number) => void>
  close(): Promise<void>
}

// bigint ids stay far below 2^53 and numeric holds prices with two decimals: both are exact as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)
// pg's types name no array types, so the lookup goes by number: int8[] is 1016, and its parser gives texts.
const int8Array: number = 1016
const readTextArray: (text: string) => string[] = pg.types.getTypeParser(int8Array)
// The library reads sign by sign, which for a hundred thousand ids takes twenty times as long.
const readIds = (text: string): number[] =>
  /^\{[-\d,]*\}$/.test(text) ? JSON.parse(`[${text.slice(1, -1)}]`) : readTextArray(text).map(Number)
pg.types.setTypeParser(int8Array, readIds)

// PostgreSQL compiles a statement that it believes to be dear, and it believes lists in JSON to be far longer than ours are.
// Compiling takes a hundred times as long as a page of the feed, and ten times as long as an import of twenty rows.
const neverCompiling = { jit: 'off' }
const readSettings = { ...neverCompiling, timezone: 'UTC', statement_timeout: '15000' }
// A sign-in or a note of a last use may be lost: nobody waits for a standby to have it.
const confirmNothing = `select set_config('synchronous_commit', 'local', false)
  where current_setting('synchronous_commit') not in ('off', 'local')`
// A role or a database may have it off, and what was acknowledged would be lost with the server.
const waitForDisk = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') = 'off'`
/**
 * Whoever stops in the middle of a change (frozen, or gone without a word) keeps its locks no longer than this. An import waits in
 * one transaction for what it does on another connection.
 */
const writeSettings = { ...neverCompiling, idle_in_transaction_session_timeout: '15s' }
const importSettings = { ...neverCompiling, idle_in_transaction_session_timeout: '60s' }
/**
 * Settings of the `genericPlanPool`. A plan made while the table was small is used when it has grown: it must not read all of it,
 * or sort it, even then, where another plan exists.
 */
export const pageSettings = {
  ...readSettings,
  ...{ plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', enable_sort: 'off' },
}

/**
 * Before statements that go to the server together: their commit waits for no disk and no standby, since what they make is
 * gone, or worth nothing, without what is committed after them.
 */
export const unwaited = "select set_config('synchronous_commit', 'off', true);"

/**
 * The same for one statement by itself: a common table expression, which it has to read from where it writes. Neither the disk nor a standby
 * is waited for; whatever commits after it and waits is safe with it, as the database's log is written in order.
 */
export const unwaitedHere = "unwaited as materialized (select set_config('synchronous_commit', 'off', true))"

/** By a query: what a connection brings along in `options` the URL may say too, and what stands between may drop. */
function applying(settings: Record<string, string>, ...more: string[]) {
  const text = Object.entries(settings).map(([name, value]) => `set ${name} = '${value}'`)
  return async (client: pg.ClientBase) => void (await client.query([...text, ...more].join('; ')))
}

/** Readies a connection that an import has beside that of the `patientPool`. */
export const readyForImport = applying(importSettings, liftStatementLimits)

/**
 * How many connections each pool may have where a process may have so many (16 or more) altogether. One more listens, one
 * reads for the index of deals, and each import may have two beside that of its pool.
 */
export function poolSizes(connections: number) {
  const share = (part: number, least: number) => Math.max(least, Math.floor(connections / part))
  const [session, page, write, imports] = [share(12, 2), share(6, 2), share(9, 2), share(12, 1)]
  const read = connections - 2 - session - page - write - imports * 3
  return { read, session, page, write, imports }
}

/** Opens the pools of one database. Connects lazily; throws only AddressError. `connections` as the setting DATABASE_CONNECTIONS. */
export function openDatabases(
  address: string | DatabaseHosts,
  onError: (error: Error) => void,
  connections = defaultConnections,
): Databases {
  const sizes = poolSizes(connections)
  const hosts = typeof address === 'string' ? new DatabaseHosts(address) : address
  const watch = new DatabaseWatch()
  class Client extends ByteClient {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: hosts.url })
    }
  }
  const shared = {
    Client,
    stream: () => watch.socket(),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'dealdeck',
  }
  const custom = { ...readSettings, plan_cache_mode: 'force_custom_plan' }
  const customPlanPool = new pg.Pool({ ...shared, max: sizes.read, onConnect: applying(custom) })
  const reservedPool = new pg.Pool({
    ...shared,
    max: sizes.session,
    onConnect: applying(custom, confirmNothing),
  })
  const genericPlanPool = new pg.Pool({ ...shared, max: sizes.page, onConnect: applying(pageSettings) })
  const durablePool = new pg.Pool({
    ...shared,
    max: sizes.write,
    onConnect: applying(writeSettings, liftStatementLimits, waitForDisk),
  })
  const patientPool = new pg.Pool({
    ...{ ...shared, stream: () => watch.patientSocket(), max: sizes.imports },
    onConnect: applying(importSettings, liftStatementLimits, waitForDisk),
  })
  // Without a listener a connection lost while idle would end the process.
  const pools = [customPlanPool, reservedPool, genericPlanPool, durablePool, patientPool]
  for (const pool of pools) {
    pool.on('error', onError)
    pool.on('connect', failUnconfirmed)
    // A client in use has none of the pool's: whoever uses it learns of the loss from the query that fails.
    pool.on('connect', (client) => client.on('error', () => {}))
  }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: customPlanPool }) })
  const reservedDb = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: reservedPool }) })
  const durableDb = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: durablePool }) })
  return {
    get url() {
      return hosts.url
    },
    hosts,
    db,
    reservedDb,
    reservedPool,
    customPlanPool,
    genericPlanPool,
    durablePool,
    patientPool,
    durableDb,
    watch,
    onRevision: new Set(),
    async close() {
      // Not through Kysely: it ends a pool only when it has itself run a query on it.
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}
