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
    if (!account) throw new AppError('UNAUTHENTICATED', 'Please sign in.')
    return work(transaction)
  })
}
