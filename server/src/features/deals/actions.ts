import type pg from 'pg'
import { asking, changePatienceMs, takeLock } from '../../platform/database/advisory-locks.ts'
import type { Databases } from '../../platform/database/database.ts'
import { memberContext } from '../../platform/member-context.ts'
import { publishChanges } from './publisher.ts'

/** An import has been sent already: it outlives even a word that hides a million deals. In milliseconds. */
export const importPatienceMs = 60_000

/** A transaction that changes deals; `recorded` gets the ids of what its statements recorded (`writing/recording.ts`), in order. */
export type DealWrites = { client: pg.ClientBase; recorded: number[] }

/**
 * Runs `work` in one transaction as the only writer of deals: every writer of deals or blacklisted words takes one lock
 * first, so there is no deadlock, and no deal that slips past a word. Then publishes what its statements `recorded` under the
 * next revisions and tells every instance after commit. Nothing is published when nothing changed.
 * Pass `client` to work on a connection you already hold (it stays yours). Waits `patienceMs` for other writers. Rolls back and rethrows on any error; throws
 * LockTimeoutError when other writers leave no room.
 */
export async function withDealWrites<T>(
  databases: Databases,
  work: (writes: DealWrites) => Promise<T>,
  client?: pg.ClientBase,
  patienceMs = client ? importPatienceMs : changePatienceMs,
): Promise<T> {
  const locked = async (writes: DealWrites) => {
    await takeLock(asking(writes.client), 'deals', patienceMs)
    return work(writes)
  }
  if (client) return transact(databases, locked, client)
  const lent = await databases.durablePool.connect()
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
    const recorded: number[] = []
    const result = await work({ client, recorded })
    const revision = await publishChanges(client, recorded)
    await client.query('commit')
    // This instance needn't wait to hear itself: the very next request sees the change.
    if (revision !== null)
      memberContext.exit(() => {
        for (const listener of databases.onRevision) listener(revision)
      })
    return result
  } catch (error) {
    await client.query('rollback').catch(onBroken)
    throw error
  }
}
