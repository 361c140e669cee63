import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, existsSync, openSync, rmSync, statSync, truncateSync } from 'node:fs'
import { open, readdir, readFile, readlink, realpath, rm, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, serverEnvironment } from './embedded-cluster.ts'

const logLimitBytes = 5_000_000

/** What this machine has, or what a container leaves us of it, in bytes. */
const availableMemory = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

/**
 * What PostgreSQL keeps of its files in memory: an eighth of `memory` (bytes), from 256 to 1024 megabytes. A million deals
 * with their indexes take two gigabytes; what isn't kept is fetched from the system again for each page.
 */
export function sharedMegabytes(memory: number): number {
  return Math.round(Math.min(1024, Math.max(256, memory / 8 / 2 ** 20)))
}

/** For a machine of two cores and a few gigabytes that runs nothing but Dealdeck. Durability is never traded away. */
const serverSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: `${sharedMegabytes(availableMemory())}MB`,
  work_mem: '16MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '2GB',
  random_page_cost: '1.1',
  jit: 'off',
  // Parallel workers share memory through /dev/shm, which containers limit to 64 MB.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  timezone: 'UTC',
  // Statements and rows stay out of the log: they hold password hashes.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
}

/** Starts the server, in a session of its own so that Ctrl-C reaches only the application. */
export function spawnServer(
  { folder, account, binaries }: Cluster,
  port: number,
  logFile: string,
): ChildProcess {
  const log = openSync(logFile, 'a', 0o600)
  try {
    const settings = Object.entries(serverSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    return spawn(binaries.postgres, ['-D', folder, '-p', String(port), ...settings], {
      ...account,
      cwd: '/',
      env: serverEnvironment,
      detached: true,
      stdio: ['ignore', log, log],
    })
  } finally {
    closeSync(log)
  }
}

/**
 * Keeps one older log beside the current one and starts that anew when it has grown too long; without the older one where there is
 * no room for it. Never throws: a database has to run whatever becomes of its log.
 */
export function limitLog(logFile: string): void {
  try {
    if (!existsSync(logFile) || statSync(logFile).size < logLimitBytes) return
    keepOlder(logFile)
    // The server appends to the file it has open, so the file is emptied, not moved away.
    truncateSync(logFile)
  } catch {
    // It is looked at again in a minute.
  }
}

function keepOlder(logFile: string): void {
  const older = `${logFile}.1`
  try {
    // That of another user, root's after a command, can be removed, but not written over.
    rmSync(older, { force: true })
    copyFileSync(logFile, older)
  } catch {
    // On a full disk the room is worth more than the words.
  }
}

/**
 * The process id of the server that runs on this cluster, whoever started it; null when none does. A `postmaster.pid`
 * left by a crash or a reboot is removed, also when its number belongs to some other process by now.
 */
export async function findServer(folder: string): Promise<number | null> {
  const pidFile = join(folder, 'postmaster.pid')
  const text = await readFile(pidFile, 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  if (pid > 0 && (await isServerOf(pid, folder))) return pid
  await rm(pidFile, { force: true })
  return null
}

/** Stops the server: politely, then firmly, then by force, within about `patienceMs` altogether. */
export async function stopServer(pid: number, folder: string, patienceMs: number): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    // Fast: ends open transactions and writes everything down. Quit: recovers at the next start instead.
    ['SIGINT', patienceMs * 0.7],
    ['SIGQUIT', patienceMs * 0.2],
    ['SIGKILL', patienceMs * 0.1],
  ]
  for (const [signal, waitMs] of steps) {
    if (signal === 'SIGKILL') for (const left of await processesIn(folder)) tryKill(left, signal)
    tryKill(pid, signal)
    const end = performance.now() + waitMs
    while (performance.now() < end) {
      if (!(await isServerOf(pid, folder))) return
      await sleep(20)
    }
  }
}

/**
 * Ends what a killed server left behind: its children, which go on answering and writing. Returns when none is left:
 * PostgreSQL's own guard against two servers on one cluster is the pid file, and that is gone by now.
 */
export async function endLeftovers(folder: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const left = await processesIn(folder)
    if (left.length === 0) return
    for (const pid of left) tryKill(pid, attempt < 100 ? 'SIGQUIT' : 'SIGKILL')
    await sleep(20)
  }
}

/** A port of the loopback address nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free port on 127.0.0.1')
  return address.port
}

/** With less room than this the server writes nothing more, its own complaint included; in bytes. */
const leastRoom = 1024 * 1024

/** How long a log is by now, in bytes. */
export const logLength = (logFile: string): number => statSync(logFile, { throwIfNoEntry: false })?.size ?? 0

/**
 * The server's own last word on why it isn't running, of what it has said since its log was `from` bytes long: one that is killed
 * says nothing, and what stands before is of another day.
 */
export async function lastComplaint(logFile: string, from: number): Promise<string> {
  const { bavail, bsize } = await statfs(dirname(logFile))
  if (bavail * bsize < leastRoom) return 'No space left on device'
  const file = await open(logFile)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(4096),
      position: Math.max(from > size ? 0 : from, size - 4096),
    })
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    // What it told those who asked too early is no reason.
    const complaints = lines.filter(
      (line) => /FATAL|PANIC|error/.test(line) && !/: +the database system is /.test(line),
    )
    return complaints.at(-1)?.replace(/^.*?(FATAL|PANIC): +/, '') ?? ''
  } finally {
    await file.close()
  }
}

async function isServerOf(pid: number, folder: string): Promise<boolean> {
  if (process.platform === 'linux') return (await clusterOf(pid)) === (await realpath(folder))
  const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' })
  return stdout.includes(`-D ${folder}`)
}

async function processesIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const real = await realpath(folder)
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const clusters = await Promise.all(pids.map(clusterOf))
  return pids.filter((_pid, index) => clusters[index] === real)
}

/** The cluster a process serves: a server's working directory. Null for others, and for one that has ended unnoticed. */
async function clusterOf(pid: number): Promise<string | null> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
  if (name !== 'postgres\n') return null
  const link = `/proc/${pid}/cwd`
  return readlink(link).catch((error: NodeJS.ErrnoException) =>
    error.code === 'EACCES' && process.getuid?.() === 0 ? askedByOwner(pid, link) : null,
  )
}

/** Where a link of a process leads, asked as its own user: in a container root may not look into the processes of others. */
async function askedByOwner(pid: number, link: string): Promise<string | null> {
  const owner = await stat(`/proc/${pid}`).catch(() => null)
  if (!owner) return null
  const as = { uid: owner.uid, gid: owner.gid, cwd: '/' }
  return spawnSync('readlink', ['-n', link], { ...as, encoding: 'utf8' }).stdout || null
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone already.
  }
}
