import type pg from 'pg'
import { unwaited } from '../../../platform/database/database.ts'
import { carriedFields, fieldNames, mergedFields, stillOriginal, timeSql } from './fields.ts'
import { noState, recordedIds, recordedState, recording } from './recording.ts'

// What foldText leaves of a title in plain ASCII, PostgreSQL makes of it by itself.
const foldedTitle = (staged: string) => `coalesce(${staged}, lower(title collate "C"))`

/** What holds for all rows of a body: which of the fields that an empty cell clears it has a column for, and which import it is. */
export type MergeRules = {
  domain: string
  hasOriginalPrice: boolean
  hasAvailability: boolean
  /** Whether what it saw may be kept as history: without it, it writes no price points. */
  keepsHistory: boolean
  importId: number | null
}

/** Some staged rows: `count` of them, in the temporary `table` of a connection, with the `stagedColumns`. */
export type StagedPart = { client: pg.ClientBase; table: string; count: number }

/** Some ASINs of a staged part, in order: above `from`, up to and with `to` (null: to the end). */
export type Range = { part: StagedPart; from: string; to: string | null }

export type MergeCounts = {
  created: number
  updated: number
  unchanged: number
  superseded: number
  hidden: number
  over: number
  recorded: number[]
}

/**
 * The columns of `deals` that an import compares, made ones too. When a deal was last said to be over is stored along with
 * each later sight, which alone is no change.
 */
const compared = [...fieldNames, 'product_url', 'first_seen', 'is_over']
const written = [...compared, 'ended_at']
const list = (names: readonly string[], prefix = '') => names.map((name) => prefix + name).join(', ')

/**
 * A price that is seen again is confirmed to within this time, and a deal's last sight without a time is as exact, so that
 * the same body soon again writes nothing.
 */
const confirmedWithin = "interval '1 hour'"

/**
 * When a stored deal was last seen, where it was said to be over then: earlier releases left `ended_at` behind that sight, and
 * whatever is older would show the deal again. One that is over because its end has passed was not said to be.
 */
const overWhenLastSeen = 'case when d.is_over and (d.ends_at > now()) is not false then d.observed_at end'

/** Whether a staged row says that the deal was not offered when it was seen: a gap in the history of its price. */
const isGap = (row: string) =>
  `(${row}.is_over or ${row}.ends_at <= ${row}.observed or ($5 and ${row}.availability is null)) is true`

/** The newest value of a field among the rows of an item. */
const newestOf = (name: string) =>
  `(array_agg(s.${name} order by s.observed desc) filter (where s.${name} is not null))[1] as ${name}`

/**
 * What each ASIN of a range comes to: the row observed last (the later of equals) against the stored deal, whose own
 * values are `old_…`.
 * Parameters: $1 from, $2 to, $3 domain, $4 has original prices, $5 has availability, $6 ignore the samples; $7 the import, where it writes.
 */
const comparison = (table: string) => `
  series as materialized (
    select distinct on (asin, observed) *
    from ${table} where asin > $1 and ($2::text is null or asin <= $2)
    order by asin, observed, row_no desc
  ),
  newest as materialized (
    select distinct on (asin) *, ${timeSql('observed')} as observed_at, count(*) over (partition by asin) = 1 as is_single,
      ${timeSql('least(min(first_seen) over (partition by asin), min(observed) over (partition by asin))')} as earliest
    from series order by asin, observed desc
  ),
  histories as materialized (
    select s.asin, ${carriedFields.map(newestOf).join(', ')}
    from newest n join series s on s.asin = n.asin where not n.is_single group by s.asin
  ),
  resulting as (
    select n.asin, n.title_folded as staged_folded, n.is_timed, d.id, d.is_visible as old_is_visible,
      n.observed_at as sighted_at, n.is_single and (d.id is null or n.observed_at > d.observed_at) as is_next,
      greatest(n.observed_at, d.observed_at) as observed_at, ${mergedFields},
      ${isGap('n')} as is_gap, 'https://www.' || $3 || '/dp/' || n.asin as product_url, least(n.earliest, d.first_seen) as first_seen,
      greatest(case when n.is_over then n.observed_at end, d.ended_at, ${overWhenLastSeen}) as ended_at,
      ${written.map((name) => `d.${name} as old_${name}`).join(', ')},
      d.observed_at as old_observed_at, d.is_blacklisted as old_is_blacklisted
    from newest n left join histories h on h.asin = n.asin left join deals d on d.asin = n.asin and not ($6 and d.is_sample)
  ),
  judging as (
    -- Whoever saw it after it was said to be over saw another one.
    select *, coalesce(ended_at >= observed_at, false) or coalesce(ends_at <= now(), false) as is_over,
      case when not is_gap then price end as seen_price, case when not is_gap then original_price end as seen_original
    from resulting
  ),
  compared as materialized (
    select *,
      case
        when id is null then 'create'
        when (${list(compared)}) is distinct from (${list(compared, 'old_')}) then 'update'
        -- A stated time is stored even when nothing else is new: what the source saw before it must not win later.
        when observed_at > old_observed_at + case when is_timed then interval '0' else ${confirmedWithin} end then 'touch'
        else 'keep'
      end as step
    from judging
  )`

