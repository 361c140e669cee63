import { behind, unchangedRows } from './comparison-sql.ts'
import type { MergeCounts, MergeRules, Noted, StagedPart } from './merge-sql.ts'

type Counts = Pick<Noted, 'rows' | 'unchanged' | 'hidden' | 'over'>

const listOf = (table: string) => `${table}_unchanged`

const creating = (table: string) =>
  `create temp table if not exists ${listOf(table)} (place tid, is_hidden boolean, is_over boolean)`

const countsOf = (list: string) =>
  `count(*) as unchanged, count(*) filter (where is_hidden) as hidden, count(*) filter (where is_over) as over from ${list}`

const noting = (table: string) => `with ${unchangedRows(table)},
  noted as (
    insert into ${listOf(table)} select place, old_availability is null, is_over from unchanged_rows returning *
  ),
  seen as (
    select count(*) as rows, coalesce(max(row_no), $2) as row, coalesce(max(ctid), $1::tid)::text as place
    from ${table} where ${behind}
  ),
  counts as (select ${countsOf('noted')})
  select * from seen, counts`

const repeated = (table: string) => `select asin from ${table} group by asin having count(*) > 1`

/** Rows of one item that came in different looks: in each of them it was the only one. */
const disowning = (table: string) => `with disowned as (
    delete from ${listOf(table)} where (place in (
      select ctid from ${table} where (asin in (${repeated(table)})) is true
    )) is true returning *
  )
  select 0 as rows, ${countsOf('disowned')}`

const takingOut = (table: string) => `delete from ${table} t using ${listOf(table)} u where t.ctid = u.place`

const areSame = (one: MergeRules, other: MergeRules) =>
  (['domain', 'hasOriginalPrice', 'hasAvailability', 'keepsHistory'] as const).every(
    (rule) => one[rule] === other[rule],
  )

/**
 * Looks through the rows of a staged table that no earlier look by the same rules has seen, inside the caller's transaction, and adds what it
 * found, as far as the body is known. Samples count as gone.
 */
export async function noteUnchanged({ client, table, noted }: StagedPart, rules: MergeRules): Promise<Noted> {
  await client.query(creating(table))
  const earlier = noted && areSame(noted.rules, rules) ? noted : nothingYet(rules)
  if (noted && earlier !== noted) await client.query(`truncate ${listOf(table)}`)
  const { domain, hasOriginalPrice, hasAvailability, keepsHistory } = rules
  const { rows } = await client.query<Counts & { row: number; place: string }>({
    text: noting(table),
    values: [earlier.place, earlier.row, domain, hasOriginalPrice, hasAvailability, true, keepsHistory],
  })
  const [found] = rows
  if (!found) throw new Error('The comparison answered nothing')
  return { rules, place: found.place, row: found.row, ...combined(earlier, found, 1) }
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
  await client.query(`drop table ${listOf(table)}`)
  return {
    counts: { unchanged, hidden, over, created: 0, updated: 0, superseded: 0, points: 0, recorded: [] },
    left: { client, table, count: left },
  }
}

async function noteAll(part: StagedPart, rules: MergeRules): Promise<Counts> {
  const { client, table } = part
  const noted = await noteUnchanged(part, rules)
  if (!part.noted) return noted
  // Should rows lie elsewhere than behind the last ones seen.
  if (noted.rows !== part.count) {
    await client.query(`truncate ${listOf(table)}`)
    return noteUnchanged({ client, table, count: part.count }, rules)
  }
  const { rowCount } = await client.query(`${repeated(table)} limit 1`)
  if (rowCount === 0) return noted
  const { rows } = await client.query<Counts>(disowning(table))
  return rows[0] ? combined(noted, rows[0], -1) : noted
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
