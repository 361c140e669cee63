import type pg from 'pg'
import type { Database, Databases } from '../database/database.ts'
import { AppError } from '../errors.ts'

/**
 * Runs `work` in one transaction as the only one that changes what is this member's own: limits are judged by what is there.
 * Throws UNAUTHENTICATED when the account is gone or locked.
 */
export async function withOwnChanges<T>(
  { durableDb }: Databases,
  userId: number,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return durableDb.transaction().execute(async (transaction) => {
    const account = await transaction
      .selectFrom('users')
      .select('id')
      .where('id', '=', userId)
      .where('is_active', '=', true)
      .where('status', '=', 'approved')
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!account) throw signedOut()
    return work(transaction)
  })
}

/** The same on a connection of pg's, for what is written with others who have one. */
export async function withOwnClient<T>(
  { durablePool }: Databases,
  userId: number,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await durablePool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const { rowCount } = await client.query(
      `select from users where id = $1 and is_active and status = 'approved' for no key update`,
      [userId],
    )
    if (rowCount === 0) throw signedOut()
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      broken = cause
    })
    throw error
  } finally {
    // One that can't even roll back is thrown away.
    client.release(broken)
  }
}

const signedOut = () => new AppError('UNAUTHENTICATED', 'Please sign in.')
