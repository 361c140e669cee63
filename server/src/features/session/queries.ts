import { sql } from 'kysely'
import type { Database, Databases } from '../../platform/database/database.ts'

/** The active account whose name is the first of these forms that any account has, with its hash, or undefined. */
export async function findActiveUser(db: Database, names: string[]) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'role', 'status', 'password_hash'])
    .where('username', 'in', names)
    .where('is_active', '=', true)
    .orderBy(sql`array_position(${names}::text[], username)`)
    .limit(1)
    .executeTakeFirst()
}

/** Where the active accounts of these names have opened and last used their open sessions, the latest of them. */
export async function findSessionAddresses(db: Database, names: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['signed_in_address', 'last_used_address'])
    .where('username', 'in', names)
    .where('is_active', '=', true)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('last_used_at', 'desc')
    .limit(200)
    .execute()
  return rows.flatMap((row) => [row.signed_in_address, row.last_used_address])
}

/** The name of an active account, other than `except`, with this skeleton: the same name, if there is one. */
export async function findLookAlike(
  db: Database,
  username: string,
  skeleton: string,
  except?: number,
): Promise<string | undefined> {
  const user = await db
    .selectFrom('users')
    .select('username')
    .where('name_skeleton', '=', skeleton)
    .where('is_active', '=', true)
    .$if(except !== undefined, (users) => users.where('id', '<>', except ?? 0))
    .orderBy((eb) => eb('username', '=', username), 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return user?.username
}

/** Accounts of which it isn't known yet what their names look like. */
export async function findWithoutSkeleton(db: Database, limit: number) {
  return db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('name_skeleton', 'is', null)
    .limit(limit)
    .execute()
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

/** Whether there are sessions that are over. */
export async function hasExpiredSessions({ customPlanPool }: Databases, now: Date): Promise<boolean> {
  const { rowCount } = await customPlanPool.query(
    'select from sessions where expires_at <= least($1, now()) limit 1',
    [now],
  )
  return rowCount !== 0
}