const counts = (table: string) => `
  count(*) filter (where step = 'create') as created, count(*) filter (where step = 'update') as updated,
  count(*) filter (where step in ('keep', 'touch')) as unchanged,
  (select count(*) from ${table} where asin > $1 and ($2::text is null or asin <= $2)) - count(*) as superseded,
  count(*) filter (where case when step in ('create', 'update') then availability is null else old_availability is null end) as hidden,
  count(*) filter (where is_over) as over`

const sides = (['old', 'new'] as const).map((side) => recordedState(side, (field) => `${side}_${field}`))
const changedFrom = (part: string) => `select deal_id, ${sides.join(', ')} from ${part}`

/** The points of a body whose history may be kept; a price is null where the deal was not offered. */
const points = `
  appended as (
    -- Mostly an item is sighted once, after all that is known of it: only its last price is asked for.
    select c.id, c.sighted_at, c.seen_price as price, c.seen_original as original_price, l.seen_at, l.confirmed_until,
      l.seen_at is not null and (l.price, l.original_price) is not distinct from (c.seen_price, c.seen_original) as is_same
    from compared c left join lateral (
      select p.seen_at, p.price, p.original_price, p.confirmed_until from price_points p
      where p.deal_id = c.id order by p.seen_at desc limit 1
    ) l on true
    where c.is_next and c.step in ('update', 'touch')
    union all
    select deal_id, sighted_at, new_price, new_original_price, null, null, false from inserted
    where asin not in (select asin from compared where id is null and (is_gap or not is_next))
    union all
    select deal_id, sighted_at, null, null, null, null, false from inserted
    -- Not as a join: PostgreSQL expects hardly any rows here, and would go through all of one part for each of the other.
    where (asin in (select asin from compared where id is null and is_gap and is_next)) is true
  ),
  known as (
    select asin, deal_id as id, old_original_price from inserted
    where (asin in (select asin from compared where id is null and not is_next)) is true
    union all select asin, id, old_original_price from compared where id is not null and not is_next
  ),
  stored as materialized (
    select deal_id as id, seen_at, price, original_price, confirmed_until, is_wrong from price_points
    where deal_id in (select id from compared where id is not null and not is_next)
  ),
  sightings as (
    select k.id, ${timeSql('s.observed')} as seen_at, case when not ${isGap('s')} then s.price end as price,
      case when ${isGap('s')} then null when $4 then s.original_price
        when ${stillOriginal('k.old_original_price', 's.price')} then k.old_original_price end as original_price,
      true as is_new, false as is_wrong
    from series s join known k on k.asin = s.asin
    union all select id, seen_at, price, original_price, false, is_wrong from stored
    -- Seen again then, so that another price in between doesn't take it away.
    union all select id, confirmed_until, price, original_price, false, is_wrong from stored where confirmed_until > seen_at
  ),
  timeline as (
    -- At one and the same time the new word counts.
    select * from (
      select *, lead(seen_at) over w is not distinct from seen_at as is_corrected
      from sightings window w as (partition by id order by seen_at, is_new)
    ) told where not is_corrected
  ),
  steps as (
    select *, lag(id) over w is null
        or (price, original_price) is distinct from (lag(price) over w, lag(original_price) over w) as begins
    from timeline window w as (partition by id order by seen_at, is_new)
  ),
  runs as (
    select id, min(seen_at) as begun_at, max(seen_at) as ended_at, min(price) as price, min(original_price) as original_price,
      bool_or(is_new) as is_seen, coalesce(bool_and(is_wrong) filter (where not is_new), false) as is_wrong
    from (select *, count(*) filter (where begins) over w as run from steps window w as (partition by id order by seen_at, is_new)) numbered
    group by id, run
  ),
  points as (
    insert into price_points as p (deal_id, seen_at, price, original_price, confirmed_until, is_wrong, import_id)
    select *, $7::bigint from (
      select r.id, r.begun_at, r.price, r.original_price, r.ended_at, r.is_wrong
      from runs r left join stored s on s.id = r.id and s.seen_at = r.begun_at
      where s.id is null or (s.price, s.original_price) is distinct from (r.price, r.original_price)
        or r.ended_at < s.confirmed_until or r.ended_at > s.confirmed_until + ${confirmedWithin}
        or (r.is_seen and s.confirmed_until is null)
      union all
      select id, case when is_same then seen_at else sighted_at end, price, original_price, sighted_at, false from appended
      where not is_same or confirmed_until is null or sighted_at > confirmed_until + ${confirmedWithin}
    ) made
    order by id, begun_at
    on conflict (deal_id, seen_at) do update set
      price = excluded.price, original_price = excluded.original_price, confirmed_until = excluded.confirmed_until,
      import_id = case when (p.price, p.original_price) is distinct from (excluded.price, excluded.original_price)
        then excluded.import_id else p.import_id end,
      is_wrong = case when (p.price, p.original_price) is distinct from (excluded.price, excluded.original_price)
        then excluded.is_wrong else p.is_wrong end
    returning deal_id
  ),
  merged_points as (
    -- What was held to be the beginning of a price, until it was seen before as well.
    delete from price_points p using stored s
    where p.deal_id = s.id and p.seen_at = s.seen_at
      and not exists (select from runs r where r.id = s.id and r.begun_at = s.seen_at)
  ),`

