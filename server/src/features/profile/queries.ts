import type { OwnSession } from '@dealdeck/contract/profile'
import { sql } from 'kysely'
import type { Database } from '../../platform/database.ts'
import type { LiveSession } from '../../platform/sessions.ts'
import { describeDevice } from './rules.ts'

/** The sessions of the caller's own account that are still good, their own first, then the last used; 200 at most. */
export async function listSessions(db: Database, { key, user }: LiveSession): Promise<OwnSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'token_hash', 'user_agent', 'last_used_address', 'created_at', 'last_used_at'])
    .where('user_id', '=', user.id)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy(sql`token_hash = ${Buffer.from(key, 'base64url')}`, 'desc')
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    device: describeDevice(row.user_agent),
    address: row.last_used_address,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    is_current: row.token_hash.toString('base64url') === key,
  }))
}
