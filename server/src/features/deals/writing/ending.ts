import type pg from 'pg'
import { asking, takeLock } from '../../../platform/database/advisory-locks.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { type DealWrites, withDealWrites } from '../actions.ts'
import { timeSql } from './fields.ts'
import { beginEndGaps, confirmGaps, gapsOfList, isOverLately } from './gaps.ts'
import type { StagedPart } from './merge-sql.ts'
import { recordedIds, recordedState, recording } from './recording.ts'

/** Deals hidden in one transaction: some 50 ms for whoever waits for it. */
const endedAtOnce = 1_000

const unseen = 'not is_over and ends_at <= now()'

/** Whether the end of a deal has passed that is not hidden for it yet. */
export async function hasEndedDeals({ customPlanPool }: Databases): Promise<boolean> {
  const { rowCount } = await customPlanPool.query(`select from deals where ${unseen} limit 1`)
  return rowCount === 1
}

/** Hides the deals whose end has passed, piece by piece, until the signal is aborted. A later end shows them again. */
export async function endDeals(databases: Databases, signal: AbortSignal): Promise<void> {
  for (let count = endedAtOnce; count === endedAtOnce && !signal.aborted; ) {
    count = await withDealWrites(databases, async (writes) => {
      const { rows } = await writes.client.query<{ id: number }>(
        `select id from deals where ${unseen} order by ends_at limit $1`,
        [endedAtOnce],
      )
      const ids = rows.map(({ id }) => id)
      await beginEndGaps(writes, ids)
      const { changed } = await hide(writes, 'select id, is_visible from deals where id = any($1)', [ids])
      return changed
    })
  }
}

/** Whether so many of the visible deals are more than a list of everything may hide unasked. */
export const isMost = (hidden: number, visible: number) => hidden * 2 > visible

/** How many visible deals went; or none did, since with those `hiddenSince` the comparison they were more than half. */
export type Hidden = { hidden: number; wouldHide: number; hiddenSince: number; isRefused: boolean }

/** So long a list of everything waits for others that hide, in milliseconds: these take some two seconds for 16,000 deals. */
const listPatienceMs = 120_000

/** How to hide what a list leaves out; the signal ends it between two pieces, with its reason. */
export type Hide = {
  importId: number
  /** Whether the histories of their prices say from then on that they are not offered. */
  keepsHistory: boolean
  isConfirmed: boolean
  signal: AbortSignal | undefined
}

/**
 * Ends deals that a list of everything leaves out, piece by piece; those whose stored sight is newer than the list by now stay.
 * Whatever has been hidden since the list was compared counts: would more than half of the deals of that time be gone, none is
 * hidden unless it `isConfirmed`. One list hides at a time, under a lock on the import's connection, so that this stays right while
 * others change deals between the pieces. Broken off, what is left goes with the next such list.
 */
