import type pg from 'pg'
import { timeSql } from '../../deals/writing/fields.ts'
import type { Range, StagedPart } from '../../deals/writing/merge-sql.ts'
import { type ComparedRow, type DocumentCounts, type Fault, rowFault } from '../rules.ts'

/** What the rows of a range are held for: whose they are, the run, and what the body has columns for. */
export type Holding = {
  sourceId: number
  runId: number
  trusted: ReadonlySet<string>
  has: { originalPrice: boolean; availability: boolean }
  /** What items usually cost by what the source itself says, for those of which nothing is known here. */
  usual?: ReadonlyMap<string, number> | undefined
  /** Whether its prices may become history, since when it is listed, and until when it may be shown (null: for ever). */
  terms: { keepsHistory: boolean; listedAt: Date; hideAt: Date | null }
  /** Items of the document, where it waits as a whole. */
  items?: number
}

/** How many more rows of a source may wait for a person. */
export async function readRoom({ client }: StagedPart, sourceId: number, most: number): Promise<number> {
  const { rows } = await client.query<{ waiting: number }>(
    `select count(*) as waiting from quarantine where source_id = $1 and state = 'held'`,
    [sourceId],
  )
  return most - (rows[0]?.waiting ?? 0)
}

const inRange = 't.asin > $1 and ($2::text is null or t.asin <= $2)'
const stored = 'left join deals d on d.asin = t.asin and not d.is_sample'
const newest = (table: string) =>
  `(select distinct on (asin) * from ${table} t where ${inRange} order by asin, observed desc, row_no desc)`

/** Says of a deal that is shown that it is over, or hides it. */
const ends = (hasAvailability: string) => `(d.is_visible and ${timeSql('t.observed')} >= d.observed_at
  and (t.is_over is true or ${timeSql('t.ends_at')} <= now() or (${hasAvailability} and t.availability is null)))`
const isListed = (whose: string) =>
  `exists (select from source_deals o where o.asin = t.asin and o.source_id ${whose} and (o.hide_at is null or o.hide_at > now()))`

export const noCounts: DocumentCounts = { items: 0, known: 0, changed: 0, shown: 0, ended: 0, foreign: 0 }
export const countNames = ['items', 'known', 'changed', 'shown', 'ended', 'foreign'] as const

/** What there is of a document in a range. */
export async function countRange(
  { part, from, to }: Range,
  { sourceId, has }: Pick<Holding, 'sourceId' | 'has'>,
): Promise<DocumentCounts> {
  const { rows } = await part.client.query<DocumentCounts>(
    `select count(*) as items, count(d.id) as known, count(*) filter (where d.price <> t.price) as changed,
       count(*) filter (where d.is_visible) as shown, count(*) filter (where ${ends('$4')}) as ended,
       count(*) filter (where ${ends('$4')} and ${isListed('<> $3')} and not ${isListed('= $3')}) as "foreign"
     from ${newest(part.table)} t ${stored}`,
    [from, to, sourceId, has.availability],
  )
  return rows[0] ?? noCounts
}

/** Whether another source lists a deal, or said its price last: its title may be that one's, in other words or another language. */
const isElsewhere = `(exists (select from source_deals o where o.asin = t.asin and o.source_id <> $5 and (o.hide_at is null or o.hide_at > now()))
  or coalesce((select i.handed_in_by <> 'source ' || own.name
    from (select import_id from price_points p where p.deal_id = d.id order by p.seen_at desc limit 1) last
      join imports i on i.id = last.import_id join sources own on own.id = $5), false))`

type Candidate = ComparedRow & { row_no: number; asin: string }
type Held = Fault & { row_no: number; asin: string; price: number }

/**
 * Takes the rows of a range that a rule objects to out of the staged ones: they wait, or, where the same was refused before, are
 * left out. Returns how many, and how many found no `room` to wait in.
 */
export async function holdRows(range: Range, holding: Holding, room: number): Promise<HeldCounts> {
  const { part, from, to } = range
  const { rows } = await part.client.query<Candidate>(
    `select t.row_no, t.asin, t.price, t.original_price, t.title, d.price as old_price,
       case when not (d.title <> t.title and ${isElsewhere}) then d.title end as old_title,
       coalesce(v.typical, u.usual) as typical
     from ${part.table} t ${stored} left join price_verdicts v on v.deal_id = d.id
       left join unnest($3::text[], $4::numeric[]) as u(asin, usual) on u.asin = t.asin
     where ${inRange} and (d.title <> t.title or (d.price is distinct from t.price
       and (d.price is not null and (t.price < d.price / 9 or t.price > d.price * 9
           or t.price < v.typical / 9 or t.price > v.typical * 9) or t.price < t.original_price / 10
       or t.price < u.usual / 9 or t.price > u.usual * 9)))`,
    [from, to, [...(holding.usual?.keys() ?? [])], [...(holding.usual?.values() ?? [])], holding.sourceId],
  )
  const faulty = rows.flatMap((row): Held[] => {
    const fault = rowFault(row, holding.trusted)
    return fault ? [{ ...fault, row_no: row.row_no, asin: row.asin, price: row.price }] : []
  })
  if (faulty.length === 0) return noneHeld
  const refused = await readRefused(part.client, holding.sourceId, faulty)
  const held = faulty.filter(({ asin, price }) => !refused.has(`${asin} ${price}`))
  const { fitting, taken } = await fitIn(part.client, holding.sourceId, held, room)
  await insertHeld(part, holding, fitting)
  await removeRows(part, faulty)
  return {
    ...{ held: held.length, refusedBefore: faulty.length - held.length },
    ...{ unstored: held.length - fitting.length, taken },
  }
}

