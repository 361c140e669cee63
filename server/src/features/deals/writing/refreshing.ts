import { setTimeout as sleep } from 'node:timers/promises'
import type { Databases } from '../../../platform/database/database.ts'
import { withDealWrites } from '../actions.ts'

/** Deals made anew in one transaction: some 20 ms for whoever waits for it. */
const refreshedRows = 500
/** The rest of the time belongs to others: a piece is followed by a pause of so many times its length. */
const pauseShare = 4

/** Whether there may be anything for `refreshDealJson` to do. */
export async function hasOldJson({ customPlanPool }: Databases): Promise<boolean> {
  const { rowCount } = await customPlanPool.query(
    'select from feed_state where json_version <> deal_json_version()',
  )
  return rowCount !== 0
}

/**
 * Makes the JSON of all deals anew that an older version of `deal_json_of` made, in pieces, with pauses; nothing that a
 * reader sees changes, so no revision is raised. Asks for one row when there is nothing to do, and ends when a newer build
 * has changed the version meanwhile. Returns how many it made. Throws what the database says, and the signal's reason;
 * begun anew it passes over what is done.
 */
export async function refreshDealJson(databases: Databases, signal: AbortSignal): Promise<number> {
  const { rows: versions } = await databases.durablePool.query<{ version: number }>(
    'select deal_json_version() as version from feed_state where json_version <> deal_json_version()',
  )
  if (!versions[0]) return 0
  const { version } = versions[0]
  let refreshed = 0
  for (let from = 0; ; ) {
    signal.throwIfAborted()
    const begun = performance.now()
    const { last, count } = await withDealWrites(databases, async ({ client }) => {
      const { rows } = await client.query<{ last: number | null; count: number }>(
        `with piece as (
           select id from deals where id > $1 and json_version <> $2 and deal_json_version() = $2 order by id limit ${refreshedRows}
         ), refreshed as (
           update deals set json_version = $2 from piece where deals.id = piece.id
         ) select max(id) as last, count(*) as count from piece`,
        [from, version],
      )
      return rows[0] ?? { last: null, count: 0 }
    })
    if (last === null) break
    from = last
    refreshed += count
    await sleep((performance.now() - begun) * pauseShare, undefined, { signal })
  }
  await databases.durablePool.query(
    'update feed_state set json_version = $1 where deal_json_version() = $1',
    [version],
  )
  return refreshed
}
