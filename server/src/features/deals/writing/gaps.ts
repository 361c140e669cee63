import type pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'
import { type DealWrites, withDealWrites } from '../actions.ts'
import { timeSql } from './fields.ts'
import { confirmedWithin, longestSilence } from './points-sql.ts'

/**
 * A gap is confirmed so long after the last time at the soonest, so that lists by the hour write one once a day, and a list that
 * comes each day, give or take, confirms it each time.
 */
const confirmedEvery = "interval '20 hours'"

/** For so long lists of everything confirm that a deal is over: the longest window that counts what was not offered. */
const confirmedFor = "interval '365 days'"

/** Gaps confirmed in one transaction. */
const confirmedAtOnce = 1_000

/** Whether a deal `d` is over since a time of which a list, in microseconds, confirms it. */
export const isOverLately = (list: string): string =>
  `coalesce(d.ended_at, d.ends_at) > ${timeSql(list)} - ${confirmedFor}`

const lastPoint = `lateral (
    select p.seen_at, p.price is null as is_gap, coalesce(p.confirmed_until, p.seen_at) as known_until
    from price_points p where p.deal_id = d.id order by p.seen_at desc limit 1
  ) l`

/**
 * Says that the deals in $1 which meet the condition were not offered at $2, in microseconds, by the import $3: a gap that is known goes on
 * until then, else one begins. A later sight ends it.
 */
export const gapsOfList = (condition: string): string => `
  insert into price_points as p (deal_id, seen_at, price, confirmed_until, import_id)
  select d.id, case when l.is_gap and l.known_until + ${longestSilence} >= list.at then l.seen_at else list.at end, null, list.at, $3::bigint
  from (select ${timeSql('$2::bigint')} as at) list cross join deals d cross join ${lastPoint}
  where ${condition} and (not l.is_gap or l.known_until + ${confirmedEvery} <= list.at)
  order by d.id
  on conflict (deal_id, seen_at) do update set confirmed_until = excluded.confirmed_until where p.price is null`

/** Deals that were over before the list, and of which no point says anything since. */
const stillOver = `d.id = any($1) and d.is_over and l.known_until + ${confirmedEvery} <= list.at`

/**
 * Confirms that deals which were over before are not offered, as a list of everything says that leaves them out again. Only those
 * whose last point is old enough are written, piece by piece, until the signal is aborted.
 */
export async function confirmGaps(
  databases: Databases,
  client: pg.ClientBase,
  { overIds, observed }: { overIds: readonly number[]; observed: number },
  { importId, signal }: { importId: number; signal: AbortSignal | undefined },
): Promise<void> {
  const { rows } = await databases.customPlanPool.query<{ id: number }>(
    `select d.id from (select ${timeSql('$2::bigint')} as at) list cross join deals d cross join ${lastPoint}
     where ${stillOver} order by d.id`,
    [overIds, observed],
  )
  const ids = rows.map(({ id }) => id)
  for (let from = 0; from < ids.length; from += confirmedAtOnce) {
    signal?.throwIfAborted()
    // As where deals are hidden: the connection with the lock mustn't end for idleness.
    await client.query('select')
    const values = [ids.slice(from, from + confirmedAtOnce), observed, importId]
    await withDealWrites(databases, ({ client }) => client.query(gapsOfList(stillOver), values))
  }
}

/**
 * The gaps that begin where the stated ends of these deals have passed. Not where what was seen last is no point: that may not be
 * kept, and its end may be that of another offer.
 */
export async function beginEndGaps({ client }: DealWrites, ids: readonly number[]): Promise<void> {
  await client.query(
    `insert into price_points (deal_id, seen_at, price, confirmed_until)
     select d.id, d.ends_at, null, d.ends_at from deals d cross join ${lastPoint}
     where d.id = any($1) and not l.is_gap and l.known_until <= d.ends_at and d.observed_at <= l.known_until + ${confirmedWithin}
     order by d.id on conflict do nothing`,
    [ids],
  )
}
