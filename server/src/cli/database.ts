import { once } from 'node:events'
import type { Logger } from 'pino'
import { refuseUnconfirmed, withCommitLimit } from '../platform/database/commit-limit.ts'
import { type Databases, openDatabases } from '../platform/database/database.ts'
import { DatabaseHosts } from '../platform/database/database-hosts.ts'
import { awaitExternalDatabase, type DatabaseUse } from '../platform/database/external-database.ts'
import { migrate } from '../platform/database/migrations.ts'
import { attachEmbeddedDatabase } from '../platform/embedded/embedded-database.ts'
import { createLog } from '../platform/observing/log.ts'
import { readSettings, type Settings } from '../platform/settings.ts'

export type CommandContext = { settings: Settings; databases: Databases; log: Logger }

/**
 * Runs a command's work on the migrated database of the settings: the running application's, one started for as long as the
 * work takes, or the one of DATABASE_URL. Ctrl-C closes it properly too.
 * Throws one clear line when the database can't be had or, unless the work `onlyReads`, when no standby confirms commits;
 * passes on what `work` throws.
 */
export async function withDatabases<T>(
  work: (context: CommandContext) => Promise<T>,
  { onlyReads = false } = {},
): Promise<T> {
  return withDatabaseUrl(async (url, settings, log) => {
    if (!onlyReads) await refuseUnconfirmed(url)
    await migrate(url, { say: (line) => void process.stderr.write(`${line}\n`) })
    const databases = openDatabases(url, (error) =>
      log.warn({ err: error }, 'A database connection was lost'),
    )
    try {
      return await work({ settings, databases, log })
    } finally {
      await databases.close()
    }
  })
}

/** Like `withDatabases`, for the commands that need the database as it is: not migrated, no pools open. */
export async function withDatabaseUrl<T>(
  work: (url: string, settings: Settings, log: Logger) => Promise<T>,
  use: DatabaseUse = 'write',
): Promise<T> {
  const settings = readSettings(process.env)
  // A command's output is what it has to say; its log goes beside it, and only when something is wrong.
  const log = createLog(process.env.LOG_LEVEL ? settings.LOG_LEVEL : 'warn', process.stderr)
  if (settings.DATABASE_URL !== '') {
    const hosts = new DatabaseHosts(settings.DATABASE_URL)
    await awaitExternalDatabase(hosts, new AbortController().signal, use)
    return withCommitLimit(hosts.url, () => work(hosts.url, settings, log))
  }
  const interruption = new AbortController()
  const { signal } = interruption
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => interruption.abort(new Error('Interrupted.')))
  }
  try {
    return await onEmbedded(settings.DATA_DIR, log, signal, (url) => work(url, settings, log))
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
}

async function onEmbedded<T>(
  dataDir: string,
  log: Logger,
  signal: AbortSignal,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const database = await attachEmbeddedDatabase(dataDir, log, signal)
  try {
    signal.throwIfAborted()
    const interrupted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
    return await Promise.race([work(database.url), interrupted])
  } finally {
    await database.close(signal.aborted)
  }
}
