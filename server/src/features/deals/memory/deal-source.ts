import type pg from 'pg'
import { epochSql, type Stamp } from '../../../platform/database/epoch.ts'
import type { DealIndex } from './deal-index.ts'

/** Deals read at once, and revisions caught up with at once. */
const [batch, mostRevisions] = [5_000, 50]

const microseconds = (column: string) => `(extract(epoch from ${column}) * 1000000)::float8`
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
  for (;;) {
    const { rows } = await client.query<DealRow>({ text: `fetch ${batch} from visible`, rowMode: 'array' })
    for (const row of rows) setDeal(index, row)
    if (rows.length < batch) break
  }
  await client.query('commit')
  return stamp
}

/**
 * Brings the deals up to the database's present revision, at most some steps of it; returns the stamp it came to. Undefined
 * when it can't, since what was there is of another epoch, or what happened between is no longer stored.
 */
export async function advanceDeals(
  client: pg.Client,
  index: DealIndex,
  from: Stamp,
): Promise<Stamp | undefined> {
  const { revision, epoch } = await readStamp(client)
  if (epoch !== from.epoch || revision < from.revision) return undefined
  const { rows } = await client.query<{ revision: string; ids: string[] }>(
    `select revision, added || changed || removed || confirmed as ids from feed_events where revision > $1 order by revision limit $2`,
    [from.revision, mostRevisions],
  )
  const last = Number(rows.at(-1)?.revision ?? from.revision)
  if (last !== from.revision + rows.length || (rows.length === 0 && revision > from.revision))
    return undefined
  const ids = [...new Set(rows.flatMap((row) => row.ids.map(Number)))]
  for (let at = 0; at < ids.length; at += batch) await readDeals(client, index, ids.slice(at, at + batch))
  return { epoch, revision: last }
}

/** What these deals are now. */
async function readDeals(client: pg.Client, index: DealIndex, ids: readonly number[]): Promise<void> {
  const text = `select ${columns} from deals where id = any($1::bigint[]) and is_visible`
  const { rows } = await client.query<DealRow>({ text, values: [ids], rowMode: 'array' })
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
