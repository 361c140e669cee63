import type { DealWrites } from '../actions.ts'
import { queryRecorded, recordedIds, recordedState, recording } from './recording.ts'

const posting = `
  with given as (
    select * from unnest($1::bigint[], $2::timestamptz[]) as given (id, posted_at)
  ), changed as (
    update deals d set posted_to_discord = true, discord_timestamp = greatest(d.discord_timestamp, g.posted_at)
    from given g where d.id = g.id and (not d.posted_to_discord or d.discord_timestamp is null or d.discord_timestamp < g.posted_at)
    returning d.id as deal_id, ${recordedState('old', (field) => `d.${field}`)}, ${recordedState('new', (field) => `d.${field}`)}
  ), ${recording()}
  select (select count(*) from changed) as changed, ${recordedIds}`

/** Writes down when deals were posted to Discord last; a later time stays. Returns how many that changed. */
export async function markPosted(
  writes: DealWrites,
  posts: readonly { dealId: number; postedAt: Date }[],
): Promise<number> {
  const row = await queryRecorded<{ changed: number }>(writes, posting, [
    posts.map(({ dealId }) => dealId),
    posts.map(({ postedAt }) => postedAt),
  ])
  return row?.changed ?? 0
}
