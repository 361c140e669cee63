import { carriedFields, fieldNames, mergedFields, stagedColumns, timeSql } from './fields.ts'
import { confirmedWithin, isGap } from './points-sql.ts'

/**
 * The columns of `deals` that an import compares, made ones too. When a deal was last said to be over is stored along with
 * each later sight, which alone is no change.
 */
const compared = [...fieldNames, 'product_url', 'first_seen', 'is_over']
export const written = [...compared, 'ended_at']
export const list = (names: readonly string[], prefix = '') => names.map((name) => prefix + name).join(', ')

/**
 * When a stored deal was last seen, where it was said to be over then: earlier releases left `ended_at` behind that sight, and
 * whatever is older would show the deal again. One that is over because its end has passed was not said to be.
 */
const overWhenLastSeen = 'case when d.is_over and (d.ends_at > now()) is not false then d.observed_at end'

/** Until when lists of everything have left out a stored deal that is over: they say so in its gap alone. A gap at its stated end is no such word. */
const overSinceSeen = `case when d.is_over then (
  select case when p.price is null and p.confirmed_until > d.observed_at and p.confirmed_until is distinct from d.ends_at then p.confirmed_until end
  from price_points p where p.deal_id = d.id order by p.seen_at desc limit 1) end`

/** The newest value of a field among the rows of an item. */
const newestOf = (name: string) =>
  `(array_agg(s.${name} order by s.observed desc) filter (where s.${name} is not null))[1] as ${name}`

const observedAt = `${timeSql('observed')} as observed_at`

/** What staged rows `n`, and in `h` what older ones say of the same items, come to against the stored deals `d`. */
const resulting = (sources: string, more = '') => `
    select ${more}d.id,
      -- Of a deal that is over, gaps may be known behind its last sight: from when it was said to be, and from its stated end.
      n.is_single and (d.id is null or n.observed_at > d.observed_at
        and (not d.is_over or n.is_over and n.observed_at >= greatest(d.ended_at, d.ends_at)) is true) as is_next,
      ${isGap('n')} as is_gap, n.asin, d.is_visible as old_is_visible, n.is_timed, n.title_folded as staged_folded, n.observed_at as sighted_at,
      greatest(n.observed_at, d.observed_at) as observed_at, ${mergedFields},
      'https://www.' || $3 || '/dp/' || n.asin as product_url, least(n.earliest, d.first_seen) as first_seen,
      greatest(case when n.is_over then n.observed_at end, d.ended_at, ${overWhenLastSeen}, ${overSinceSeen}) as ended_at,
      ${written.map((name) => `d.${name} as old_${name}`).join(', ')},
      d.observed_at as old_observed_at, d.last_updated as old_last_updated, d.is_blacklisted as old_is_blacklisted
    from ${sources}`

const judging = `judging as (
    -- Whoever saw it after it was said to be over saw another one.
    select coalesce(ended_at >= observed_at, false) or coalesce(ends_at <= now(), false) as is_over,
      case when not is_gap then price end as seen_price, case when not is_gap then original_price end as seen_original, *
    from resulting
  )`

const step = `case
        when id is null then 'create'
        when (${list(compared)}) is distinct from (${list(compared, 'old_')}) then 'update'
        -- A stated time is stored even when nothing else is new: what the source saw before it must not win later.
        when observed_at > old_observed_at + case when is_timed then interval '0' else ${confirmedWithin} end then 'touch'
        else 'keep'
      end`

/**
 * What each ASIN of a range comes to: the row observed last (the later of equals) against the stored deal, whose own
 * values are `old_…`.
 * Parameters: $1 from, $2 to, $3 domain, $4 has original prices, $5 has availability, $6 ignore the samples; $7 the import, where it writes.
 */
export const comparison = (table: string) => `
  series as materialized (
    select distinct on (asin, observed) *
    from ${table} where asin > $1 and ($2::text is null or asin <= $2)
    order by asin, observed desc, row_no desc
  ),
  newest as materialized (
    select distinct on (asin) *, ${observedAt}, count(*) over (partition by asin) = 1 as is_single,
      ${timeSql('least(min(first_seen) over (partition by asin), min(observed) over (partition by asin))')} as earliest
    from series order by asin, observed desc
  ),
  histories as materialized (
    select s.asin, ${carriedFields.map(newestOf).join(', ')}
    from newest n join series s on s.asin = n.asin where not n.is_single group by s.asin
  ),
  resulting as (${resulting('newest n left join histories h on h.asin = n.asin left join deals d on d.asin = n.asin and not ($6 and d.is_sample)')}),
  ${judging},
  compared as materialized (
    -- The parts below go through all rows by these first columns: PostgreSQL takes a row apart up to the last column it needs, of sixty.
    select
      ${step} as step, *
    from judging
  )`

const nothingOlder = stagedColumns
  .filter(({ name }) => carriedFields.some((field) => field === name))
  .map(({ name, type }) => `null::${type} as ${name}`)

/** Staged rows are written in the order of their numbers, one behind the other: by their places the others need not be read. */
export const behind = 'ctid >= $1::tid and row_no > $2'

/** Whether the history of a deal already says that its price was this one when the row saw it. */
const isConfirmed = `(
  select (p.price, p.original_price) is not distinct from (j.price, j.original_price) and p.confirmed_until + ${confirmedWithin} >= sighted_at
  from price_points p where p.deal_id = id and p.seen_at <= sighted_at order by p.seen_at desc limit 1)`

/**
 * The rows behind a position of a staged table, each at its `place`, that merging would only count: the only ones of their items there, which
 * change no column and either have no time of their own and come within an hour after the deal was seen, or are of the very time at which it
 * was last seen, on offer, with the price that its history has for that time (where the import keeps one).
 * Parameters: $1 the place and $2 the number of the last row before them; $3 to $6 as in `comparison`; $7 whether the import keeps history.
 */
export const unchangedRows = (table: string) => `
  single_rows as (
    select ctid as place, *, ${observedAt}, true as is_single, ${timeSql('least(first_seen, observed)')} as earliest
    from ${table} where ${behind}
      and asin not in (select asin from ${table} where ${behind} group by asin having count(*) > 1)
    -- Else each field would work out the times of its row again.
    offset 0
  ),
  resulting as (${resulting(
    `single_rows n cross join (select ${nothingOlder.join(', ')}) h
    join deals d on d.asin = n.asin and not ($6 and d.is_sample)`,
    'n.place, ',
  )}),
  ${judging},
  unchanged_rows as materialized (
    select place, is_over, old_availability from judging j where ${step} = 'keep' and (
      is_next or (sighted_at = old_observed_at and not is_gap and not is_over and (not $7 or ${isConfirmed}) is true)
    )
  )`
