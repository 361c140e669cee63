import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { findAccount } from '../../server/src/platform/embedded/embedded-binaries.ts'
import { freePort } from '../../server/src/platform/embedded/embedded-process.ts'
import { temporaryFolder } from '../../server/testing/dealdeck-process.ts'

export type PoolMode = 'session' | 'transaction' | 'statement'

/** Whether this machine has PgBouncer; says so when it hasn't. */
export function hasPgBouncer(): boolean {
  const isThere = spawnSync('pgbouncer', ['--version'], { stdio: 'ignore' }).status === 0
  if (!isThere) console.log('Skipped: PgBouncer is not installed (apt-get install pgbouncer)')
  return isThere
}

/** A PgBouncer before one database. */
export type PgBouncer = {
  /** What replaces the database's own address. */
  url: string
  /** Another mode for whoever is connected too, as an administrator's RELOAD would set it. */
  switchTo(mode: PoolMode): Promise<void>
}

/** Starts a PgBouncer before the database of `databaseUrl`, with `more` of its own settings; it is ended with the test. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: PoolMode,
  more: Record<string, string | number> = {},
): Promise<PgBouncer> {
  const folder = await temporaryFolder()
  const file = join(folder, 'pgbouncer.ini')
  const port = await freePort()
  // As PostgreSQL, it refuses to run as root.
  const account = await findAccount(undefined)
  const configure = async (poolMode: PoolMode) => {
    await writeFile(
      file,
      settings(new URL(databaseUrl), { ...more, listen_port: port, pool_mode: poolMode }),
      { mode: 0o600 },
    )
    if (account) await chown(file, account.uid, account.gid)
  }
  await configure(mode)
  const child = spawn('pgbouncer', [file], { ...account, cwd: '/', stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const url = new URL(databaseUrl)
  url.port = String(port)
  const adminUrl = new URL(url)
  adminUrl.pathname = '/pgbouncer'
  await until(async () => (await ask(url.href, 'select')).length === 0)
  return {
    url: url.href,
    async switchTo(poolMode) {
      await configure(poolMode)
      child.kill('SIGHUP')
      await until(async () => {
        const rows = await ask(adminUrl.href, 'show config')
        return rows.some(({ key, value }) => key === 'pool_mode' && value === poolMode)
      })
    },
  }
}

function settings(
  { hostname, port, username, password, pathname }: URL,
  own: Record<string, string | number>,
): string {
  const server = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  const all = {
    listen_addr: '127.0.0.1',
    unix_socket_dir: '',
    auth_type: 'any',
    default_pool_size: 45,
    max_client_conn: 200,
    ...own,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  return ['[databases]', `${pathname.slice(1)} = ${server}`, '[pgbouncer]', ...lines, ''].join('\n')
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 10_000; ; ) {
    if (await isDone().catch(() => false)) return
    if (performance.now() > end) throw new Error('PgBouncer does not answer')
    await sleep(20)
  }
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows.filter((row) => Object.keys(row).length > 0)
  } finally {
    await client.end().catch(() => {})
  }
}
