import { mostPricesListed, priceGraceMs } from '@dealdeck/contract/price-times'
import type { PricePoint, Verdict } from '@dealdeck/contract/prices'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import type pg from 'pg'
import type { CancelSignal } from '../../platform/cancellation.ts'
import { abortableQuery } from '../../platform/database/abortable-query.ts'
import { type PreparedStatement, prepared } from '../../platform/database/prepared.ts'
import { AppError } from '../../platform/errors.ts'
import { judgeHistory, type PriceHistory, type PriceNews, priceNews } from './rules.ts'

/** Points of a deal, older than the newest that are read one by one, that are read at most, thinned. */
const mostOlderPoints = 20_000

/** Whole milliseconds since 1970, so that a time is the same wherever it is read. */
const millis = (time: string) => `floor(extract(epoch from ${time}) * 1000)::float8`
const timeText = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** A deal `d` as `PriceHistory` has it, its points as arrays of numbers. */
export const historyColumns = `d.price::float8 as price, d.original_price::float8 as original_price, ${millis('d.observed_at')} as observed_at,
  d.availability is not null and not d.is_over as is_offered, coalesce(older.points, '[]') as older, coalesce(p.points, '[]') as points`
export const pointsOfDeal = `left join lateral (
    select json_agg(json_build_array(${millis('seen_at')}, ${millis('confirmed_until')}, price, original_price, import_id, is_wrong::int)
      order by seen_at) as points,
      case when count(*) = ${mostPricesListed} then min(seen_at) end as oldest, min(seen_at) filter (where not is_wrong) as first_right
    from (select * from price_points where deal_id = d.id order by seen_at desc limit ${mostPricesListed}) newest
  ) p on true left join lateral (
    -- What was seen before those, thinned: of a day each price once, for as long as it held in all, so that all of that day's time keeps its
    -- price, though not its order. The first of a day stays where it is, by which the one before it is judged; the last ends the day.
    select json_agg(json_build_array(${millis('seen_at')}, ${millis('seen_at + held - unconfirmed')}, price, original_price, null, 0)
      order by seen_at) as points
    from (
      select price, original_price, held, unconfirmed,
        day_begun + coalesce(sum(held) over (partition by day order by last_begun rows between unbounded preceding and 1 preceding), '0') as seen_at
      from (
        select day, day_begun, price, original_price, sum(until - seen_at) as held, max(seen_at) as last_begun,
          (array_agg(until - last_seen order by seen_at desc))[1] as unconfirmed
        from (
          select *, min(seen_at) over (partition by day) as day_begun, least(next, last_seen_at) as last_seen,
            least(next, last_seen_at + interval '${priceGraceMs} milliseconds') as until
          from (
            select seen_at, price, case when price is not null then original_price end as original_price, date_trunc('day', seen_at, 'UTC') as day,
              coalesce(lead(seen_at) over (order by seen_at), p.first_right) as next, greatest(seen_at, confirmed_until) as last_seen_at
            from price_points where deal_id = d.id and seen_at < p.oldest and not is_wrong order by seen_at desc limit ${mostOlderPoints}
          ) stored
        ) spans group by day, day_begun, seen_at = day_begun, price, original_price
      ) prices
    ) laid_out
  ) older on true`

type PointArray = [number, number | null, number | null, number | null, number | null, 0 | 1]
export type HistoryRow = Omit<PriceHistory, 'points'> & { older: PointArray[]; points: PointArray[] }

export function toHistory({ older, points, ...row }: HistoryRow): PriceHistory {
  return {
    ...row,
    points: [...older, ...points].map(([seenAt, confirmedUntil, price, listPrice, importId, isWrong]) => ({
      ...{ seenAt, confirmedUntil, price, listPrice, importId, isWrong: isWrong === 1 },
    })),
  }
}

/**
 * Whose verdict is to be found out: its history, null where the deal is gone, and when that became due: `was_due` as the database says
 * it, to find out whether it still is that, `due_at` in milliseconds since 1970.
 */
export type DueDeal = { deal_id: number; was_due: string; due_at: number; history: PriceHistory | null }

/** Some of the deals whose verdicts are due, those that became so last first: what has just changed is on screens. */
export async function readDue(pool: pg.Pool, limit: number): Promise<DueDeal[]> {
  return readHistories(pool, dueHistories, [limit])
}

/** The same of one deal, whenever it is due. */
export async function readDueOne(client: pg.ClientBase | pg.Pool, id: number): Promise<DueDeal | undefined> {
  const deals = await readHistories(client, historyOfOne, [id])
  return deals[0]
}

const historiesOf = (chosen: string) =>
  prepared(
    'histories',
    `select v.deal_id, v.due_at::text as was_due, ${millis('v.due_at')} as due_at, d.id is not null as is_there, ${historyColumns}
     from (${chosen}) v left join deals d on d.id = v.deal_id ${pointsOfDeal}`,
  )
const dueHistories = historiesOf(
  'select deal_id, due_at from price_verdicts where due_at <= now() order by due_at desc limit $1',
)
const historyOfOne = historiesOf('select deal_id, due_at from price_verdicts where deal_id = $1')

