import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { money, plainAmount } from '../../../platform/money.ts'
import { isOfOtherShop, timeSql } from '../../deals/writing/fields.ts'
import type { Range, StagedPart } from '../../deals/writing/merge-sql.ts'
import { type ComparedRow, type DocumentCounts, type Fault, type OwnShop, rowFault } from '../rules.ts'
import {
  type Held,
  type HeldCounts,
  type Holding,
  holdFaulty,
  removeRows,
  stored,
  wasRefused,
} from './waiting-rows.ts'

const inRange = 't.asin > $1 and ($2::text is null or t.asin <= $2)'
/** What a document says of its items; what is of another shop says nothing of them. */
const newest = (table: string) =>
  `(select distinct on (asin) * from ${table} t where ${inRange} and not ${isOfOtherShop('t')} order by asin, observed desc, row_no desc)`

/** Says of a deal that is shown, and whose time isn't over by now, that it is over, or hides it. */
const ends = (
  hasAvailability: string,
) => `(d.is_visible and (d.ends_at > now()) is not false and ${timeSql('t.observed')} >= d.observed_at
  and (t.is_over is true or ${timeSql('t.ends_at')} <= now() or (${hasAvailability} and t.availability is null)))`
/** Whether nothing newer is stored of an item: what says older things of it changes nothing of what people see. */
const isCurrent = `(d.id is null or ${timeSql('t.observed')} >= d.observed_at)`
const isListed = (whose: string) =>
  `exists (select from source_deals o where o.asin = t.asin and o.source_id ${whose} and (o.hide_at is null or o.hide_at > now()))`

/** Whether anything of a source was refused, and the rules that it was trusted for since. */
export type Refusals = { some: boolean; trusted: readonly string[] }

export const noCounts: DocumentCounts = { items: 0, known: 0, changed: 0, shown: 0, ended: 0, others: 0 }
export const countNames = ['items', 'known', 'changed', 'shown', 'ended', 'others'] as const

/** What there is of a document in a range, and which items it ends that only other sources list. What was refused before changes and ends nothing. */
export async function countRange(
  { part, from, to }: Range,
  { sourceId, has, refusals }: Pick<Holding, 'sourceId' | 'has'> & { refusals: Refusals },
): Promise<DocumentCounts & { others_items: string[] | null }> {
  const undecided = refusals.some ? ` and not ${wasRefused('$3', '$5')}` : ''
  const isOthersOnly = `${ends('$4')} and ${isListed('<> $3')} and not ${isListed('= $3')}${undecided}`
  const { rows } = await part.client.query<DocumentCounts & { others_items: string[] | null }>(
    `select count(*) as items, count(d.id) filter (where ${isCurrent}) as known,
       count(*) filter (where d.price <> t.price and ${isCurrent}${undecided}) as changed,
       count(*) filter (where d.is_visible) as shown, count(*) filter (where ${ends('$4')}${undecided}) as ended,
       count(*) filter (where ${isOthersOnly}) as others, array_agg(t.asin) filter (where ${isOthersOnly}) as others_items
     from ${newest(part.table)} t ${stored}`,
    [from, to, sourceId, has.availability, ...(refusals.some ? [refusals.trusted] : [])],
  )
  return rows[0] ?? { ...noCounts, others_items: null }
}

/** Who said the last price of a deal, as its import has it. */
const lastSaidBy = `(select i.handed_in_by from (select import_id from price_points p where p.deal_id = d.id order by p.seen_at desc limit 1) last
  join imports i on i.id = last.import_id)`
/** Whether another source lists a deal, or somebody else said its price last: its title may be theirs, in other words or another language. */
const isSaidByOthers = `(exists (select from source_deals o where o.asin = t.asin and o.source_id <> $5 and (o.hide_at is null or o.hide_at > now()))
  or coalesce(${lastSaidBy} <> (select 'source ' || name from sources where id = $5), false))`

type Candidate = ComparedRow & {
  row_no: number
  asin: string
  is_said_by_others: boolean | null
  own_title: string | null
}

/**
 * Takes the rows of a range that a rule objects to out of the staged ones: they wait, or, where the same was refused before, are
 * left out. Returns how many, and how many found no `room` to wait in. `which`: all that there are, or those of other shops alone.
 */
