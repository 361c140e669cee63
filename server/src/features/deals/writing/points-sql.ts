import { priceGraceMs } from '@dealdeck/contract/price-times'
import { stillOriginal, timeSql } from './fields.ts'

/**
 * A price that is seen again is confirmed to within this time, and a deal's last sight without a time is as exact, so that
 * the same body soon again writes nothing.
 */
export const confirmedWithin = "interval '1 hour'"

/** The same price seen again after a longer silence is a point of its own: nobody knows what it was meanwhile. */
export const longestSilence = `interval '${priceGraceMs / 3_600_000} hours'`

/** So many of the newest points say whether a price that comes again was wrong when it was there last. */
const lookedBackAt = 100

/** Whether a staged row says that the deal was not offered when it was seen: a gap in the history of its price. */
export const isGap = (row: string) =>
  `(${row}.is_over or ${row}.ends_at <= ${row}.observed or ($5 and ${row}.availability is null)) is true`

/** Whether a deal's stated end, after its last sight, lies in the past: a gap begins there. */
const hasPassed = (lastSight: string) => `(ends_at <= now() and ends_at > ${lastSight}) is true`

/** What is left of an original price beside the price of a staged row that says nothing of one. */
const stillShown = (original: string) =>
  `case when ${stillOriginal(original, 's.price')} then ${original} end`

/**
 * Of a body whose history may not be kept: no gap lasts until an end that it puts off, which leaves the deal on offer. Such a deal has no
 * points behind its last sight, which later sights rely on.
 */
export const unbegunGaps = `
  put_off as materialized (
    select p.place, p.seen_at < c.old_ends_at as has_begun from (
      select id, old_ends_at from compared
      where step = 'update' and old_ends_at > observed_at and ends_at is distinct from old_ends_at and not is_over and not is_gap
    ) c cross join lateral (
      select ctid as place, seen_at, price, confirmed_until from price_points
      where deal_id = c.id and seen_at <= c.old_ends_at order by seen_at desc limit 1
    ) p
    where p.price is null and coalesce(p.confirmed_until, p.seen_at) = c.old_ends_at
  ),
  unbegun_gaps as (
    delete from price_points where ctid = any (array(select place from put_off where not has_begun))
  ),
  shortened_gaps as (
    update price_points set confirmed_until = seen_at where ctid = any (array(select place from put_off where has_begun))
  ),`

