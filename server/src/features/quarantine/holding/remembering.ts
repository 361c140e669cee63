import type pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'
import { farTimes } from '../rules.ts'

/**
 * Remembers what was let through of other shops: stored it is a price of ours, which doesn't tell that the same was let through. And prices far
 * from the usual one: those that come after are measured by them.
 */
export async function rememberPassed(client: pg.ClientBase, ids: readonly number[]): Promise<void> {
  await client.query(
    `update quarantine set state = 'passed', decided_at = now()
     where id = any($1) and (deal ->> 'other_currency' is not null or deal ->> 'other_marketplace' is not null
       or rule in ('price_low', 'price_high') or exists (
         select from unnest(array[old ->> 'typical_price', old ->> 'price']::numeric[]) as usual
         where (deal ->> 'price')::numeric not between usual / $2 and usual * $2))`,
    [ids, farTimes],
  )
}

/** Remembers until when deals may be shown whose service says so, before they are: a release that is broken off leaves none for ever. */
export async function rememberTerms({ durablePool }: Databases, ids: readonly number[]): Promise<void> {
  await durablePool.query(
    `insert into source_deals as l (source_id, asin, listed_at, hide_at)
     select source_id, asin, (deal ->> 'listed_at')::timestamptz, (deal ->> 'hide_at')::timestamptz from quarantine
     where id = any($1) and deal ->> 'hide_at' is not null order by source_id, asin
     on conflict (source_id, asin) do update set listed_at = greatest(l.listed_at, excluded.listed_at),
       hide_at = greatest(l.hide_at, excluded.hide_at)`,
    [ids],
  )
}

/** Where two sources call an item by two titles, the one that is let through is this source's from then on. */
export async function rememberTitles({ durablePool }: Databases, ids: readonly number[]): Promise<void> {
  await durablePool.query(
    `update source_titles s set title = q.deal ->> 'title', said_at = now() from quarantine q
     where q.id = any($1) and s.source_id = q.source_id and s.asin = q.asin`,
    [ids],
  )
}
