import type { VerdictKind } from '@dealdeck/contract/prices'
import { prepared } from '../../../platform/database/prepared.ts'
import type { DealWrites } from '../actions.ts'
import { missingKeys } from '../rules.ts'
import { verdictFacts } from './old-facts.ts'
import { queryRecorded, recordedIds, recordedState, recording } from './recording.ts'

/** What a deal's prices say, as it is stored. Times in ISO 8601; null where too little is known. */
export type StoredVerdict = {
  deal_id: number
  /** `due_at` as it was when the points were read: where it is another by now, there is news and this is not stored. */
  was_due: string
  /** In how many milliseconds it is due again; null where only news can make it another. */
  due_in_ms: number | null
  computed_at: string
  kind: VerdictKind | null
  watched_since: string | null
  coverage_90: number | null
  typical: number | null
  low_30: number | null
  low_30_at: string | null
  low_90: number | null
  low_90_at: string | null
  low_365: number | null
  low_365_at: string | null
  /** What stands in the deal's JSON, as JSON. */
  verdict: string | null
}

// In the order of `Object.keys` of the type above; the types are those of the table.
const figures = {
  computed_at: 'timestamptz',
  kind: 'text',
  watched_since: 'timestamptz',
  coverage_90: 'real',
  typical: 'numeric',
  low_30: 'numeric',
  low_30_at: 'timestamptz',
  low_90: 'numeric',
  low_90_at: 'timestamptz',
  low_365: 'numeric',
  low_365_at: 'timestamptz',
} as const
const names = Object.keys(figures)
const types = Object.entries(figures).map(([name, type]) => `${name} ${type}`)

/** What of a deal's row is made of its verdict, the JSON of the SQL text `verdict`. */
export const verdictColumns = (verdict: string): string => {
  const of = (name: string) => `(${verdict})::json ->> '${name}'`
  return `verdict = ${verdict}, verdict_kind = ${of('kind')},
    best_order = coalesce((${of('best')})::numeric, ${missingKeys.best}), under_typical = (${of('under_typical')})::smallint,
    low_days = (${of('low_days')})::smallint, price_drop = (${of('drop')})::smallint,
    dropped_at = (${of('dropped_at')})::timestamptz`
}

// A connection plans it once, maybe while there are few deals: the ids stand beside what they are joined with, and `enable_seqscan` is
// off, or it would go through all of them when there are many.
const storing = prepared(
  'store verdicts',
  `with given as materialized (
    select * from json_to_recordset($1::json) as v(deal_id bigint, was_due timestamptz, due_in_ms float8, verdict text,
      ${types.join(', ')})
  ), unmarked as materialized (
    -- By rising id, as they are marked. What somebody is marking due just now is judged anew anyway.
    select deal_id from price_verdicts where deal_id = any($2::bigint[]) order by deal_id for update skip locked
  ), judged as (
    update price_verdicts p set due_at = coalesce(now() + g.due_in_ms * interval '1 millisecond', 'infinity'), ${names.map((name) => `${name} = g.${name}`).join(', ')}
    from given g join unmarked using (deal_id) where p.deal_id = any($2::bigint[]) and p.deal_id = g.deal_id and p.due_at = g.was_due
    returning p.deal_id, g.verdict
  ), changed as (
    -- What nobody would see differently is no change: the figures alone move each day.
    update deals d set ${verdictColumns('j.verdict')} from judged j join deals o on o.id = j.deal_id
    where o.id = any($2::bigint[]) and d.id = any($2::bigint[]) and d.id = o.id and o.verdict is distinct from j.verdict
    returning d.id as deal_id, ${recordedState('old', (field) => `d.${field}`, `case when d.is_visible then ${verdictFacts((column) => `o.${column}`)} end`)},
      ${recordedState('new', (field) => `d.${field}`)}
  ), ${recording()}
  select (select count(*) from judged) as judged, (select count(*) from changed) as changed, ${recordedIds}`,
)

/** Stores verdicts, and those that read differently in their deals. Returns how many of both. */
export async function storeVerdicts(
  writes: DealWrites,
  verdicts: readonly StoredVerdict[],
): Promise<{ judged: number; changed: number }> {
  await writes.client.query('set local enable_seqscan = off')
  const { judged = 0, changed = 0 } =
    (await queryRecorded<{ judged: number; changed: number }>(writes, storing, [
      JSON.stringify(verdicts),
      verdicts.map(({ deal_id }) => deal_id),
    ])) ?? {}
  return { judged, changed }
}

/** Marks the point of a deal seen at that time, in ISO 8601, as wrong or not. Returns what it was; undefined where there is none. */
export async function markPoint(
  { client }: DealWrites,
  { id, seen_at, is_wrong }: { id: number; seen_at: string; is_wrong: boolean },
): Promise<{ asin: string; price: number | null; was_wrong: boolean } | undefined> {
  const { rows } = await client.query<{ asin: string; price: number | null; was_wrong: boolean }>(
    `with before as (
       select p.deal_id, p.seen_at, p.price, p.is_wrong, d.asin from price_points p join deals d on d.id = p.deal_id
       where p.deal_id = $1 and p.seen_at = $2::timestamptz
     ), marked as (
       update price_points p set is_wrong = $3 from before b where p.deal_id = b.deal_id and p.seen_at = b.seen_at
     ) select asin, price, is_wrong as was_wrong from before`,
    [id, seen_at, is_wrong],
  )
  return rows[0]
}
