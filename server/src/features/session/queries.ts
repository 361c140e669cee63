import type { Database } from '../../platform/database.ts'

/** The active account of a name (trimmed, lowercased), with its hash, or undefined. Names are unique among active accounts. */
export async function findActiveUser(db: Database, username: string) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'role', 'status', 'password_hash'])
    .where('username', '=', username)
    .where('is_active', '=', true)
    .limit(1)
    .executeTakeFirst()
}

/** The hash of a user's password; undefined when there is no such user. */
export async function findHash(db: Database, userId: number): Promise<string | undefined> {
  const user = await db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return user?.password_hash
}
