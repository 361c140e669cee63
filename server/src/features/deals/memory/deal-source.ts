import type pg from 'pg'
import { epochSql, type Stamp } from '../../../platform/database/epoch.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { DealIndex } from './deal-index.ts'

/** Deals read at once, and revisions caught up with at once. */
const [batch, mostRevisions] = [5_000, 50]

/** Exact until 2106, and to some microseconds from then on; `extract` would count in decimals, which takes three times as long. */
const microseconds = (column: string) => `round(date_part('epoch', ${column}) * 1000000)`
const columns = [
  'id, asin, title_folded, brand, category, condition, price::float8, discount_percentage, rating::float8, review_count',
  'prime_eligible, original_price is not null, is_sample',
  ...['first_seen', 'observed_at', 'last_updated', 'ends_at', 'discord_order'].map(microseconds),
  `verdict_kind, under_typical, low_days, price_drop, ${microseconds('dropped_at')}, best_order::float8`,
].join(', ')

/** Reads all visible deals in one snapshot; returns its stamp. */
export async function loadDeals(client: pg.Client, index: DealIndex): Promise<Stamp> {
  await client.query('begin isolation level repeatable read read only')
  const stamp = await readStamp(client)
  await client.query(`declare visible no scroll cursor for select ${columns} from deals where is_visible`)
  const read = () => client.query<DealRow>({ text: `fetch ${batch} from visible`, rowMode: 'array' })
  // The database looks for the next ones while these are indexed.
  for (let next = read(), isLast = false; !isLast; ) {
    const { rows } = await next
    isLast = rows.length < batch
    if (!isLast) next = read()
    for (const row of rows) setDeal(index, row)
  }
  await client.query('commit')
  return stamp
}

/**
 * What has changed behind a revision, in one round trip, as searches wait for it: a row for each id, with the deal where it is visible, unless
 * there are too many for one answer.
 */
const changesBehind = prepared(
  'changes for the index',
  `with events as materialized (
     select revision, added || changed || removed || confirmed as ids from feed_events
     where revision > $1 order by revision limit ${mostRevisions}
   ), step as materialized (
     select max(revision) as last, count(*) as steps, array(select distinct unnest(ids) from events) as ids from events
   )
   select state.revision, ${epochSql} as epoch, step.last, step.steps, given.id, deal.*
   from feed_state state cross join step left join lateral unnest(step.ids) as given (id) on true left join lateral (
     select ${columns} from deals where id = case when cardinality(step.ids) <= ${batch} then given.id end and is_visible
   ) as deal on true`,
)

type ChangeRow = [
  ...[revision: string, epoch: string, last: string | null, steps: string, given: string | null],
  ...deal: DealRow | [id: null],
]

/**
 * Brings the deals up to the database's present revision, at most some steps of it; returns the stamp it came to. Undefined
 * when it can't, since what was there is of another epoch, or what happened between is no longer stored.
 */
export async function advanceDeals(
  client: pg.Client,
  index: DealIndex,
  from: Stamp,
): Promise<Stamp | undefined> {
  const question = { ...changesBehind, values: [from.revision], rowMode: 'array' as const }
  const { rows } = await client.query<ChangeRow>(question)
  const [first] = rows
  if (!first) return undefined
  const [revision, epoch, last, steps] = first
  if (epoch !== from.epoch || Number(revision) < from.revision) return undefined
  const reached = Number(last ?? from.revision)
  if (reached !== from.revision + Number(steps) || (last === null && Number(revision) > from.revision))
    return undefined
  const ids = rows.flatMap(([, , , , given]) => (given === null ? [] : [Number(given)]))
  if (ids.length > batch)
    for (let at = 0; at < ids.length; at += batch) await readDeals(client, index, ids.slice(at, at + batch))
  else setDeals(index, ids, rows.map(([, , , , , ...deal]) => deal).filter(isDeal))
  return { epoch, revision: reached }
}

const isDeal = (row: DealRow | [id: null]): row is DealRow => row[0] !== null

/** What these deals are now. */
async function readDeals(client: pg.Client, index: DealIndex, ids: readonly number[]): Promise<void> {
  const text = `select ${columns} from deals where id = any($1::bigint[]) and is_visible`
  setDeals(index, ids, (await client.query<DealRow>({ text, values: [ids], rowMode: 'array' })).rows)
}

/** Sets the deals of these ids that are there, and deletes the others. */
function setDeals(index: DealIndex, ids: readonly number[], rows: readonly DealRow[]): void {
  const gone = new Set(ids)
  for (const row of rows) {
    gone.delete(Number(row[0]))
    setDeal(index, row)
  }
  for (const id of gone) index.delete(id)
}

async function readStamp(client: pg.Client): Promise<Stamp> {
  const { rows } = await client.query<{ revision: string; epoch: string }>(
    `select state.revision, ${epochSql} as epoch from feed_state state`,
  )
  // The library makes a text of a bigint.
  return { revision: Number(rows[0]?.revision ?? 0), epoch: rows[0]?.epoch ?? '' }
}

type DealRow = [
  ...[id: number | string, asin: string, title: string],
  ...[brand: string | null, category: string | null, condition: string | null],
  ...[price: number, off: number | null, rating: number | null, reviews: number | null],
  ...[isPrime: boolean, hasListPrice: boolean, isSample: boolean],
  ...[firstSeen: number, lastChecked: number, lastUpdated: number, endsAt: number | null, posted: number],
  ...[verdict: string | null, underTypical: number | null, lowDays: number | null],
  ...[drop: number | null, droppedAt: number | null, best: number],
]

function setDeal(index: DealIndex, row: DealRow): void {
  const [id, asin, title, brand, category, condition, price, off, rating, reviews] = row
  const [, , , , , , , , , , isPrime, hasListPrice, isSample] = row
  const [, , , , , , , , , , , , , firstSeen, lastChecked, lastUpdated, endsAt, posted] = row
  const [, , , , , , , , , , , , , , , , , , verdict, underTypical, lowDays, drop, droppedAt, best] = row
  index.set({
    ...{ id: Number(id), asin, title, brand, category, condition, price, off, rating, reviews },
    ...{ isPrime, hasListPrice, isSample, firstSeen, lastChecked, lastUpdated, endsAt, posted },
    ...{ verdict, underTypical, lowDays, drop, droppedAt, best },
  })
}
