import type { DealsEvent } from '@dealdeck/contract/deals'
import type pg from 'pg'
import { epochSql, type Stamp } from '../../../platform/database/epoch.ts'

export type MissedEvents = {
  /** The revision committed at the time of reading. */
  current: number
  /** Null when some of what was missed is no longer stored, or the asked-for revision is of another database. */
  events: DealsEvent[] | null
  /** The epoch all of these belong to. */
  epoch: string
  /** When the last of the events was made; null without any. */
  lastMadeAt: Date | null
}

/**
 * The events after a revision, oldest first, read in one snapshot with the current revision; without a revision the last
 * ones, as many as `limit`.
 */
export async function readEvents(pool: pg.Pool, after: number | null, limit: number): Promise<MissedEvents> {
  const { rows } = await pool.query<
    { current: number; epoch: string; made_at: Date | null } & (DealsEvent | { revision: null })
  >(
    `select state.revision as current, ${epochSql} as epoch, e.created_at as made_at, e.revision, e.added, e.changed, e.removed
     from feed_state state left join lateral (
       select * from feed_events where revision > coalesce($1, state.revision - $2) order by revision limit $2
     ) e on true order by e.revision`,
    [after, limit],
  )
  const current = rows[0]?.current ?? 0
  const epoch = rows[0]?.epoch ?? ''
  const lastMadeAt = rows.at(-1)?.made_at ?? null
  const events = rows.flatMap(({ current: _, epoch: __, made_at: ___, ...event }) =>
    event.revision === null ? [] : [event],
  )
  const isWhole =
    after === null || after === current || (after < current && events[0]?.revision === after + 1)
  return { current, epoch, events: isWhole ? events : null, lastMadeAt }
}

/**
 * The revision as committed now, its epoch, and when the event of `revision` (of the current one, if null) was made;
 * `isForgotten` when only later events than that are stored.
 */
export async function readRevisionState(
  pool: pg.Pool,
  revision: number | null,
): Promise<{ current: number; epoch: string; madeAt: Date | null; isForgotten: boolean }> {
  const { rows } = await pool.query<{
    current: number
    epoch: string
    made_at: Date | null
    is_forgotten: boolean | null
  }>(
    `select state.revision as current, ${epochSql} as epoch, e.created_at as made_at,
       $1 < (select min(revision) from feed_events) as is_forgotten
     from feed_state state left join feed_events e on e.revision = coalesce($1, state.revision)`,
    [revision],
  )
  const { current = 0, epoch = '', made_at: madeAt = null, is_forgotten } = rows[0] ?? {}
  return { current, epoch, madeAt, isForgotten: is_forgotten ?? false }
}

/** The revision of the feed as committed now, with its epoch. */
export async function readRevision(pool: pg.Pool): Promise<Stamp> {
  const { rows } = await pool.query<Stamp>(
    `select state.revision, ${epochSql} as epoch from feed_state state`,
  )
  return rows[0] ?? { revision: 0, epoch: '' }
}
