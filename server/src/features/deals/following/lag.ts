import type { Databases } from '../../../platform/database/database.ts'
import type { KeptDays } from './pruning.ts'

/** How far a follower is behind: in revisions, and in seconds since the oldest it has not dealt with; 0 when it is not. */
export type FollowerLag = { name: string; revisions: number; seconds: number }

/** So many followers are reported at most; their names stand in the code. */
const mostReported = 100

/** How far each follower is behind, by name; without those that have ended. */
export async function readFollowerLags({ customPlanPool }: Databases): Promise<FollowerLag[]> {
  const { rows } = await customPlanPool.query<FollowerLag>(
    `select f.name, state.revision - f.position as revisions, coalesce(extract(epoch from now() - (
       select e.created_at from feed_events e where e.revision > f.position order by e.revision limit 1
     )), 0)::float8 as seconds
     from followers f, feed_state state where f.position >= 0 order by f.name limit $1`,
    [mostReported],
  )
  return rows.map((lag) => ({ ...lag, seconds: Math.max(0, lag.seconds) }))
}

/** Followers that are behind and have not been there for so many days (`$1`). */
const absent = `f.position >= 0 and f.position < (select revision from feed_state)
  and f.moved_at < now() - $1 * interval '1 day'`

/** Whether there is anything for `endAbsentFollowers` to do. */
export async function hasAbsentFollowers(
  { customPlanPool }: Databases,
  { CHANGES_KEPT_DAYS: days }: KeptDays,
): Promise<boolean> {
  const { rows } = await customPlanPool.query(`select from followers f where ${absent} limit 1`, [days])
  return rows.length > 0
}

/**
 * Ends followers that were not there for as long as changes are kept, such as one whose name the code no longer has: nothing
 * waits for them any more. One that comes back nevertheless is told that it missed some. Returns their names.
 */
export async function endAbsentFollowers(
  { durablePool }: Databases,
  { CHANGES_KEPT_DAYS: days }: KeptDays,
): Promise<string[]> {
  // No revision follows on -1. The row stays: without it, whoever comes back would begin at the present, as if new.
  const { rows } = await durablePool.query<{ name: string }>(
    `update followers set position = -1 where name in (
       select f.name from followers f where ${absent} for update skip locked
     ) returning name`,
    [days],
  )
  return rows.map(({ name }) => name)
}