/** The points of a body whose history may be kept; a price is null where the deal was not offered. */
export const points = `
  appended as (
    -- Mostly an item is sighted once, after all that is known of it: only its last price is asked for.
    select c.id, c.sighted_at, c.seen_price as price, c.seen_original as original_price, l.seen_at, l.confirmed_until, l.is_wrong,
      l.seen_at is not null and (l.price, l.original_price) is not distinct from (c.seen_price, c.seen_original)
        and c.sighted_at <= coalesce(l.confirmed_until, l.seen_at) + ${longestSilence} as is_same
    from compared c left join lateral (
      select p.seen_at, p.price, p.original_price, p.confirmed_until, p.is_wrong from price_points p
      where p.deal_id = c.id order by p.seen_at desc limit 1
    ) l on true
    where c.is_next and c.step in ('update', 'touch')
    union all
    select deal_id, sighted_at, new_price, new_original_price, null, null, false, false from inserted
    where asin not in (select asin from compared where id is null and (is_gap or not is_next))
    union all
    select deal_id, sighted_at, null, null, null, null, false, false from inserted
    -- Not as a join: PostgreSQL expects hardly any rows here, and would go through all of one part for each of the other.
    where (asin in (select asin from compared where id is null and is_gap and is_next)) is true
    union all
    select id, ends_at, null, null, null, null, false, false from compared
    where is_next and step in ('update', 'touch') and not is_gap and ${hasPassed('observed_at')}
    union all
    select deal_id, ends_at, null, null, null, null, false, false from inserted
    where ${hasPassed('sighted_at')} and asin not in (select asin from compared where id is null and (is_gap or not is_next))
  ),
  known as (
    select asin, deal_id as id, old_original_price, null::timestamptz as old_observed_at, case when ${hasPassed('sighted_at')} then ends_at end as passed_end,
      null::timestamptz as moved_end
    from inserted where (asin in (select asin from compared where id is null and not is_next)) is true
    union all
    select asin, id, old_original_price, old_observed_at, case when ${hasPassed('observed_at')} then ends_at end,
      case when old_ends_at > observed_at and ends_at is distinct from old_ends_at then old_ends_at end
    from compared where id is not null and not is_next
  ),
  stored as materialized (
    -- Deal by deal: as a join it may become a scan of all points, in each chunk, while PostgreSQL doesn't know yet how many there are.
    select p.* from (select id from compared where id is not null and not is_next) c cross join lateral (
      select ctid as place, deal_id as id, seen_at, price, original_price, confirmed_until, is_wrong
      from price_points where deal_id = c.id offset 0
    ) p
  ),
  ended as (
    -- Stated ends that passed before the next sight: later rows, which are all that the deal keeps, say nothing of them. A row without one goes on with
    -- the last that was stated.
    select id, ${timeSql('stated')} as ended_at from (
      select *, max(ends_at) over (partition by id, told) as stated,
        coalesce(${timeSql('lead(observed) over (partition by id order by observed)')}, old_observed_at) as next_at
      from (
        select k.id, k.old_observed_at, s.observed, s.ends_at, count(s.ends_at) over (partition by k.id order by s.observed) as told
        from series s join known k on k.asin = s.asin
      ) given
    ) told
    where stated > observed and ${timeSql('stated')} < next_at and ${timeSql('stated')} <= now()
      -- What was seen meanwhile may have had another end.
      and not exists (
        select from price_points p where p.deal_id = told.id and p.seen_at <= ${timeSql('told.stated')} and p.price is not null
          and greatest(p.seen_at, p.confirmed_until) > ${timeSql('told.observed')}
      )
  ),
  sightings as (
    select k.id, ${timeSql('s.observed')} as seen_at, case when not ${isGap('s')} then s.price end as price,
      case when ${isGap('s')} then null when $4 then s.original_price
        -- Without a word of it, it is the one that was shown then: the deal's own may have come later.
        when ${timeSql('s.observed')} >= k.old_observed_at then ${stillShown('k.old_original_price')}
        else (
          select ${stillShown('p.original_price')} from price_points p
          where p.deal_id = k.id and p.seen_at <= ${timeSql('s.observed')} and p.price is not null and not p.is_wrong
          order by p.seen_at desc limit 1
        ) end as original_price,
      true as is_new, false as is_wrong, ${timeSql('s.observed')} as known_until
    from series s join known k on k.asin = s.asin
    union all select id, ended_at, null, null, true, false, ended_at from ended
    union all select id, passed_end, null, null, true, false, passed_end from known where passed_end is not null
    union all select id, seen_at, price, original_price, false, is_wrong, coalesce(confirmed_until, seen_at) from stored s
    -- A gap at an end that was put off never began, and none lasted until then.
    where price is not null or (id, seen_at) not in (select id, moved_end from known where moved_end is not null)
    -- Seen again then, so that another price in between doesn't take it away.
    union all select id, confirmed_until, price, original_price, false, is_wrong, confirmed_until from stored where confirmed_until > seen_at
      and (price is not null or (id, confirmed_until) not in (select id, moved_end from known where moved_end is not null))
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
        or (price, original_price) is distinct from (lag(price) over w, lag(original_price) over w)
        or seen_at > max(known_until) over (w rows between unbounded preceding and 1 preceding) + ${longestSilence} as begins
    from timeline window w as (partition by id order by seen_at, is_new)
  ),
  runs as (
    select id, min(seen_at) as begun_at, max(seen_at) as ended_at, min(price) as price, min(original_price) as original_price,
      bool_or(is_new) as is_seen, bool_and(is_wrong) filter (where not is_new) as is_wrong
    from (select *, count(*) filter (where begins) over w as run from steps window w as (partition by id order by seen_at, is_new)) numbered
    group by id, run
  ),
  marked_runs as (
    -- A price that was wrong when it was there last is wrong again.
    select r.id, r.begun_at, r.price, r.original_price, r.ended_at, r.is_seen, r.is_wrong as was_wrong,
      coalesce(first_value(r.is_wrong) over (partition by id, price, told order by begun_at), false) as is_wrong
    from (
      select *, count(is_wrong) over (partition by id, price order by begun_at) as told from runs
    ) r
  ),
  points as (
    insert into price_points as p (deal_id, seen_at, price, original_price, confirmed_until, is_wrong, import_id)
    select *, $7::bigint from (
      select r.id, r.begun_at, r.price, r.original_price, r.ended_at,
        -- A mark stays with its price, unless that turns out to be one with what was right.
        case when s.id is not null and (s.price, s.original_price) is not distinct from (r.price, r.original_price)
          then s.is_wrong and r.was_wrong is not false else r.is_wrong end
      -- By the index, as few rows are merged without hash joins: of a long history each run would be compared with each point.
      from marked_runs r left join lateral (
        select p.deal_id as id, p.price, p.original_price, p.confirmed_until, p.is_wrong from price_points p
        where p.deal_id = r.id and p.seen_at = r.begun_at offset 0
      ) s on true
      where s.id is null or (s.price, s.original_price) is distinct from (r.price, r.original_price)
        or r.ended_at < s.confirmed_until or r.ended_at > s.confirmed_until + ${confirmedWithin}
        or (r.is_seen and s.confirmed_until is null)
      union all
      select id, case when is_same then seen_at else sighted_at end, price, original_price, sighted_at,
        case when is_same then is_wrong else coalesce((
          select was.is_wrong from (
            select p.price, p.is_wrong, p.seen_at from price_points p where p.deal_id = a.id order by p.seen_at desc limit ${lookedBackAt}
          ) was where was.price = a.price order by was.seen_at desc limit 1
        ), false) end
      from appended a
      where not is_same or confirmed_until is null or sighted_at > confirmed_until + ${confirmedWithin}
    ) made
    order by id, begun_at
    on conflict (deal_id, seen_at) do update set
      price = excluded.price, original_price = excluded.original_price, confirmed_until = excluded.confirmed_until,
      import_id = case when (p.price, p.original_price) is distinct from (excluded.price, excluded.original_price)
        then excluded.import_id else p.import_id end,
      is_wrong = excluded.is_wrong
    returning deal_id, import_id
  ),
  merged_points as (
    -- What was held to be the beginning of a price, until it was seen before as well.
    -- By where they lie: nobody else moves them meanwhile, and a join may become the same scan.
    delete from price_points where ctid = any (array(
      select place from stored where (id, seen_at) not in (select id, begun_at from runs)
    ))
  ),`
