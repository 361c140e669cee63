import {
  type ImportHistory,
  type ImportRejects,
  type IngestToken,
  mostTokens,
} from '@dealdeck/contract/ingest'
import { sql } from 'kysely'
import { hashToken } from '../../platform/accounts/sessions.ts'
import type { Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'

/** Of a token's uses only one a minute is written down. */
const noteUseAfterMs = 60_000

/** All import tokens, the newest first; never their text. */
export async function listTokens(databases: Databases): Promise<IngestToken[]> {
  const rows = await databases.db
    .selectFrom('ingest_tokens')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    // More than there may be, as two may be added at once.
    .limit(2 * mostTokens)
    .execute()
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }))
}

/** Who a token's text belongs to; undefined when nobody knows it. Notes that it was used. */
export async function findToken(
  databases: Databases,
  token: string,
): Promise<{ id: number; name: string } | undefined> {
  const found = await databases.reservedDb
    .selectFrom('ingest_tokens')
    .select(['id', 'name', 'last_used_at'])
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst()
  if (!found) return undefined
  if (found.last_used_at === null || Date.now() - found.last_used_at.getTime() > noteUseAfterMs) {
    await databases.reservedDb
      .updateTable('ingest_tokens')
      .set({ last_used_at: new Date() })
      .where('id', '=', found.id)
      .execute()
  }
  return { id: found.id, name: found.name }
}

/** Which of these tokens there still are, by id. */
export async function readValidTokens({ reservedDb }: Databases, ids: number[]): Promise<Set<number>> {
  const rows = await reservedDb
    .selectFrom('ingest_tokens')
    .select('id')
    .where('id', 'in', ids)
    .limit(ids.length)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** A page of finished imports that somebody handed in, the newest first; the cursor is the last one's id. Runs of sources are listed with these. */
export async function listImports(
  { db }: Databases,
  { limit, cursor }: { limit: number; cursor?: number | undefined },
): Promise<ImportHistory> {
  const columns = ['id', 'source', 'handed_in_by', 'received', 'created', 'updated', 'unchanged'] as const
  let query = db
    .selectFrom('imports')
    .select([...columns, 'rejected', 'missing_hidden', 'keeps_history', 'started_at', 'finished_at'])
    .where('handed_in_by', 'not like', sql.lit('source %'))
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit).map((row) => ({
    ...row,
    // What is left of all rows, as each is one of these.
    superseded: row.received - row.created - row.updated - row.unchanged - row.rejected,
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }))
  return { items, next_cursor: rows.length > limit ? String(items.at(-1)?.id) : null }
}

/** The stored refused rows of an import; nothing for one that refused none or is too old. Throws NOT_FOUND. */
export async function listRejects({ db }: Databases, id: number): Promise<ImportRejects> {
  const found = await db
    .selectFrom('imports')
    .leftJoin('import_rejects', 'import_id', 'imports.id')
    .select(['import_rejects.rejected', 'by_reason'])
    .where('imports.id', '=', id)
    .executeTakeFirst()
  if (!found) throw new AppError('NOT_FOUND', 'This import is not in the history.')
  return { rejected: found.rejected ?? [], rejected_by_reason: found.by_reason ?? {} }
}
