import type { OwnSessionListInput, OwnSessionPage } from '@dealdeck/contract/profile'
import { sql } from 'kysely'
import type { LiveSession } from '../../platform/accounts/sessions.ts'
import type { Database } from '../../platform/database/database.ts'
import { readCursor, writeCursor } from '../users/rules.ts'
import { describeDevice } from './rules.ts'

/** Stands for the time of the session that asks, which comes first whenever it was used; in microseconds, as cursors are. */
const ahead = 8_999_999_999_999_999

/** A page of the sessions of the caller's own account that are still good: their own first, then the last used. */
export async function listSessions(
  db: Database,
  { key, user }: LiveSession,
  { limit, cursor }: OwnSessionListInput,
): Promise<OwnSessionPage> {
  const good = db
    .selectFrom('sessions')
    .where('user_id', '=', user.id)
    .where('expires_at', '>', sql<Date>`now()`)
  const own = sql<boolean>`token_hash = ${Buffer.from(key, 'base64url')}`
  const used = sql<number>`case when ${own} then ${ahead}::bigint else (extract(epoch from last_used_at) * 1000000)::bigint end`
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const [rows, { total }] = await Promise.all([
    good
      .select(['id', 'user_agent', 'last_used_address', 'created_at', 'last_used_at'])
      .select([own.as('is_current'), used.as('micros')])
      .$if(after !== undefined, (sessions) =>
        sessions.where(
          sql<boolean>`(${used}, id) < (${after?.micros ?? 0}::bigint, ${after?.id ?? 0}::bigint)`,
        ),
      )
      .orderBy('micros', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute(),
    good.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const items = shown.map(({ id, user_agent, last_used_address, created_at, last_used_at, is_current }) => ({
    id,
    device: describeDevice(user_agent),
    address: last_used_address,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at.toISOString(),
    is_current,
  }))
  return { items, total, next_cursor: last ? writeCursor(last) : null }
}
