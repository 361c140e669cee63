import type pg from 'pg'
import type { CollectedFor } from '../../../platform/database/alert-tables.ts'

/** What waits for a time, and is sent then with all that waits for the same. */
export type Hold = {
  kind: 'list' | 'digest'
  until: Date
  /** Null: what matched when an alert was made. */
  collectedFor: CollectedFor | null
  /** The same for people. */
  reason: string
}

type Held = {
  destinationId: number
  dealId: number
  episodeId: number
  alertIds: readonly number[]
  /** What the deal costs as it is told of; null: an earlier version didn't write that down. */
  price: number | null
}

/** Puts deals on the list, or digest, that their destination is sent at that time, and makes it where there is none. */
export async function holdDeals(
  client: pg.ClientBase,
  held: readonly (Held & { hold: Hold })[],
): Promise<void> {
  if (held.length === 0) return
  // Whoever sends takes a list by its row: nothing is put on one that is on its way. By rising id, as several may do this.
  await client.query(
    `with given as materialized (
       select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::json[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::numeric[])
         as given (destination_id, deal_id, episode_id, alert_ids, kind, until, collected_for, reason, price)
     ), list as (
       insert into deliveries (destination_id, kind, state, reason, next_at, collected_for, waits_for)
       select distinct on (destination_id, kind, until) destination_id, kind, 'held', reason, until, collected_for,
         case when collected_for in ('quiet', 'pause') then collected_for end
       from given
       -- A digest of a day and one of a week that come at the same time are one, of the week.
       order by destination_id, kind, until, collected_for is distinct from 'weekly'
       on conflict (destination_id, kind, next_at) where state = 'held' do update set updated_at = now(),
         collected_for = case when excluded.collected_for = 'weekly' then 'weekly' else deliveries.collected_for end
       returning id, destination_id, kind, next_at
     )
     insert into delivery_deals as d (delivery_id, deal_id, episode_id, alert_ids, price)
     select distinct on (l.id, g.deal_id) l.id, g.deal_id, g.episode_id, array(select json_array_elements_text(g.alert_ids)::bigint), g.price
     from given g join list l on (l.destination_id, l.kind, l.next_at) = (g.destination_id, g.kind, g.until)
     order by l.id, g.deal_id
     on conflict (delivery_id, deal_id) do update set episode_id = excluded.episode_id, price = excluded.price,
       alert_ids = array(select distinct unnest(d.alert_ids || excluded.alert_ids) order by 1)`,
    [
      held.map(({ destinationId }) => destinationId),
      held.map(({ dealId }) => dealId),
      held.map(({ episodeId }) => episodeId),
      held.map(({ alertIds }) => JSON.stringify(alertIds)),
      held.map(({ hold }) => hold.kind),
      held.map(({ hold }) => hold.until),
      held.map(({ hold }) => hold.collectedFor),
      held.map(({ hold }) => hold.reason),
      held.map(({ price }) => price),
    ],
  )
}
