import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { type FolderLock, folderHolder, folderTaken, type Holder, lockFolder } from '../data-dir-lock.ts'
import { type Cluster, openCluster, setPassword } from './embedded-cluster.ts'
import { findServer, freePort, stopServer } from './embedded-process.ts'
import { databaseUrl, readRecord, writeRecord } from './embedded-record.ts'
import { EmbeddedServer, type Superuser } from './embedded-server.ts'

const orphanPatienceMs = 20_000
const attachPatienceMs = 15_000

export type EmbeddedDatabase = {
  url: string
  /** The cluster was made just now: nothing is in it. */
  isNew: boolean
  /** Stops the server within about three seconds and lets the folder go. May be called again. */
  stop(): Promise<void>
}

type Running = { server: EmbeddedServer; superuser: Superuser; url: string; isNew: boolean; release(): void }

/**
 * Starts the PostgreSQL of a DATA_DIR for this process alone and keeps it running until `stop`. A server that a killed
 * application left behind is stopped first. `signal` ends a start that is no longer wanted.
 * Throws one clear line when the folder is taken, or the server can't be set up or started.
 */
export async function startEmbeddedDatabase(options: {
  dataDir: string
  log: Logger
  signal?: AbortSignal
}): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir)
  const lock = await lockFolder(dataDir, 'application')
  if (!lock) throw folderTaken(dataDir)
  const running = await start(dataDir, lock, 'application', options.log, options.signal)
  return { url: running.url, isNew: running.isNew, stop: () => end(running) }
}

/**
 * The database of a DATA_DIR for a command: the one that is running, or else one started for as long as it is needed.
 * `usedByApplication` says whether the application is running on it. Call `close` after closing all connections, or with `true` to end
 * whatever is still connected when the server is this command's own. `signal` ends a start that is no longer wanted.
 * Throws one clear line when neither works.
 */
export async function attachEmbeddedDatabase(
  folder: string,
  log: Logger,
  signal?: AbortSignal,
): Promise<{ url: string; usedByApplication: boolean; close(now?: boolean): Promise<void> }> {
  const dataDir = resolve(folder)
  const end = performance.now() + attachPatienceMs
  for (;;) {
    signal?.throwIfAborted()
    // Each time: whoever has the folder may be about to end, and its server is the first to go.
    const lock = await lockFolder(dataDir, 'command')
    if (lock) {
      const adopted = await adopt(dataDir, lock)
      if (adopted) return adopted
      const running = await start(dataDir, lock, 'command', log, signal)
      return {
        url: running.url,
        usedByApplication: false,
        close: (now = false) => endUnlessUsed(running, now),
      }
    }
    const usedByApplication = folderHolder(dataDir)?.kind !== 'command'
    const url = await runningUrl(dataDir)
    const close = async () => {
      if (!usedByApplication) await endForgotten(dataDir)
    }
    if (url !== null) return { url, usedByApplication, close }
    if (performance.now() > end) throw silentHolder(dataDir)
    await sleep(100)
  }
}

async function start(
  dataDir: string,
  lock: FolderLock,
  kind: Holder['kind'],
  log: Logger,
  signal: AbortSignal = new AbortController().signal,
): Promise<Running> {
  let release = () => lock.release()
  try {
    const cluster = await openCluster(dataDir, (line) => log.info(line), signal)
    release = await lockHome(cluster.folder, dataDir, lock, kind)
    await endOrphan(cluster, log)
    const password = cluster.password ?? (await setPassword(cluster))
    const { server, superuser } = await startServer(
      cluster,
      password,
      join(dataDir, 'postgres.log'),
      log,
      signal,
    )
    try {
      await prepareDatabase(superuser)
      const inside = relative(dataDir, cluster.folder)
      const folder = inside.startsWith('..') || isAbsolute(inside) ? cluster.folder : inside
      const record = { cluster: folder, password, port: superuser.port }
      await writeRecord(dataDir, record)
      return { server, superuser, url: databaseUrl(record), isNew: cluster.isNew, release }
    } catch (error) {
      await server.stop()
      throw error
    }
  } catch (error) {
    release()
    throw error
  }
}

/** A copied DATA_DIR may point to the same cluster, so where that lies elsewhere it is locked, too. Returns what releases all. */
async function lockHome(cluster: string, dataDir: string, lock: FolderLock, kind: Holder['kind']) {
  const home = dirname(cluster)
  if (home === dataDir) return () => lock.release()
  const second = await lockFolder(home, kind)
  if (!second) throw folderTaken(home)
  return () => {
    lock.release()
    second.release()
  }
}

