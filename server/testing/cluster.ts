import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { startEmbeddedDatabase } from '../src/platform/embedded/embedded-database.ts'

export type TestCluster = {
  /** Address of the database `postgres`, of a role that may create databases. */
  url: string
  stop(): Promise<void>
}

/**
 * The PostgreSQL that tests use: the one of TEST_DATABASE_URL, left running, or a fresh embedded one in a temporary
 * folder, gone after `stop`. It doesn't fsync: nothing in it outlives the tests.
 */
export async function startTestCluster(): Promise<TestCluster> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, async stop() {} }
  const dataDir = await mkdtemp(join(tmpdir(), 'dealdeck-test-'))
  // Run by root, the database server is another user, who has to get in.
  await chmod(dataDir, 0o711)
  const database = await startEmbeddedDatabase({ dataDir, log: pino({ level: 'error' }) })
  const stop = async () => {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const url = superuserUrl(database.url)
  try {
    await forgoDurability(url)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

/** The embedded cluster's superuser shares the application's password. */
export function superuserUrl(applicationUrl: string): string {
  const url = new URL(applicationUrl)
  url.username = 'postgres'
  url.pathname = '/postgres'
  return url.href
}

async function forgoDurability(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      await client.query(`alter system set ${setting} = off`)
    }
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}
