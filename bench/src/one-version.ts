import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeReaders, makeSessions, startApplication } from './application.ts'
import { importOptions } from './import.ts'
import {
  endedChildrenSeconds,
  familySecondsOf,
  lastWordsOf,
  type Program,
  parentOf,
  runScript,
} from './processes.ts'
import { givenServer, startEmpty, withClient } from './scratch.ts'

/** Less of a core than this is rest. */
const restShare = 0.03
const restPatienceMs = 20_000

/** A checkout of the product at work on a new database of its own; `admin` and `readers` are cookies. */
export type Version = {
  root: string
  databaseUrl: string
  app: Program
  admin: string
  readers: string[]
  /** Seconds of processor time that the application and its database have used. */
  processorSeconds(): Promise<number>
  stop(): Promise<void>
}

/**
 * Starts the application of a checkout on an empty database, which it makes its tables in. Sessions are written into
 * that: how they are kept is older than any version worth comparing.
 */
export async function startVersion(root: string): Promise<Version> {
  const database = await startEmpty()
  let app: Program | undefined
  const stop = async () => {
    await app?.stop()
    await database.stop()
  }
  try {
    app = await startApplication(database.url, 0, root)
    const families = [app.process.pid ?? 0, ...(givenServer ? [] : [await serverOf(database.url)])]
    const [admin = ''] = await makeSessions(database.url, 1)
    return {
      ...{ root, databaseUrl: database.url, app, admin, readers: await makeReaders(database.url), stop },
      processorSeconds: async () => {
        const seconds = await Promise.all(families.map(familySecondsOf))
        return seconds.reduce((sum, one) => sum + one, 0)
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The process of a PostgreSQL on this machine that starts one for each connection. */
function serverOf(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return parentOf(rows[0]?.pid ?? 0)
  })
}

/**
 * Imports a file by the command of that version, while its application runs: milliseconds of the command, and
 * milliseconds of processor time of all three until they have come to rest.
 */
export async function importByCommand(
  version: Version,
  file: string,
): Promise<{ time: number; processor: number }> {
  const before = (await version.processorSeconds()) + (await endedChildrenSeconds())
  const begin = performance.now()
  const settings = { DATABASE_URL: version.databaseUrl, LOG_LEVEL: 'error' }
  const command = runScript('cli', ['import', file, ...importOptions], settings, version.root)
  const said = lastWordsOf(command)
  await once(command, 'exit')
  const time = performance.now() - begin
  if (command.exitCode !== 0) throw new Error(`An import ended with ${command.exitCode}: ${said()}`)
  await untilAtRest(version)
  const after = (await version.processorSeconds()) + (await endedChildrenSeconds())
  return { time, processor: (after - before) * 1000 }
}

/** Waits until what a version does by itself after a change is done, or for twenty seconds. */
export async function untilAtRest(version: Version): Promise<void> {
  const until = performance.now() + restPatienceMs
  let used = await version.processorSeconds()
  while (performance.now() < until) {
    await sleep(1_000)
    const now = await version.processorSeconds()
    if (now - used < restShare) return
    used = now
  }
}

/** Vacuums a version's tables, and lets PostgreSQL do so no more: by chance it would be at work on one side alone. */
export async function vacuumForGood({ databaseUrl }: Version): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ statement: string }>(
      `select format('alter table %s set (autovacuum_enabled = false)', oid::regclass) as statement
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    for (const { statement } of rows) await client.query(statement)
    await client.query('vacuum (analyze)')
  })
}

/** The short name of a checkout's commit, with a mark where other files than the bench's results differ from it. */
export async function commitOf(root: string): Promise<string> {
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', root, ...args])
  const { stdout: commit } = await git('rev-parse', '--short=7', 'HEAD').catch(() => ({ stdout: 'unknown' }))
  const { stdout: changes } = await git('diff', '--name-only', 'HEAD', '--', ':!bench/results.*').catch(
    () => ({ stdout: '' }),
  )
  return commit.trim() + (changes === '' ? '' : '-changed')
}