async function startServer(
  cluster: Cluster,
  password: string,
  logFile: string,
  log: Logger,
  signal: AbortSignal,
) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    const superuser = { host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' }
    const server = new EmbeddedServer(cluster, superuser, logFile, log)
    try {
      await server.start(signal)
      return { server, superuser }
    } catch (error) {
      // Somebody else may have taken the free port in between.
      if (signal.aborted || attempt === 3) throw error
    }
  }
}

/** The application's own role and database; it works with no more rights than it would have on a shared server. */
async function prepareDatabase(superuser: Superuser): Promise<void> {
  await asSuperuser(superuser, async (client) => {
    const { rowCount: roles } = await client.query("select from pg_roles where rolname = 'dealdeck'")
    if (roles === 0) await client.query('create role dealdeck login')
    await client.query(`alter role dealdeck password ${pg.escapeLiteral(superuser.password)}`)
    const { rowCount: databases } = await client.query("select from pg_database where datname = 'dealdeck'")
    if (databases === 0) await client.query('create database dealdeck owner dealdeck')
  })
}

async function end({ server, release }: Running): Promise<void> {
  await server.stop()
  release()
}

/** Commands may run side by side on one server: whoever is the last to leave stops it. */
async function endUnlessUsed(running: Running, now: boolean): Promise<void> {
  if (now || !(await isInUse(running.superuser))) return end(running)
  running.server.leave()
  running.release()
}

async function endForgotten(dataDir: string): Promise<void> {
  let lock: FolderLock | null = null
  for (let attempt = 0; attempt < 5 && !lock; attempt += 1) {
    lock = await lockFolder(dataDir, 'command')
    // The command that started the server may be about to leave as well.
    if (!lock) await sleep(100)
  }
  if (lock) await endUnlessNeeded(await leftServer(dataDir), lock)
}

type LeftServer = { pid: number; folder: string; superuser: Superuser; url: string }

/** The server that runs though nobody has the folder; null when there is none. The caller has it. */
async function leftServer(dataDir: string): Promise<LeftServer | null> {
  const record = await readRecord(dataDir)
  if (!record) return null
  const folder = isAbsolute(record.cluster) ? record.cluster : join(dataDir, record.cluster)
  const pid = await findServer(folder)
  const { password, port } = record
  const superuser = { host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' }
  return pid === null ? null : { pid, folder, superuser, url: databaseUrl(record) }
}

/** Takes over a server that is left to others who are at work on it: stopping it would end them. Null where there is none. */
async function adopt(dataDir: string, lock: FolderLock) {
  try {
    const left = await leftServer(dataDir)
    if (!left || !(await isInUse(left.superuser).catch(() => false))) return null
    const release = await lockHome(left.folder, dataDir, lock, 'command')
    const close = () => endUnlessNeeded(left, { release })
    return { url: left.url, usedByApplication: false, close }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function endUnlessNeeded(left: LeftServer | null, lock: FolderLock): Promise<void> {
  try {
    // One that doesn't answer is left to the next start: what the command has done is done.
    if (left && !(await isInUse(left.superuser).catch(() => true)))
      await stopServer(left.pid, left.folder, orphanPatienceMs)
  } finally {
    lock.release()
  }
}

async function endOrphan({ folder }: Cluster, log: Logger): Promise<void> {
  const pid = await findServer(folder)
  if (!pid) return
  log.info(`Stopping the database server an earlier Dealdeck left behind (process ${pid})`)
  await stopServer(pid, folder, orphanPatienceMs)
}

/** The address of the server that somebody else runs; null while it does not answer. */
async function runningUrl(dataDir: string): Promise<string | null> {
  const record = await readRecord(dataDir)
  if (!record) return null
  const url = databaseUrl(record)
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  const connected = await client.connect().then(
    () => true,
    () => false,
  )
  await client.end().catch(() => {})
  return connected ? url : null
}

function silentHolder(dataDir: string): Error {
  const holder = folderHolder(dataDir)
  return new Error(
    `Dealdeck (process ${holder?.pid ?? 'unknown'}) uses ${dataDir}, but its database does not answer.`,
  )
}

/** Whether anybody else is connected. The server forgets a closed connection some milliseconds later, so that it is asked again. */
async function isInUse(superuser: Superuser): Promise<boolean> {
  return asSuperuser(superuser, async (client) => {
    for (let look = 1; ; look += 1) {
      const { rows } = await client.query<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
      )
      if (rows[0]?.n === 0) return false
      if (look === 5) return true
      await sleep(50)
    }
  })
}

async function asSuperuser<T>(superuser: Superuser, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...superuser, connectionTimeoutMillis: attachPatienceMs })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
