import type { ImportReject } from '@dealdeck/contract/ingest'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import type pg from 'pg'
import { timeSql } from '../../deals/writing/fields.ts'
import type { StagedPart } from '../../deals/writing/merge-sql.ts'
import { type ComparedRow, type DecidedRules, type Fault, refusalOf } from '../rules.ts'

/** What the rows of a range are held for: whose they are, the run, and what the body has columns for. */
export type Holding = DecidedRules & {
  sourceId: number
  runId: number
  /** Hears of each row that is always refused. */
  reject: (row: ImportReject) => void
  /** Whose money the reasons are in. */
  marketplace: Marketplace
  has: { originalPrice: boolean; availability: boolean }
  /** What items usually cost by what the source itself says, for those of which nothing is known here. */
  usual?: ReadonlyMap<string, number> | undefined
  /** Whether its prices may become history, since when it is listed, and until when it may be shown (null: for ever). */
  terms: { keepsHistory: boolean; listedAt: Date; hideAt: Date | null }
  /** Items of the document, where it waits as a whole. */
  items?: number
  /** Items that only other sources list, and that it ends or hides. */
  othersItems: ReadonlySet<string>
}

/** How many more rows of a source may wait for a person, and since when those are seen that are of this document. */
export async function readRoom(
  { client }: StagedPart,
  sourceId: number,
  most: number,
): Promise<{ room: number; since: string }> {
  const { rows } = await client.query<{ waiting: number; since: string }>(
    `select count(*) as waiting, clock_timestamp()::text as since from quarantine where source_id = $1 and state = 'held'`,
    [sourceId],
  )
  const [found] = rows
  if (!found) throw new Error('A count always answers')
  return { room: most - found.waiting, since: found.since }
}