const writes = (history: string) => `,
  folded as (
    select c.*, ${foldedTitle('staged_folded')} as title_folded from compared c where step in ('create', 'update')
  ),
  judged as (
    select f.*,
      case when step = 'update' and title = old_title then old_is_blacklisted
        else exists (select from blacklisted_words w where w.is_active and strpos(f.title_folded, w.word) > 0)
      end as is_blacklisted
    from folded f
  ),
  inserted as (
    insert into deals (asin, title_folded, observed_at, is_blacklisted, ${list(written)})
    select asin, title_folded, observed_at, is_blacklisted, ${list(written)}
    from judged where step = 'create' order by asin
    returning asin, id as deal_id, observed_at as sighted_at, ${noState('old')}, ${recordedState('new', (field) => field)}
  ),
  updated as (
    update deals d set title_folded = j.title_folded, is_blacklisted = j.is_blacklisted, observed_at = j.observed_at,
      last_updated = now(), ${written.map((name) => `${name} = j.${name}`).join(', ')}
    from judged j where j.step = 'update' and d.id = j.id
    returning d.id as deal_id, ${recordedState('old', (field) => `j.old_${field}`)},
      ${recordedState('new', (field) => `d.${field}`)}
  ),
  touched as (
    -- With both times, as is_over follows from their order: else whatever is older and comes later would show a deal that is over.
    update deals d set observed_at = c.observed_at, ended_at = c.ended_at from compared c where c.step = 'touch' and d.id = c.id
    returning d.id, d.is_visible
  ),
${history}
  changed as (
    ${changedFrom('inserted')} union all ${changedFrom('updated')}
  ),
  seen_again as (
    select id from touched where is_visible
    ${history && "union all select id from compared where step = 'keep' and old_is_visible and (id in (select deal_id from points)) is true"}
  ), ${recording({ importId: '$7::bigint', confirmed: 'array(select id from seen_again)' })}`

const mergeSql = (table: string, { keepsHistory }: MergeRules) =>
  `with ${comparison(table)}${writes(keepsHistory ? points : '')} select ${counts(table)}, ${recordedIds} from compared`
const compareSql = (table: string) =>
  `with ${comparison(table)} select ${counts(table)}, '{}'::bigint[] as recorded from compared`

/** Writes a range of the staged rows into deals and price points, inside the caller's transaction. */
export async function mergeRange(range: Range, rules: MergeRules): Promise<MergeCounts> {
  return run(mergeSql(range.part.table, rules), range, rules, false, rules.importId)
}

/** What `mergeRange` would come to, without writing; sample deals count as gone, as they will be. */
export async function compareRange(range: Range, rules: MergeRules): Promise<MergeCounts> {
  return run(compareSql(range.part.table), range, rules, true)
}

/** Makes the words of all staged titles known to the search, before any deal has them; commits at once. */
export async function learnWords({ client, table }: StagedPart): Promise<void> {
  await client.query(
    `${unwaited} insert into title_words
     select distinct piece from ${table}, unnest(string_to_array(${foldedTitle('title_folded')}, ' ')) as piece
     where not exists (select from title_words known where known.word = piece)
     -- In one order for everybody: imports at the same time wait for each other's new words, never in a circle.
     order by piece on conflict do nothing`,
  )
}

/** The next range of about `size` rows above an ASIN, never cutting an ASIN's rows apart. */
export async function nextRange(part: StagedPart, from: string, size: number): Promise<Range> {
  const { rows } = await part.client.query<{ asin: string }>(
    `select asin from ${part.table} where asin > $1 order by asin offset $2 limit 1`,
    [from, size],
  )
  return { part, from, to: rows[0]?.asin ?? null }
}

async function run(
  sql: string,
  { part, from, to }: Range,
  rules: MergeRules,
  isDry: boolean,
  ...more: unknown[]
): Promise<MergeCounts> {
  const values = [from, to, rules.domain, rules.hasOriginalPrice, rules.hasAvailability, isDry, ...more]
  const { rows } = await part.client.query<MergeCounts>(sql, values)
  const found = rows[0]
  if (!found) throw new Error('The merge answered nothing')
  return found
}
