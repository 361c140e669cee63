import { behind, unchangedRows } from './comparison-sql.ts'
import type { MergeCounts, MergeRules, Noted, StagedPart } from './merge-sql.ts'

type Counts = Pick<Noted, 'rows' | 'unchanged' | 'hidden' | 'over'>

/** The table beside a staged one in which its rows that change nothing are listed until they are taken out. */
export const unchangedList = (table: string) => `${table}_unchanged`

const creating = (table: string) =>
  `create temp table if not exists ${unchangedList(table)} (place tid, is_hidden boolean, is_over boolean)`

const countsOf = (list: string) =>
  `count(*) as unchanged, count(*) filter (where is_hidden) as hidden, count(*) filter (where is_over) as over from ${list}`

const finding = (table: string) => `with ${unchangedRows(table)},
  seen as (
    select count(*) as rows, coalesce(max(row_no), $2) as row, coalesce(max(ctid), $1::tid)::text as place
    from ${table} where ${behind}
  )`

const noting = (table: string) => `${finding(table)}, noted as (
    insert into ${unchangedList(table)} select place, old_availability is null, is_over from unchanged_rows returning *
  ), counts as (select ${countsOf('noted')})
  select * from seen, counts`

const listing = (table: string) => `${finding(table)}
  select *, array(select (place, old_availability is null, is_over)::text from unchanged_rows) as found from seen`

const repeated = (table: string) => `select asin from ${table} group by asin having count(*) > 1`

/** Rows of one item that came in different looks: in each of them it was the only one. */
const disowning = (table: string) => `with disowned as (
    delete from ${unchangedList(table)} where (place in (
      select ctid from ${table} where (asin in (${repeated(table)})) is true
    )) is true returning *
  )
  select 0 as rows, ${countsOf('disowned')}`

const takingOut = (table: string) =>
  `delete from ${table} t using ${unchangedList(table)} u where t.ctid = u.place`

/** Whether what was found by some rules holds by others. */
export const areSame = (one: MergeRules, other: MergeRules) =>
  (['domain', 'hasOriginalPrice', 'hasAvailability', 'keepsHistory'] as const).every(
    (rule) => one[rule] === other[rule],
  )

/** What a look has found, to be noted. */
type Found = Pick<Noted, 'rows' | 'row' | 'place'> & { found: string[] }

/** Looks through the rows of a staged table that no earlier look by the same rules has seen, and writes nothing. Samples count as gone. */
export async function findUnchanged(part: StagedPart, rules: MergeRules): Promise<Found> {
  return look<Found>(listing(part.table), part, rules)
}

/** Adds what a look has found, as far as the body is known, to what earlier ones by the same rules have. */
export async function noteUnchanged(part: StagedPart, rules: MergeRules, found: Found): Promise<Noted> {
  const { client, table } = part
  const earlier = await startOf(part, rules)
  const { rows } = await client.query<Counts>({
    text: `with noted as (
        insert into ${unchangedList(table)} select (row::${unchangedList(table)}).* from unnest($1::text[]) row returning *
      ) select 0 as rows, ${countsOf('noted')}`,
    values: [found.found],
  })
  if (!rows[0]) throw new Error('The list answered nothing')
  const counts = { ...rows[0], rows: found.rows }
  return { rules, place: found.place, row: found.row, ...combined(earlier, counts, 1) }
}

const earlierOf = ({ noted }: StagedPart, rules: MergeRules) =>
  noted && areSame(noted.rules, rules) ? noted : nothingYet(rules)

/** What earlier looks have found, in the list of the table; an empty list where these can't be relied on. */
async function startOf(part: StagedPart, rules: MergeRules): Promise<Noted> {
  const earlier = earlierOf(part, rules)
  await part.client.query(creating(part.table))
  if (earlier !== part.noted) await part.client.query(`truncate ${unchangedList(part.table)}`)
  return earlier
}

async function look<Row>(text: string, part: StagedPart, rules: MergeRules): Promise<Row> {
  const { place, row } = earlierOf(part, rules)
  const { domain, hasOriginalPrice, hasAvailability, keepsHistory } = rules
  const values = [place, row, domain, hasOriginalPrice, hasAvailability, true, keepsHistory]
  const { rows } = await part.client.query<Row & object>({ text, values })
  if (!rows[0]) throw new Error('The comparison answered nothing')
  return rows[0]
}

/**
 * Counts the rows of a staged table that merging would only count, and takes them out of it, unless they are all; inside the caller's
 * transaction. `left` is what is still to be merged. Samples count as gone.
 */
export async function takeOutUnchanged(
  part: StagedPart,
  rules: MergeRules,
): Promise<{ counts: MergeCounts; left: StagedPart }> {
  const { client, table } = part
  const { rows, unchanged, hidden, over } = await noteAll(part, rules)
  const left = rows - unchanged
  // Where nothing else is left, nobody looks at them again.
  if (left > 0 && unchanged > 0) await client.query(takingOut(table))
  await client.query(`drop table ${unchangedList(table)}`)
  return {
    counts: { unchanged, hidden, over, created: 0, updated: 0, superseded: 0, points: 0, recorded: [] },
    left: { client, table, count: left },
  }
}

async function noteAll(part: StagedPart, rules: MergeRules): Promise<Counts> {
  const { client, table, noted, count } = part
  const earlier = await startOf(part, rules)
  const all = combined(earlier, await look<Counts>(noting(table), part, rules), 1)
  if (!noted) return all
  // Should rows lie elsewhere than behind the last ones seen.
  if (all.rows !== count) return noteAll({ client, table, count }, rules)
  const { rowCount } = await client.query(`${repeated(table)} limit 1`)
  if (rowCount === 0) return all
  const { rows } = await client.query<Counts>(disowning(table))
  return rows[0] ? combined(all, rows[0], -1) : all
}

const nothingYet = (rules: MergeRules): Noted => ({
  ...{ rules, place: '(0,0)', row: -1 },
  ...{ rows: 0, unchanged: 0, hidden: 0, over: 0 },
})

function combined(one: Counts, other: Counts, sign: 1 | -1): Counts {
  return {
    rows: one.rows + sign * other.rows,
    unchanged: one.unchanged + sign * other.unchanged,
    hidden: one.hidden + sign * other.hidden,
    over: one.over + sign * other.over,
  }
}