/** Whether anything of a source was refused before: of most nothing was, so none of their rows is looked for. */
export async function hasRefused({ client }: StagedPart, sourceId: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from quarantine where source_id = $1 and state = 'refused' limit 1`,
    [sourceId],
  )
  return rowCount === 1
}

const isOver = (said: string, end: string) => `((${said} or ${timeSql(end)} <= now()) is true)`

/**
 * Whether a staged row `t` says the same as one that was refused, beside what is stored, `d`: the same price, as much of a title as was at issue,
 * and as much of an end. What a rule was trusted for since is read again.
 */
export const wasRefused = (source: string, trusted: string) => `exists (
  select from quarantine q where q.source_id = ${source} and q.state = 'refused' and q.asin = t.asin
    and (q.deal ->> 'price')::numeric = t.price and q.rule <> all(${trusted}::text[])
    and q.deal ->> 'other_currency' is not distinct from t.other_currency
    and q.deal ->> 'other_marketplace' is not distinct from t.other_marketplace
    and ${isOver("q.deal -> 'is_over' = 'true'", "(q.deal ->> 'ends_at')::bigint")} = ${isOver('t.is_over', 't.ends_at')}
    and (q.deal ->> 'availability' is null) = (t.availability is null)
    and (q.rule <> 'title' and d.price is distinct from t.price or q.deal ->> 'title' = t.title))`

/** A staged row that is to wait, and why. */
export type Held = Fault &
  Pick<ComparedRow, 'price' | 'other_currency' | 'other_marketplace'> & { row_no: number; asin: string }
/**
 * Items by what becomes of them. `overtaken`: rows of items that the document says something newer of; `taken`: items that took up room;
 * `heldByShop`: how many of those held are of other shops, by which.
 */
export type HeldCounts = {
  held: number
  refusedBefore: number
  overtaken: number
  unstored: number
  taken: number
  heldByShop: ReadonlyMap<string, number>
}

/** Staged rows `t` beside the deals `d` that are stored of their items. */
export const stored = 'left join deals d on d.asin = t.asin and not d.is_sample'

/**
 * Takes these rows out of the staged ones: they wait, so far as there is `room`, or are left out where the same was refused before, or their
 * rule always is. Of an item that is listed several times the newest row waits, unless one that is newer still passes.
 */
export async function holdFaulty(
  part: StagedPart,
  holding: Holding,
  faulty: readonly Held[],
  room: number,
): Promise<HeldCounts> {
  const heldByShop = new Map<string, number>()
  if (faulty.length === 0)
    return { held: 0, refusedBefore: 0, overtaken: 0, unstored: 0, taken: 0, heldByShop }
  const rejected = faulty.filter(({ rule }) => holding.refused.has(rule))
  await refuseAlways(part.client, holding, rejected)
  const objected = faulty.filter(({ rule }) => !holding.refused.has(rule))
  const newest = await readNewest(part, objected)
  const doubtful = objected.filter(({ asin, row_no }) => newest.get(asin) === row_no)
  const refused = await readRefused(part.client, holding.sourceId, doubtful)
  const held = doubtful.filter((row) => !refused.has(sayingOf(row)))
  const { fitting, taken } = await fitIn(part.client, holding.sourceId, held, room)
  await insertHeld(part, holding, fitting)
  await removeRows(part, faulty)
  for (const { counted } of held)
    if (counted !== undefined) heldByShop.set(counted, (heldByShop.get(counted) ?? 0) + 1)
  return {
    ...{ held: held.length, refusedBefore: doubtful.length - held.length },
    ...{ overtaken: objected.length - doubtful.length, unstored: held.length - fitting.length },
    ...{ taken, heldByShop },
  }
}

/** Which of the staged rows of these items is the newest, by the item. */
async function readNewest(
  { client, table }: StagedPart,
  rows: readonly { asin: string }[],
): Promise<ReadonlyMap<string, number>> {
  const found = await client.query<{ asin: string; row_no: number }>(
    `select distinct on (asin) asin, row_no from ${table} where asin = any($1) order by asin, observed desc, row_no desc`,
    [[...new Set(rows.map(({ asin }) => asin))]],
  )
  return new Map(found.rows.map(({ asin, row_no }) => [asin, row_no]))
}

/** Tells of rows that are always refused; what waits of them, since before that was decided, waits no longer. */
async function refuseAlways(
  client: pg.ClientBase,
  { sourceId, refused, reject }: Holding,
  rows: readonly Held[],
): Promise<void> {
  if (rows.length === 0) return
  for (const { row_no: row, asin, ...fault } of rows) reject({ row, asin, reason: refusalOf(fault) })
  await client.query(
    `delete from quarantine where source_id = $1 and state = 'held' and asin = any($2) and rule = any($3)`,
    [sourceId, rows.map(({ asin }) => asin), [...refused]],
  )
}

/** The rows that may wait: those of items that wait already, and of others so many as there is `room` for, which is `taken` then. */
async function fitIn<T extends { asin: string }>(
  client: pg.ClientBase,
  sourceId: number,
  rows: readonly T[],
  room: number,
): Promise<{ fitting: T[]; taken: number }> {
  const asins = [...new Set(rows.map(({ asin }) => asin))]
  const found = await client.query<{ asin: string }>(
    `select asin from quarantine where source_id = $1 and state = 'held' and asin = any($2)`,
    [sourceId, asins],
  )
  const waiting = new Set(found.rows.map(({ asin }) => asin))
  const added = asins.filter((asin) => !waiting.has(asin)).slice(0, Math.max(0, room))
  for (const asin of added) waiting.add(asin)
  return { fitting: rows.filter(({ asin }) => waiting.has(asin)), taken: added.length }
}

export type Saying = Pick<Held, 'asin' | 'price' | 'other_currency' | 'other_marketplace'>
/** What is refused of an item: this price in this currency of this shop. */
export const sayingOf = ({ asin, price, other_currency: currency, other_marketplace: shop }: Saying) =>
  JSON.stringify([asin, price, currency, shop])

/** The same of a row that was decided, in SQL. */
export const saidSql = `asin, (deal ->> 'price')::numeric as price, deal ->> 'other_currency' as other_currency,
  deal ->> 'other_marketplace' as other_marketplace`

/** What of these items was refused before. */
async function readRefused(
  client: pg.ClientBase,
  sourceId: number,
  rows: readonly { asin: string }[],
): Promise<ReadonlySet<string>> {
  const found = await client.query<Saying>(
    `select ${saidSql} from quarantine where source_id = $1 and state = 'refused' and asin = any($2)`,
    [sourceId, [...new Set(rows.map(({ asin }) => asin))]],
  )
  return new Set(found.rows.map(sayingOf))
}

/** What a row says beside when it was seen, and how much else was seen then. */
const said = (deal: string) =>
  `${deal} - '{observed,is_timed,first_seen,listed_at,hide_at,document_items}'::text[]`

/** Whose price it is, where that is in question. */
const whose = (currency: string, shop: string) =>
  `jsonb_strip_nulls(jsonb_build_object('currency', ${currency}, 'marketplace', ${shop}))`

/**
 * These wait, one of each item. One that waited already and says the same was seen once more; one that says something else goes,
 * with its id, so that nobody lets through what they were not shown.
 */
async function insertHeld(
  { client, table }: StagedPart,
  { sourceId, runId, has, items, terms, marketplace }: Holding,
  rows: readonly Held[],
): Promise<void> {
  if (rows.length === 0) return
  await client.query(
    `with current as materialized (
       select t.asin, h.rule, h.reason,
       case when d.id is not null then jsonb_build_object('title', d.title, 'price', d.price, 'original_price', d.original_price,
         'availability', d.availability, 'typical_price', v.typical)
         || ${whose('case when t.other_currency is not null then $5::text end', 'case when t.other_marketplace is not null then $6::text end')} end as old,
       jsonb_build_object('title', t.title, 'price', t.price, 'original_price', t.original_price, 'availability', t.availability)
         || ${whose('t.other_currency', 't.other_marketplace')} as new,
       -- Without what says nothing: rows that wait since before there was such a thing say the same as these.
       to_jsonb(t) - '{title_folded,row_no,other_currency,other_marketplace}'::text[] || $4::jsonb || jsonb_strip_nulls(
         jsonb_build_object('other_currency', t.other_currency, 'other_marketplace', t.other_marketplace)) as deal
     from json_to_recordset($3::json) as h(row_no integer, asin text, rule text, reason text)
       join ${table} t on t.asin = h.asin and t.row_no = h.row_no ${stored}
       left join price_verdicts v on v.deal_id = d.id
     ), overtaken as (
       -- Each by its item: as a join it would compare every row that waits with every new one.
       delete from quarantine q using current c, lateral (
         select id from quarantine w where w.source_id = $1 and w.asin = c.asin and w.state = 'held' offset 0
       ) as waiting where q.id = waiting.id and q.state = 'held'
         and (q.rule <> c.rule or ${said('q.deal')} <> ${said('c.deal')}) returning q.asin
     )
     insert into quarantine (source_id, run_id, asin, rule, reason, old, new, deal)
     select $1, $2, asin, rule, reason, old, new, deal from current, (select count(*) from overtaken) first
     on conflict (source_id, asin) where state = 'held' do update set run_id = excluded.run_id, rule = excluded.rule,
       reason = excluded.reason, old = excluded.old, new = excluded.new, deal = excluded.deal, seen_at = now()`,
    [
      ...[sourceId, runId],
      JSON.stringify(rows.map(({ row_no, asin, rule, reason }) => ({ row_no, asin, rule, reason }))),
      JSON.stringify({
        ...{ has_original_price: has.originalPrice, has_availability: has.availability },
        ...{ keeps_history: terms.keepsHistory, listed_at: terms.listedAt, hide_at: terms.hideAt },
        document_items: items,
      }),
      ...[marketplace.currency, marketplace.domain],
    ],
  )
}

/** By their items as well, which have an index. */
export async function removeRows(
  { client, table }: StagedPart,
  rows: readonly { row_no: number; asin: string }[],
): Promise<void> {
  await client.query(`delete from ${table} where asin = any($1) and row_no = any($2)`, [
    rows.map(({ asin }) => asin),
    rows.map(({ row_no }) => row_no),
  ])
}

/** What has waited since before this document, of items that pass now, has been overtaken. */
export async function dropOvertaken(
  { client, table }: StagedPart,
  sourceId: number,
  since: string,
): Promise<void> {
  await client.query(
    `delete from quarantine q where source_id = $1 and state = 'held' and seen_at < $2 and exists (select from ${table} t where t.asin = q.asin)`,
    [sourceId, since],
  )
}

/**
 * What says the same as these rows in all, which were let through, waits no longer: their source was asked again before they were stored. What a poll has its
 * hands on is left, since each would wait for the other.
 */
export async function dropHeldAgain(
  client: pg.ClientBase,
  sourceId: number,
  ids: readonly number[],
): Promise<void> {
  await client.query(
    `with decided as (select asin, rule, ${said('deal')} as said from quarantine where id = any($2))
     delete from quarantine where id = any(array(
       select q.id from quarantine q where q.source_id = $1 and q.state = 'held' and q.asin = any(array(select asin from decided))
         and (q.asin, q.rule, ${said('q.deal')}) in (select asin, rule, said from decided) for update of q skip locked))`,
    [sourceId, ids],
  )
}