export async function holdRows(
  range: Range,
  holding: Holding,
  room: number,
  which: 'all' | 'other shops' = 'all',
): Promise<HeldCounts> {
  const { part, from, to } = range
  const { othersItems, marketplace, sourceId, usual } = holding
  const { rows } = await part.client.query<Omit<Candidate, 'ends_others'>>(
    `select t.row_no, t.asin, t.price, t.original_price, t.title, t.other_currency, t.other_marketplace,
       d.price as old_price, e.is_said_by_others, own.title as own_title,
       case when e.is_said_by_others then own.title else d.title end as old_title, coalesce(v.typical, u.usual) as typical, f.price as first_price,
       (select array_agg((q.deal ->> 'price')::float8) from quarantine q where q.asin = t.asin and q.state = 'passed') as passed_prices
     from ${part.table} t ${stored} left join price_verdicts v on v.deal_id = d.id
       left join unnest($3::text[], $4::numeric[]) as u(asin, usual) on u.asin = t.asin
       left join source_titles own on own.source_id = $5 and own.asin = t.asin
       left join lateral (select p.price from price_points p where p.deal_id = d.id and p.price is not null and not p.is_wrong
         and p.seen_at > now() - interval '90 days' order by p.seen_at limit 1) f on v.typical is null and u.usual is null and d.price <> t.price
       left join lateral (select d.title <> t.title and ${isSaidByOthers} as is_said_by_others) e on true
     where ${inRange} and (${isOfOtherShop('t')} or $7 and (d.title <> t.title or own.title <> t.title or t.asin = any($6) or (d.price is distinct from t.price
       and (d.price is not null and (t.price < d.price / 9 or t.price > d.price * 9
           or t.price < v.typical / 9 or t.price > v.typical * 9 or t.price < f.price / 9 or t.price > f.price * 9) or t.price < t.original_price / 10
       or t.price < u.usual / 9 or t.price > u.usual * 9))))`,
    [
      from,
      to,
      [...(usual?.keys() ?? [])],
      [...(usual?.values() ?? [])],
      sourceId,
      [...othersItems],
      which === 'all',
    ],
  )
  const shop = shopOf(marketplace)
  const faulty: Held[] = []
  const told: Candidate[] = []
  for (const row of rows) {
    const candidate = { ...row, ends_others: othersItems.has(row.asin) }
    const fault = rowFault(candidate, holding, shop)
    if (fault) faulty.push({ ...row, ...fault })
    else told.push(candidate)
  }
  await rememberTitles(part, sourceId, told)
  return holdFaulty(part, holding, faulty, room)
}

/** This marketplace as reasons name it. */
export const shopOf = (marketplace: Marketplace): OwnShop => ({
  ...marketplace,
  money: (amount) => money(amount, marketplace),
  number: (amount) => plainAmount(amount, marketplace),
})

/**
 * Remembers what this source calls items that others call something else, and what those called them before: each is compared with itself from
 * then on.
 */
async function rememberTitles(
  { client, table }: StagedPart,
  sourceId: number,
  rows: readonly Candidate[],
): Promise<void> {
  const known = rows.filter(
    ({ is_said_by_others, own_title: own, title }) => is_said_by_others || (own !== null && own !== title),
  )
  if (known.length === 0) return
  await client.query(
    `with said as (
       select distinct on (t.asin) t.asin, t.title, d.title as stored, ${lastSaidBy} as by from ${table} t ${stored}
       where t.asin = any($2) and t.row_no = any($3) order by t.asin, t.observed desc, t.row_no desc
     ), others as (
       insert into source_titles (source_id, asin, title)
       select o.id, said.asin, said.stored from said join sources o on o.id <> $1 and said.by = 'source ' || o.name
       where said.stored <> said.title on conflict do nothing
     )
     insert into source_titles as s (source_id, asin, title) select $1, asin, title from said
     on conflict (source_id, asin) do update set title = excluded.title, said_at = now()
       where s.title <> excluded.title or s.said_at < now() - interval '1 day'`,
    [sourceId, known.map(({ asin }) => asin), known.map(({ row_no }) => row_no)],
  )
}

/** Differs from what is stored in what people see of a deal first; the rest of a held document is merged. */
const differs = `(d.id is null or ${isCurrent} and (d.price <> t.price or d.title <> t.title
  or ($3 and d.original_price is distinct from case when t.is_original_doubtful is not null then t.original_price end)
  or (t.is_over is true or (${timeSql('t.ends_at')} <= now()) is true) <> d.is_over
  or ($4 and (d.availability is null) <> (t.availability is null)) or ${ends('$4')}))`

/** The same of all rows that would change something, because of the whole document. */
export async function holdAll(
  range: Range,
  holding: Holding,
  fault: Fault,
  room: number,
): Promise<HeldCounts> {
  const { part, from, to } = range
  const { rows } = await part.client.query<Omit<Held, keyof Fault>>(
    `select t.row_no, t.asin, t.price, t.other_currency, t.other_marketplace from ${part.table} t ${stored} where ${inRange} and ${differs}`,
    [from, to, holding.has.originalPrice, holding.has.availability],
  )
  const faulty = rows.map((row) => ({ ...row, ...fault }))
  return holdFaulty(part, holding, faulty, room)
}

/** Takes the rows of a range that say the same as refused ones out of the staged ones, whether or not a rule objects to them now. */
export async function leaveOutRefused(
  { part, from, to }: Range,
  { sourceId, has, trusted }: Pick<Holding, 'sourceId' | 'has' | 'trusted'>,
): Promise<number> {
  const { rows } = await part.client.query<{ row_no: number; asin: string }>(
    `select t.row_no, t.asin from ${part.table} t ${stored}
     where ${inRange} and ${differs} and ${wasRefused('$5', '$6')}`,
    [from, to, has.originalPrice, has.availability, sourceId, [...trusted]],
  )
  await removeRows(part, rows)
  return new Set(rows.map(({ asin }) => asin)).size
}
