import type pg from 'pg'

/** How long a commit may wait for a standby, in milliseconds. */
export const confirmMs = 5_000
/** The same for half a minute after one has waited in vain: others stand behind it, and nothing will be different. */
const [impatientMs, impatienceMs] = [500, 30_000]

/** What is committed on the server itself, and nobody knows whether a standby has it: it may have been made, or be lost. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError'

  constructor() {
    super(
      'A commit was made on the primary, but no synchronous standby has confirmed it in time, so it may still be lost. Start that standby, or take its name out of synchronous_standby_names on the primary and reload its configuration; then look what is there, and try again.',
    )
  }
}

/**
 * Makes a statement fail that the server reports as done though its wait for a standby was broken off: PostgreSQL says
 * that in a warning only. For each connection that changes something.
 */
export function failUnconfirmed(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    // The name of the place in PostgreSQL that warns; the words are in the server's language.
    if (routine !== 'SyncRepWaitForLSN') return
    // How the library itself fails a statement that goes on to its end; its types name neither.
    const { _activeQuery: query } = client as unknown as { _activeQuery?: { _canceledDueToError: unknown } }
    if (query) query._canceledDueToError = new UnconfirmedError()
  })
}

/** A connection that waits for a standby to confirm its commit, and since when its statement runs. */
export type CommitWait = { pid: number; since: string }

/**
 * Commits that wait for a synchronous standby, as each look at the server finds them. PostgreSQL itself has no limit for
 * them: `statement_timeout` ends where the commit begins.
 */
export class CommitWaits {
  readonly #seen = new Map<string, number>()
  #lastInVain = Number.NEGATIVE_INFINITY

  /** Whether a commit has waited in vain not long ago. */
  get areInVain(): boolean {
    return performance.now() - this.#lastInVain < impatienceMs
  }

  /** Takes what is waiting now; returns what has been waiting too long. */
  look(waiting: readonly CommitWait[]): CommitWait[] {
    const now = performance.now()
    const keys = new Set(waiting.map(keyOf))
    for (const key of this.#seen.keys()) if (!keys.has(key)) this.#seen.delete(key)
    for (const key of keys) if (!this.#seen.has(key)) this.#seen.set(key, now)
    const limit = this.areInVain ? impatientMs : confirmMs
    const overdue = waiting.filter((wait) => now - (this.#seen.get(keyOf(wait)) ?? now) >= limit)
    if (overdue.length > 0) this.#lastInVain = now
    return overdue
  }
}

const keyOf = ({ pid, since }: CommitWait) => `${pid} ${since}`

/** Of all connections of this installation, those that wait for a standby; looked for only where there is one to wait for. */
export const commitWaits = `case when current_setting('synchronous_standby_names') <> '' then coalesce(
  (select json_agg(json_build_object('pid', pid, 'since', query_start)) from pg_stat_activity
   where wait_event = 'SyncRep' and usename = current_user and datname = current_database()
     and application_name like 'dealdeck%'), '[]') else '[]' end`

/** Breaks these waits off, unless they have ended by themselves. */
export async function breakOff(client: pg.ClientBase, waits: readonly CommitWait[]): Promise<void> {
  await client.query(
    `select pg_cancel_backend(a.pid) from pg_stat_activity a
     join json_to_recordset($1) as w(pid int, since timestamptz) on w.pid = a.pid and w.since = a.query_start
     where a.wait_event = 'SyncRep'`,
    [JSON.stringify(waits)],
  )
}