export async function hideUnlisted(
  databases: Databases,
  client: pg.ClientBase,
  unlisted: Unlisted,
  how: Hide,
): Promise<Hidden> {
  await client.query('begin')
  try {
    await takeLock(asking(client), 'lists', listPatienceMs)
    const { ids, observed, newestId } = unlisted
    const { rows } = await client.query<{ wouldHide: number; left: number }>(
      `select count(*) filter (where ${stillLeftOut}) as "wouldHide", count(*) as "left"
       from deals where is_visible and not is_sample and id <= $3`,
      [ids, observed, newestId],
    )
    const { wouldHide = 0, left = 0 } = rows[0] ?? {}
    const hiddenSince = Math.max(0, unlisted.visible - left)
    const isRefused = isMost(hiddenSince + wouldHide, unlisted.visible) && !how.isConfirmed
    const hidden = isRefused ? 0 : await hidePieces(databases, client, unlisted, how)
    if (how.keepsHistory && !isRefused) await confirmGaps(databases, client, unlisted, how)
    await client.query('commit')
    return { hidden, wouldHide, hiddenSince, isRefused }
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Of the deals in $1, those that no sight newer than $2 has shown again. */
const stillLeftOut = `id = any($1) and not is_over and observed_at <= ${timeSql('$2::bigint')}`
const leftOut = `select id, is_visible from deals where ${stillLeftOut}`
const endedBy = {
  columns: `, ended_at = greatest(ended_at, ${timeSql('$2::bigint')})`,
  importId: '$3::bigint',
}

/** Hides them in transactions of another connection, and returns how many were visible. */
async function hidePieces(
  databases: Databases,
  client: pg.ClientBase,
  { ids, hiddenIds, observed }: Unlisted,
  { importId, keepsHistory, signal }: Hide,
): Promise<number> {
  const all = [...ids, ...hiddenIds]
  const lent = await databases.durablePool.connect()
  let broken: Error | undefined
  let hidden = 0
  try {
    for (let from = 0; from < all.length; from += endedAtOnce) {
      signal?.throwIfAborted()
      // The connection with the lock mustn't end for idleness, and where it has ended no more may be hidden.
      await client.query('select')
      const values = [all.slice(from, from + endedAtOnce), observed, importId]
      const work = async (writes: DealWrites) => {
        // Before they are over: then nothing is chosen any more.
        if (keepsHistory) await writes.client.query(gapsOfList(stillLeftOut), values)
        return hide(writes, leftOut, values, endedBy)
      }
      const { seen } = await withDealWrites(databases, work, lent)
      hidden += seen
    }
    return hidden
  } catch (error) {
    broken = error instanceof Error ? error : undefined
    throw error
  } finally {
    lent.release(broken)
  }
}

/**
 * Ends these deals, by ASIN, as of a time in microseconds; those that were seen later stay. Returns how many of them were visible. May be
 * done again.
 */
export async function endDealsOf(
  databases: Databases,
  asins: readonly string[],
  { observed, importId, keepsHistory }: { observed: number; importId: number | null; keepsHistory: boolean },
): Promise<number> {
  const { rows } = await databases.customPlanPool.query<{ id: number }>(
    'select id from deals where asin = any($1) and not is_over and not is_sample',
    [asins],
  )
  const values = [rows.map(({ id }) => id), observed, importId]
  if (rows.length === 0) return 0
  const { seen } = await withDealWrites(databases, async (writes) => {
    // Before they are over: then nothing is chosen any more.
    if (keepsHistory) await writes.client.query(gapsOfList(stillLeftOut), values)
    return hide(writes, leftOut, values, endedBy)
  })
  return seen
}

type Ended = { changed: number; seen: number }

/** Makes the chosen deals over. Returns how many these are, and how many of them were visible. */
async function hide(
  { client, recorded }: DealWrites,
  chosen: string,
  values: unknown[],
  { columns = '', importId = 'null::bigint' } = {},
): Promise<Ended> {
  const before = recordedState('old', (field) => (field === 'is_visible' ? 'c.is_visible' : `d.${field}`))
  const after = recordedState('new', (field) => `d.${field}`)
  const { rows } = await client.query<Ended & { recorded: number[] }>(
    `with chosen as (${chosen}), changed as (
       update deals d set is_over = true, last_updated = now()${columns} from chosen c where d.id = c.id
       returning d.id as deal_id, ${before}, ${after}
     ), ${recording({ importId })}
     select count(*) as changed, count(*) filter (where old_is_visible) as seen, ${recordedIds} from changed`,
    values,
  )
  for (const row of rows) recorded.push(...row.recorded)
  return rows[0] ?? { changed: 0, seen: 0 }
}

/**
 * What a list of everything leaves out: ids of visible deals, of deals that only something else hides, and of those that are over already; how many are visible
 * at all, and the highest id of any deal, at that time; when the list is of, in microseconds.
 */
export type Unlisted = {
  ids: number[]
  hiddenIds: number[]
  overIds: number[]
  visible: number
  newestId: number
  observed: number
}

/**
 * The deals that a list of everything leaves out: those in none of the staged parts nor among `others`, by ASIN. The list is
 * as old as its newest row, without any row as old as `now`, in microseconds; deals with a later stored sight stay. Sights
 * without a time are stored once an hour: one in between doesn't keep a deal from an older list, but the next one shows it.
 */
export async function findUnlisted(
  parts: readonly StagedPart[],
  others: readonly string[],
  now: number,
): Promise<Unlisted> {
  let observed = 0
  for (const { client, table } of parts) {
    const { rows } = await client.query<{ newest: number | null }>(
      `select max(observed) as newest from ${table}`,
    )
    observed = Math.max(observed, rows[0]?.newest ?? 0)
  }
  observed ||= now
  const unlisted: Unlisted = { ids: [], hiddenIds: [], overIds: [], visible: 0, newestId: 0, observed }
  // Each table is known to its own connection only: what all of them leave out is left out by the list.
  let candidates: number[] | null = null
  for (const { client, table } of parts) {
    const { rows }: { rows: Omit<Unlisted, 'observed'>[] } = await client.query(
      `select coalesce(array_agg(id order by id) filter (where is_left_out and is_visible), '{}') as ids,
         coalesce(array_agg(id order by id) filter (where is_left_out and not is_visible and not is_over), '{}') as "hiddenIds",
         coalesce(array_agg(id order by id) filter (where is_left_out and is_over), '{}') as "overIds",
         count(*) filter (where is_visible) as visible, (select coalesce(max(id), 0) from deals) as "newestId"
       from (
         select id, is_visible, is_over, observed_at <= ${timeSql('$1::bigint')} and asin <> all($2::text[]) and ($3::bigint[] is null or id = any($3))
           and not exists (select from ${table} t where t.asin = d.asin) as is_left_out
         from deals d where (not is_over or ${isOverLately('$1::bigint')}) and not is_sample
       ) judged`,
      [observed, others, candidates],
    )
    Object.assign(unlisted, rows[0])
    candidates = [...unlisted.ids, ...unlisted.hiddenIds, ...unlisted.overIds]
  }
  return unlisted
}

/** Some of these deals, the newest first, to show what would go. */
export async function nameDeals(
  client: pg.ClientBase,
  ids: readonly number[],
  limit: number,
): Promise<{ id: number; asin: string; title: string }[]> {
  const { rows } = await client.query<{ id: number; asin: string; title: string }>(
    'select id, asin, title from deals where id = any($1) order by first_seen desc, id desc limit $2',
    [ids, limit],
  )
  return rows
}
