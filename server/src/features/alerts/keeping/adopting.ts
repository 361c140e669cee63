import type pg from 'pg'
import type { Clock } from '../../../platform/clock.ts'
import { adoptWaiting, listOrphaned } from '../../deliveries/actions.ts'
import { stillMatches } from '../actions.ts'
import type { AlertRow } from './alert-rows.ts'

/** So many deals a new alert goes on with at most, the newest of them. */
const mostAdopted = 1_000

/**
 * Has a new alert go on with what it finds of what its destination was told for alerts that are gone, as of one that is removed and brought
 * back: it answers for what waits, and tells of later falls.
 */
export async function adoptFound(
  client: pg.ClientBase,
  { id, destination_id }: Pick<AlertRow, 'id' | 'destination_id'>,
  clock: Clock,
): Promise<void> {
  const orphaned = await listOrphaned(client, destination_id, mostAdopted)
  const isFound = await stillMatches(
    client,
    orphaned.map(({ deal_id }) => ({ dealId: deal_id, alertIds: [id] })),
    clock,
    // Where its destination is paused, or not confirmed yet, it waits as well.
    { alsoSilent: true },
  )
  const episodeIds = orphaned.flatMap(({ episode_id }, at) => (isFound[at] ? [episode_id] : []))
  if (episodeIds.length === 0) return
  await adoptWaiting(client, id, episodeIds)
  await client.query(
    `insert into alert_matches (alert_id, deal_id, episode_id, is_matching, price, matched_at)
     select $1, deal_id, id, true, price, opened_at from alert_episodes where id = any($2)
     on conflict (alert_id, deal_id) do nothing`,
    [id, episodeIds],
  )
}
