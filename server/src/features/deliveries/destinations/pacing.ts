import { sql } from 'kysely'
import type { Database } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Paced, paces } from '../rules.ts'

/**
 * Counts one of what a member may do only so often, in all processes together. Throws TOO_MANY_REQUESTS with the time to wait; in the
 * caller's transaction nothing is counted where that fails.
 */
export async function takePaced(db: Database, what: Paced, userId: number): Promise<void> {
  const { most, seconds, text } = paces[what]
  const key = `${what} of user ${userId}`
  const isOver = sql<boolean>`l.as_of <= now() - ${seconds}::int * interval '1 second'`
  const { rows } = await sql`insert into delivery_limits as l (key, tokens, as_of)
    values (${key}, ${most}::int - 1, now())
    on conflict (key) do update set as_of = case when ${isOver} then now() else l.as_of end,
      tokens = case when ${isOver} then ${most}::int else l.tokens end - 1
    where l.tokens >= 1 or ${isOver}
    returning tokens`.execute(db)
  if (rows.length > 0) return
  const { rows: found } = await sql<{ wait: number }>`
    select ceil(extract(epoch from as_of - now())::int + ${seconds}::int) as wait from delivery_limits
    where key = ${key}`.execute(db)
  throw new AppError('TOO_MANY_REQUESTS', text, { retryAfter: Math.max(1, found[0]?.wait ?? 1) })
}
