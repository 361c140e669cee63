import type pg from 'pg'
import type { Databases } from '../../platform/database.ts'
import { publishChanges } from './live.ts'

/** Every writer of deals or blacklisted words takes this lock first, so writers are one at a time: no deadlock, no deal that slips past a word. */
const writersLock = 4_207_002

/**
 * What a transaction changed of what the feed shows, by deal id: `added` became visible, `removed` stopped being
 * visible, `changed` was visible before and after with other content.
 */
export type DealChanges = { added: number[]; changed: number[]; removed: number[] }

export type DealWrites = { client: pg.PoolClient; changes: DealChanges }

/**
 * Runs `work` in one transaction as the only writer of deals, then records what it put into `changes` under the next
 * revision and tells every instance after commit. Nothing is recorded when nothing changed.
 * Pass `client` to work on a connection you already hold (it stays yours). Rolls back and rethrows on any error.
 */
export async function withDealWrites<T>(
  databases: Databases,
  work: (writes: DealWrites) => Promise<T>,
  client?: pg.PoolClient,
): Promise<T> {
  const connection = client ?? (await databases.writePool.connect())
  let broken: Error | undefined
  try {
    await connection.query('begin')
    await connection.query('select pg_advisory_xact_lock($1)', [writersLock])
    const changes: DealChanges = { added: [], changed: [], removed: [] }
    const result = await work({ client: connection, changes })
    const revision = await publishChanges(connection, changes)
    await connection.query('commit')
    // This instance needn't wait to hear itself: the very next request sees the change.
    if (revision !== null) for (const tell of databases.onRevision) tell(revision)
    return result
  } catch (error) {
    // A connection that can't even roll back is thrown away instead of handed to the next user.
    await connection.query('rollback').catch((cause: Error) => {
      broken = cause
    })
    throw error
  } finally {
    if (!client) connection.release(broken)
  }
}