/** `taken`: items that took up room. */
export type HeldCounts = { held: number; refusedBefore: number; unstored: number; taken: number }
const noneHeld: HeldCounts = { held: 0, refusedBefore: 0, unstored: 0, taken: 0 }

/** Differs from what is stored in what people see of a deal first; the rest of a held document is merged. */
const differs = `(d.id is null or d.price <> t.price or d.title <> t.title
  or ($3 and d.original_price is distinct from t.original_price) or (t.is_over and not d.is_over)
  or ($4 and (d.availability is null) <> (t.availability is null)) or ${ends('$4')})`

/** The same of all rows that would change something, because of the whole document. */
export async function holdAll(
  range: Range,
  holding: Holding,
  fault: Fault,
  room: number,
): Promise<HeldCounts> {
  const { part, from, to } = range
  const { rows } = await part.client.query<Omit<Held, keyof Fault>>(
    `select t.row_no, t.asin, t.price from ${part.table} t ${stored} where ${inRange} and ${differs}`,
    [from, to, holding.has.originalPrice, holding.has.availability],
  )
  if (rows.length === 0) return noneHeld
  const refused = await readRefused(part.client, holding.sourceId, rows)
  const held = rows.filter(({ asin, price }) => !refused.has(`${asin} ${price}`))
  const { fitting, taken } = await fitIn(part.client, holding.sourceId, held, room)
  await insertHeld(
    part,
    holding,
    fitting.map((row) => ({ ...row, ...fault })),
  )
  await removeRows(part, rows)
  return {
    ...{ held: held.length, refusedBefore: rows.length - held.length },
    ...{ unstored: held.length - fitting.length, taken },
  }
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

/** Items at the prices at which they were refused before. */
async function readRefused(
  client: pg.ClientBase,
  sourceId: number,
  rows: readonly { asin: string }[],
): Promise<ReadonlySet<string>> {
  const found = await client.query<{ asin: string; price: number }>(
    `select asin, (deal ->> 'price')::numeric as price from quarantine
     where source_id = $1 and state = 'refused' and asin = any($2)`,
    [sourceId, [...new Set(rows.map(({ asin }) => asin))]],
  )
  return new Set(found.rows.map(({ asin, price }) => `${asin} ${price}`))
}

/** What a row says beside when it was seen, and how much else was seen then. */
const said = (deal: string) =>
  `${deal} - '{observed,is_timed,first_seen,listed_at,hide_at,document_items}'::text[]`

/**
 * Of an item the row observed last waits. One that waited already and says the same was seen once more; one that says something else goes,
 * with its id, so that nobody lets through what they were not shown.
 */
async function insertHeld(
  { client, table }: StagedPart,
  { sourceId, runId, has, items, terms }: Holding,
  rows: readonly Held[],
): Promise<void> {
  if (rows.length === 0) return
  await client.query(
    `with current as materialized (
       select distinct on (t.asin) t.asin, h.rule, h.reason,
       case when d.id is not null then jsonb_build_object('title', d.title, 'price', d.price, 'original_price', d.original_price,
         'availability', d.availability, 'typical_price', v.typical) end as old,
       jsonb_build_object('title', t.title, 'price', t.price, 'original_price', t.original_price, 'availability', t.availability) as new,
       to_jsonb(t) - 'title_folded' - 'row_no' || $4::jsonb as deal
     from json_to_recordset($3::json) as h(row_no integer, asin text, rule text, reason text)
       join ${table} t on t.asin = h.asin and t.row_no = h.row_no ${stored}
       left join price_verdicts v on v.deal_id = d.id
     order by t.asin, t.observed desc, t.row_no desc
     ), overtaken as (
       delete from quarantine q using current c where q.source_id = $1 and q.asin = c.asin and q.state = 'held'
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
    ],
  )
}

/** By their items as well, which have an index. */
async function removeRows(
  { client, table }: StagedPart,
  rows: readonly { row_no: number; asin: string }[],
): Promise<void> {
  await client.query(`delete from ${table} where asin = any($1) and row_no = any($2)`, [
    rows.map(({ asin }) => asin),
    rows.map(({ row_no }) => row_no),
  ])
}

/** What waited of items that pass now has been overtaken. */
export async function dropOvertaken({ client, table }: StagedPart, sourceId: number): Promise<void> {
  await client.query(
    `delete from quarantine q where source_id = $1 and state = 'held' and exists (select from ${table} t where t.asin = q.asin)`,
    [sourceId],
  )
}
