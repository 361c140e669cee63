import type pg from 'pg'
import { prepared } from '../../../platform/database/prepared.ts'

/** What of a deal may be said outside of the site. */
export type Leaving = { price: boolean; picture: boolean; title: boolean }

// The sources that list a deal, and the one that its last price came from: by the run that imported it, or, where runs are forgotten,
// by its name. A source whose terms nobody knows any more lets nothing leave.
const leaving = prepared(
  'what may leave',
  `with origin as (
    select d.id, d.asin, i.id as import_id, i.handed_in_by from deals d
      left join lateral (
        select import_id from price_points where deal_id = d.id order by seen_at desc limit 1
      ) p on true left join imports i on i.id = p.import_id
    where d.id = any($1)
  ), terms as (
    select o.id, s.may_leave from origin o join source_deals l on l.asin = o.asin join sources s on s.id = l.source_id
    union all
    select o.id, coalesce(of_run.may_leave, named.may_leave, '{}') from origin o
      left join lateral (
        select s.may_leave from source_runs r join sources s on s.id = r.source_id where r.import_ids @> array[o.import_id] limit 1
      ) of_run on true left join sources named on named.name = substr(o.handed_in_by, 8)
    where o.handed_in_by like 'source %'
  )
  select id, bool_and('price' = any(may_leave)) as price, bool_and('picture' = any(may_leave)) as picture,
    bool_and('title' = any(may_leave)) as title
  from terms group by id`,
)

/** What may leave of these deals, by their ids: of several sources the strictest counts. A deal of no source isn't there; all of it may. */
export async function readLeaving(
  client: pg.Pool | pg.ClientBase,
  ids: readonly number[],
): Promise<Map<number, Leaving>> {
  const { rows } = await client.query<Leaving & { id: number }>({ ...leaving, values: [ids] })
  return new Map(rows.map(({ id, ...may }) => [id, may]))
}
