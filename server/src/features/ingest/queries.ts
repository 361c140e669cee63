import type { Databases } from '../../platform/database.ts'
import { hashToken } from '../../platform/sessions.ts'

export type IngestToken = { id: number; name: string; created_at: string; last_used_at: string | null }

/** Of a token's uses only one a minute is written down. */
const noteUseAfterMs = 60_000

/** All ingest tokens, the newest first; never their text. */
export async function listTokens(databases: Databases): Promise<IngestToken[]> {
  const rows = await databases.db
    .selectFrom('ingest_tokens')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1000)
    .execute()
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }))
}

/** Who a token's text belongs to; undefined when nobody knows it. Notes that it was used. */
export async function findToken(databases: Databases, token: string): Promise<{ name: string } | undefined> {
  const found = await databases.db
    .selectFrom('ingest_tokens')
    .select(['id', 'name', 'last_used_at'])
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst()
  if (!found) return undefined
  if (found.last_used_at === null || Date.now() - found.last_used_at.getTime() > noteUseAfterMs) {
    await databases.db
      .updateTable('ingest_tokens')
      .set({ last_used_at: new Date() })
      .where('id', '=', found.id)
      .execute()
  }
  return { name: found.name }
}
