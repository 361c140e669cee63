import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

/**
 * The application's connections. Reading and writing keep separate pools, so that a hundred waiting
 * imports can never take the feed's connections away.
 */
export type Databases = {
  url: string
  /** Typed queries, on the reading pool. */
  db: Database
  /** The reading pool itself, for the prepared statements of the feed. */
  readPool: pg.Pool
  /** Few connections, for imports and everything else that takes the writers' lock. */
  writePool: pg.Pool
  /** Typed queries on the writing pool. */
  writeDb: Database
  close(): Promise<void>
}

// bigint ids stay far below 2^53 and numeric holds prices with two decimals: both are exact as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

/** Opens the pools of one database. Connects lazily; never throws. */
export function openDatabases(url: string, onError: (error: Error) => void): Databases {
  const shared = {
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'dealdeck',
  }
  const readPool = new pg.Pool({ ...shared, max: 10, options: '-c plan_cache_mode=force_custom_plan -c statement_timeout=15000' })
  const writePool = new pg.Pool({ ...shared, max: 4 })
  // Without a listener a connection lost while idle would end the process.
  readPool.on('error', onError)
  writePool.on('error', onError)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: readPool }) })
  const writeDb = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: writePool }) })
  return {
    url,
    db,
    readPool,
    writePool,
    writeDb,
    async close() {
      await Promise.all([db.destroy(), writeDb.destroy()])
    },
  }
}
