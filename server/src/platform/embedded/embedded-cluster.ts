import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { type Account, type Binaries, findAccount, findBinaries, may } from './embedded-binaries.ts'
import { readRecord } from './embedded-record.ts'

export type Cluster = {
  folder: string
  account: Account
  binaries: Binaries
  /** Null when it got lost; `setPassword` makes a new one. */
  password: string | null
  /** Made just now, by this call. */
  isNew: boolean
}

/** Where root keeps clusters that can't lie in DATA_DIR because the database server may not enter it. */
const sharedData = '/var/lib/dealdeck'

/** In order of preference: the trigram index takes as letters what this locale of the machine calls letters. */
const characterLocales = ['C.UTF-8', 'en_US.UTF-8', 'C.utf8', 'en_US.utf8', 'UTF-8', 'C']

/**
 * The environment of the server's programs: nothing of ours that could change what they load or where they connect.
 */
export const serverEnvironment = {
  ...{ PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  // A page of deals needs a little more memory than glibc leaves a process: by default it was returned to the system after
  // each statement and asked for again at the next, a fifth of the statement's time. In bytes; others ignore these.
  ...{ MALLOC_TRIM_THRESHOLD_: '1048576', MALLOC_MMAP_THRESHOLD_: '1048576' },
}

/**
 * The database cluster of a DATA_DIR, made when there is none. A killed attempt leaves nothing that the next one trips over:
 * the cluster is made beside its folder and moved there when it is whole.
 * Throws one clear line when it can't be made or used. The caller holds the lock of the folder.
 */
export async function openCluster(
  dataDir: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Cluster> {
  const record = await readRecord(dataDir)
  const inside = join(dataDir, 'postgres')
  const hash = createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 16)
  const outside = join(sharedData, hash, 'postgres')
  if (record) {
    const folder = isAbsolute(record.cluster) ? record.cluster : join(dataDir, record.cluster)
    if (existsSync(folder)) return useCluster(folder, record.password, say)
    throw new Error(
      `The database of ${dataDir} is not at ${folder} any more. Put it back, or remove ${join(dataDir, 'database.json')} to begin with an empty one.`,
    )
  }
  for (const folder of [inside, outside]) if (existsSync(folder)) return useCluster(folder, null, say)

  const account = await findAccount(undefined)
  const binaries = await findBinaries(account, say)
  const reachable = may(account, 'test -x "$1"', [dataDir])
  if (!reachable) {
    say(`The database server may not enter ${dataDir}; the database is kept in ${outside}.`)
    await makeOutside(dirname(outside), account, dataDir)
  }
  const folder = reachable ? inside : outside
  const password = randomBytes(24).toString('base64url')
  await initialise({ folder, account, binaries, password: null, isNew: true }, password, signal)
  return { folder, account, binaries, password, isNew: true }
}

/** Gives the cluster's superuser a new password, through the server's single-user mode. The server must be stopped. */
export async function setPassword({ folder, account, binaries }: Cluster): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  const child = spawn(binaries.postgres, ['--single', '-D', folder, 'postgres'], {
    ...account,
    cwd: '/',
    env: serverEnvironment,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.end(`alter role postgres password '${password}'\n`)
  await finished(child, 'set the password of')
  return password
}

async function useCluster(
  folder: string,
  password: string | null,
  say: (line: string) => void,
): Promise<Cluster> {
  const { uid, gid } = await stat(folder)
  const account = await findAccount({ uid, gid })
  if (!may(account, 'test -x "$1" && test -O "$1"', [folder])) {
    const whose = account ? `The database server, which runs as user ${account.uid} here,` : 'This user'
    throw new Error(
      `${whose} may not use ${folder}, which belongs to user ${uid}. Start Dealdeck as that user, or move DATA_DIR to a folder others may enter.`,
    )
  }
  const binaries = await findBinaries(account, say)
  const madeBy = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  if (madeBy !== binaries.version.split('.')[0]) {
    throw new Error(
      `The database in ${folder} was made by PostgreSQL ${madeBy}, this Dealdeck brings ${binaries.version}. Make a backup with the Dealdeck that made it, and restore it here into another DATA_DIR.`,
    )
  }
  return { folder, account, binaries, password, isNew: false }
}

async function initialise(cluster: Cluster, password: string, signal: AbortSignal): Promise<void> {
  const { folder, account } = cluster
  await removeHalfMade(folder)
  const half = `${folder}.new-${randomBytes(4).toString('hex')}`
  const passwordFile = `${half}.password`
  try {
    await mkdir(half, { mode: 0o700 })
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
    if (account) for (const path of [half, passwordFile]) await chown(path, account.uid, account.gid)
    await initdb(cluster, half, passwordFile, signal)
    await rename(half, folder)
  } finally {
    await rm(passwordFile, { force: true })
    await rm(half, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function initdb(
  { account, binaries }: Cluster,
  half: string,
  passwordFile: string,
  signal: AbortSignal,
) {
  for (const [index, locale] of characterLocales.entries()) {
    signal.throwIfAborted()
    const child = spawn(
      binaries.initdb,
      [
        ...['-D', half, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
        ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        ...['--locale=C', `--lc-ctype=${locale}`],
      ],
      { ...account, cwd: '/', env: serverEnvironment, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    )
    // With its whole group, for it has children of its own.
    const end = () => child.pid && process.kill(-child.pid, 'SIGKILL')
    signal.addEventListener('abort', end)
    try {
      await finished(child, 'make')
      return
    } catch (error) {
      signal.throwIfAborted()
      const unknownLocale = error instanceof Error && error.message.includes('invalid locale name')
      if (!unknownLocale || index === characterLocales.length - 1) throw error
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
}

async function makeOutside(folder: string, account: Account, dataDir: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o711 }).catch(() => {})
  if (may(account, 'test -x "$1"', [folder])) return
  throw new Error(
    `The database server must not run as root, and as user ${account?.uid} it may enter neither ${dataDir} nor ${folder}. Set DATA_DIR to a folder others may enter, start Dealdeck as a normal user, or set DATABASE_URL.`,
  )
}

async function removeHalfMade(folder: string): Promise<void> {
  const siblings = await readdir(dirname(folder))
  for (const name of siblings.filter((sibling) => sibling.startsWith(`${basename(folder)}.new-`))) {
    // An initdb that outlived its application may still write there; what stays goes the next time.
    await rm(join(dirname(folder), name), { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}

function finished(child: ChildProcess, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) return resolve()
      const line = /(?:FATAL|error|ERROR|PANIC):\s*(.*)/.exec(said)?.[1] ?? said.trim().split('\n')[0]
      reject(new Error(`PostgreSQL could not ${what} the database: ${line || `it ended with code ${code}`}`))
    })
  })
}