async function readHistories(
  client: pg.ClientBase | pg.Pool,
  statement: PreparedStatement,
  values: unknown[],
): Promise<DueDeal[]> {
  type Row = HistoryRow & Omit<DueDeal, 'history'> & { is_there: boolean }
  const { rows } = await client.query<Row>({ ...statement, values })
  return rows.map(({ deal_id, was_due, due_at, is_there, ...row }) => ({
    ...{ deal_id, was_due, due_at, history: is_there ? toHistory(row) : null },
  }))
}

export async function readPriceNews(
  pool: pg.Pool,
  ids: readonly number[],
  now: number,
  signal: CancelSignal,
): Promise<Map<number, PriceNews>> {
  const text = `select d.id, ${historyColumns} from deals d ${pointsOfDeal} where d.id = any($1)`
  const { rows } = await abortableQuery<HistoryRow & { id: number }>(pool, { text, values: [ids] }, signal)
  return new Map(
    rows.map(({ id, ...row }) => [id, priceNews(toHistory(row).points, row.points[0]?.[0] ?? 0, now)]),
  )
}

const historiesById = prepared(
  'histories by id',
  `select d.id, ${historyColumns} from deals d ${pointsOfDeal} where d.id = any($1)`,
)

/** The histories of some deals, by their ids. */
export async function readHistoriesOf(
  pool: pg.Pool,
  ids: readonly number[],
): Promise<Map<number, PriceHistory>> {
  const { rows } = await pool.query<HistoryRow & { id: number }>({ ...historiesById, values: [ids] })
  return new Map(rows.map(({ id, ...row }) => [id, toHistory(row)]))
}

/** Whether a verdict is due. */
export async function hasDue(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from price_verdicts where due_at <= now() limit 1')
  return rowCount === 1
}

/** Whether verdicts of all deals are to be made due, and what happens meanwhile is followed. */
export async function hasUnmarked(pool: pg.Pool, follower: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from price_state where next_deal is not null
       and exists (select from followers where name = $1 and position >= 0)`,
    [follower],
  )
  return rowCount === 1
}

/** What else is asked of a deal's prices: who asks, as of when, and in which currency. */
export type Asked = { includeHidden: boolean; now: Date; marketplace: Marketplace }

async function findHistory(pool: pg.Pool, id: number, includeHidden: boolean): Promise<PriceHistory> {
  const { rows } = await pool.query<HistoryRow>(
    `select ${historyColumns} from deals d ${pointsOfDeal} where d.id = $1 and (d.is_visible or $2)`,
    [id, includeHidden],
  )
  if (!rows[0]) throw new AppError('NOT_FOUND', 'This deal is no longer available.')
  return toHistory(rows[0])
}

/** What a deal's points say of its price now, whatever is stored; NOT_FOUND when it isn't there or hidden from this caller. */
export async function findVerdict(
  pool: pg.Pool,
  id: number,
  { includeHidden, now, marketplace }: Asked,
): Promise<Verdict> {
  return judgeHistory(await findHistory(pool, id, includeHidden), now.getTime(), marketplace).verdict
}

/** The observed prices of a deal, oldest first, the newest 1,000 of them; NOT_FOUND as for its verdict. */
export async function listPrices(pool: pg.Pool, id: number, asked: Asked): Promise<PricePoint[]> {
  return readPoints(pool, id, asked, null)
}

/** The price of a deal observed at that time, in ISO 8601, however many came later; NOT_FOUND where there is none. */
export async function findPrice(
  pool: pg.Pool,
  id: number,
  seenAt: string,
  asked: Asked,
): Promise<PricePoint> {
  const [point] = await readPoints(pool, id, asked, seenAt)
  if (!point) throw noSuchPrice()
  return point
}

export const noSuchPrice = () => new AppError('NOT_FOUND', 'There is no such price of this deal.')

async function readPoints(
  pool: pg.Pool,
  id: number,
  { includeHidden, now, marketplace }: Asked,
  seenAt: string | null,
): Promise<PricePoint[]> {
  const history = await findHistory(pool, id, includeHidden)
  const { suspects } = judgeHistory(history, now.getTime(), marketplace)
  const { rows } = await pool.query<PricePoint>(
    `select p.price, p.original_price, ${timeText('p.seen_at')} as seen_at, ${timeText('p.confirmed_until')} as confirmed_until,
       case when p.import_id is not null
         then json_build_object('import_id', p.import_id, 'source',
           case when $2 then coalesce(i.handed_in_by, 'an import that broke off') else 'an import' end) end as origin,
       p.is_wrong
     from price_points p left join imports i on i.id = p.import_id
     where p.deal_id = $1 and ($3::timestamptz is null or p.seen_at = $3) order by p.seen_at desc limit ${mostPricesListed}`,
    // Who hands in imports is for administrators, as the history of imports is.
    [id, includeHidden, seenAt],
  )
  return rows
    .reverse()
    .map((point) => ({ ...point, is_suspect: !point.is_wrong && suspects.has(Date.parse(point.seen_at)) }))
}

/** Which deal an ASIN is, hidden or not. Throws NOT_FOUND. */
export async function nameOf(pool: pg.Pool, asin: string): Promise<{ id: number; title: string }> {
  const { rows } = await pool.query<{ id: number; title: string }>(
    'select id, title from deals where asin = $1',
    [asin],
  )
  if (!rows[0]) throw new AppError('NOT_FOUND', `There is no deal with the ASIN ${asin}.`)
  return rows[0]
}
