import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectInTime, isSilence, leave, silent } from './answering.ts'
import { breakOff, type CommitWait, CommitWaits, commitWaits, confirmMs } from './unconfirmed-commits.ts'

/** How often it is looked for commits that wait; work that takes less opens no connection for it. In milliseconds. */
const lookEveryMs = 1_000
/** How long a look may take, in milliseconds. */
const answerMs = 5_000

const unconfirmed =
  'Commits wait for a synchronous standby that does not confirm them, so nothing was changed. Start that standby, or take its name out of synchronous_standby_names on the primary and reload its configuration.'

/**
 * Does the work of a start or a command, of which no commit waits longer than a few seconds for a standby: it fails with
 * UnconfirmedError then. While the application runs, its live bus does this.
 */
export async function withCommitLimit<T>(url: string, work: () => Promise<T>): Promise<T> {
  const over = new AbortController()
  const looking = lookUntil(over.signal, url)
  try {
    return await work()
  } finally {
    over.abort()
    await looking
  }
}

/**
 * Throws one clear line when a commit would wait in vain for a standby: before work that would be made on the primary and
 * be known to nobody. Changes nothing, and asks only where there is a standby to wait for.
 */
export async function refuseUnconfirmed(url: string): Promise<void> {
  const client = await connect(url, confirmMs)
  try {
    const { rows } = await client
      .query<{ pid: number }>(
        "select pg_backend_pid() as pid where current_setting('synchronous_standby_names') <> ''",
      )
      .catch((error: unknown) => {
        throw isSilence(error) ? silent(error) : error
      })
    const [found] = rows
    if (!found) return
    const isConfirmed = await client.query("select pg_logical_emit_message(true, 'dealdeck', '')").then(
      () => true,
      // Whoever may not ask so learns it from the first commit.
      (error: unknown) => error instanceof pg.DatabaseError,
    )
    if (!isConfirmed && (await endWait(url, found.pid))) throw new Error(unconfirmed)
  } finally {
    await leave(client)
  }
}

/** Ends a wait, which outlives the connection that it is on. Returns whether there was one. */
async function endWait(url: string, pid: number): Promise<boolean> {
  const other = await connect(url)
  try {
    const { rowCount } = await other.query(
      "select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'",
      [pid],
    )
    return rowCount !== 0
  } finally {
    await leave(other)
  }
}

async function lookUntil(over: AbortSignal, url: string): Promise<void> {
  const waits = new CommitWaits()
  let client: pg.Client | undefined
  while (await sleep(lookEveryMs, true, { signal: over }).catch(() => false)) {
    try {
      client ??= await connect(url, answerMs, over)
      const { rows } = await client.query<{ waiting: CommitWait[] }>(`select ${commitWaits} as waiting`)
      const overdue = waits.look(rows[0]?.waiting ?? [])
      if (overdue.length > 0) await breakOff(client, overdue)
    } catch {
      // A database that is away is noticed by the work itself.
      client?.connection.stream.destroy()
      client = undefined
    }
  }
  if (client) await leave(client)
}

async function connect(url: string, queryMs = answerMs, over?: AbortSignal): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    // Not one of those that are in the way of a restore.
    application_name: 'watching dealdeck',
    ...{ connectionTimeoutMillis: answerMs, query_timeout: queryMs },
  })
  client.on('error', () => {})
  over?.addEventListener('abort', () => client.connection.stream.destroy(), { once: true })
  await connectInTime(client)
  return client
}
