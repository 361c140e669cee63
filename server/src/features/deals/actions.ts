import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { asking, changePatienceMs, takeLock } from '../../platform/database/advisory-locks.ts'
import type { Databases } from '../../platform/database/database.ts'
import { publishChanges } from './live.ts'

/** An import has been sent already: it outlives even a word that hides a million deals. In milliseconds. */
const importPatienceMs = 60_000

/**
 * What a transaction changed of what the feed shows, by deal id: `added` became visible, `removed` stopped being
 * visible, `changed` was visible before and after with other content.
 */
export type DealChanges = { added: number[]; changed: number[]; removed: number[] }

export type DealWrites = { client: pg.ClientBase; changes: DealChanges }

/**
 * Runs `work` in one transaction as the only writer of deals: every writer of deals or blacklisted words takes one lock
 * first, so there is no deadlock, and no deal that slips past a word. Then records what it put into `changes` under the next
 * revision and tells every instance after commit. Nothing is recorded when nothing changed.
 * Pass `client` to work on a connection you already hold (it stays yours). Rolls back and rethrows on any error; throws
 * LockTimeoutError when other writers leave no room.
 */
export async function withDealWrites<T>(
  databases: Databases,
  work: (writes: DealWrites) => Promise<T>,
  client?: pg.ClientBase,
): Promise<T> {
  const locked = async (writes: DealWrites) => {
    await takeLock(asking(writes.client), 'deals', client ? importPatienceMs : changePatienceMs)
    return work(writes)
  }
  if (client) return transact(databases, locked, client)
  const lent = await databases.writePool.connect()
  let broken: Error | undefined
  try {
    // A connection that can't even roll back is thrown away instead of handed to the next user.
    return await transact(databases, locked, lent, (error) => {
      broken = error
    })
  } finally {
    lent.release(broken)
  }
}

/**
 * A transaction with a revision of its own inside the work of `withDealWrites`, under its lock, on another connection.
 * That work must wait for it, and the two must never touch the same deal: neither could end.
 */
export function besideDealWrites<T>(
  databases: Databases,
  work: (writes: DealWrites) => Promise<T>,
  client: pg.ClientBase,
): Promise<T> {
  return transact(databases, work, client)
}

async function transact<T>(
  databases: Databases,
  work: (writes: DealWrites) => Promise<T>,
  client: pg.ClientBase,
  onBroken: (error: Error) => void = () => undefined,
): Promise<T> {
  try {
    await client.query('begin')
    const changes: DealChanges = { added: [], changed: [], removed: [] }
    const result = await work({ client, changes })
    const revision = await publishChanges(client, changes)
    await client.query('commit')
    // This instance needn't wait to hear itself: the very next request sees the change.
    if (revision !== null) for (const tell of databases.onRevision) tell(revision)
    return result
  } catch (error) {
    await client.query('rollback').catch(onBroken)
    throw error
  }
}

/** Deals made anew in one transaction: some 20 ms for whoever waits for it. */
const refreshedRows = 500
/** The rest of the time belongs to others: a piece is followed by a pause of so many times its length. */
const pauseShare = 4

/**
 * Makes the JSON of all deals anew that an older version of `deal_json_of` made, in pieces, with pauses; nothing that a
 * reader sees changes, so no revision is raised. Asks for one row when there is nothing to do. Returns how many it
 * made. Throws what the database says, and the signal's reason; begun anew it passes over what is done.
 */
export async function refreshDealJson(databases: Databases, signal: AbortSignal): Promise<number> {
  const { rowCount: isCurrent } = await databases.writePool.query(
    'select from feed_state where json_version = deal_json_version()',
  )
  let refreshed = 0
  for (let from = 0; !isCurrent; ) {
    signal.throwIfAborted()
    const begun = performance.now()
    const { last, count } = await withDealWrites(databases, async ({ client }) => {
      const { rows } = await client.query<{ last: number | null; count: number }>(
        `with piece as (
           select id from deals where id > $1 and json_version <> deal_json_version() order by id limit ${refreshedRows}
         ), refreshed as (
           update deals set json_version = deal_json_version() from piece where deals.id = piece.id
         ) select max(id) as last, count(*) as count from piece`,
        [from],
      )
      return rows[0] ?? { last: null, count: 0 }
    })
    if (last === null) break
    from = last
    refreshed += count
    await sleep((performance.now() - begun) * pauseShare, undefined, { signal })
  }
  if (!isCurrent) await databases.writePool.query('update feed_state set json_version = deal_json_version()')
  return refreshed
}
