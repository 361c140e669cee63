import { abortableQuery } from '../../../platform/database/abortable-query.ts'
import type { Databases } from '../../../platform/database/database.ts'

/** The index as migration 20 makes it in an empty database, under the name it is built by. */
const build = `create index concurrently if not exists deals_updated_next
  on deals (last_updated, id, price, prime_eligible) where is_visible`

// At once, so that there is always one of that name, and by one process only.
const swap = `do $$ begin
  if exists (select from pg_index where indexrelid = to_regclass('deals_updated_next') and indisvalid) then
    alter index if exists deals_updated rename to deals_updated_old;
    alter index deals_updated_next rename to deals_updated;
  end if;
end $$`

const dropOld = 'drop index concurrently if exists deals_updated_old'

/** How far the replacement is, by what the database says of its indexes. */
const progress = `select
  coalesce((select indisvalid and indnkeyatts = 4 from pg_index where indexrelid = to_regclass('deals_updated')), false) as is_swapped,
  to_regclass('deals_updated_old') is not null as has_old,
  (select indisvalid from pg_index where indexrelid = to_regclass('deals_updated_next')) as is_built,
  exists (select from pg_stat_progress_create_index where relid = 'deals'::regclass) as is_busy`

type Progress = { is_swapped: boolean; has_old: boolean; is_built: boolean | null; is_busy: boolean }

/** Whether there is anything for `replaceUpdatedIndex` to do. */
export async function hasOldUpdatedIndex({ customPlanPool }: Databases): Promise<boolean> {
  const { rows } = await customPlanPool.query<Progress>(progress)
  return rows[0] !== undefined && (!rows[0].is_swapped || rows[0].has_old)
}

/**
 * Replaces the index of when deals changed last by the one that `sort=updated` walks, without keeping anybody from reading or
 * writing. Returns whether it did; false where it is there already, or another process builds it. Broken off anywhere it goes
 * on when called again. Throws what the database says, such as of a deadlock with another process at it, and the signal's reason.
 */
export async function replaceUpdatedIndex({ durablePool }: Databases, signal: AbortSignal): Promise<boolean> {
  const run = <R extends object>(text: string) => abortableQuery<R>(durablePool, { text }, signal)
  const [before] = (await run<Progress>(progress)).rows
  if (!before || before.is_busy) return false
  if (!before.is_swapped) {
    // A build that was broken off leaves an index that is written and never read.
    if (before.is_built === false) await run('drop index concurrently if exists deals_updated_next')
    if (!before.is_built) await run(build)
    await run(swap)
  }
  await run(dropOld)
  return !before.is_swapped
}
