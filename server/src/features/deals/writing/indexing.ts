import { abortableQuery } from '../../../platform/database/abortable-query.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { titleWords } from '../rules.ts'

/**
 * Moves what waits in the pending list of the index of words into it. Whoever writes the row that makes this list too long does so
 * otherwise, a tenth of a second and more under the writers' lock; from here it holds nobody up. Does nothing where there is no such index.
 */
export async function flushPendingWords({ durablePool }: Databases): Promise<void> {
  await durablePool.query("select gin_clean_pending_list(to_regclass('deals_words'))")
}

/** An index that a migration made or changed, as it makes it in an empty database, and how many key columns tell it from an old one. */
type ChangedIndex = { name: string; columns: number; definition: string }

const changedIndexes: readonly ChangedIndex[] = [
  {
    ...{ name: 'deals_updated', columns: 4 },
    definition: '(last_updated, id, price, prime_eligible) where is_visible',
  },
  {
    ...{ name: 'deals_best', columns: 4 },
    definition: '(best_order desc, id desc, price, prime_eligible) where is_visible',
  },
  { name: 'deals_words', columns: 1, definition: `using gin (${titleWords})` },
  { name: 'deals_hidden', columns: 2, definition: '(first_seen desc, id desc) where not is_visible' },
]

// At once, so that there is always one of that name, and by one process only.
const swap = (name: string) => `do $$ begin
  if exists (select from pg_index where indexrelid = to_regclass('${name}_next') and indisvalid) then
    alter index if exists ${name} rename to ${name}_old;
    alter index ${name}_next rename to ${name};
  end if;
end $$`

/** How far the replacement is, by what the database says of its indexes. */
const progress = ({ name, columns }: ChangedIndex) => `select
  coalesce((select indisvalid and indnkeyatts = ${columns} from pg_index where indexrelid = to_regclass('${name}')), false) as is_swapped,
  to_regclass('${name}_old') is not null as has_old,
  (select indisvalid from pg_index where indexrelid = to_regclass('${name}_next')) as is_built,
  exists (select from pg_stat_progress_create_index where relid = 'deals'::regclass) as is_busy`

type Progress = { is_swapped: boolean; has_old: boolean; is_built: boolean | null; is_busy: boolean }

/** Whether there is anything for `replaceOldIndexes` to do. */
export async function hasOldIndexes({ customPlanPool }: Databases): Promise<boolean> {
  for (const index of changedIndexes) {
    const { rows } = await customPlanPool.query<Progress>(progress(index))
    if (rows[0] !== undefined && (!rows[0].is_swapped || rows[0].has_old)) return true
  }
  return false
}

/**
 * Replaces indexes of deals by what later migrations made of them, without keeping anybody from reading or writing. Returns the
 * names of those it replaced; not of one that is there already, or that another process builds. Broken off anywhere it goes
 * on when called again. Throws what the database says, such as of a deadlock with another process at it, and the signal's reason.
 */
export async function replaceOldIndexes(databases: Databases, signal: AbortSignal): Promise<string[]> {
  const replaced: string[] = []
  for (const index of changedIndexes) {
    if (await replaceOldIndex(databases, index, signal)) replaced.push(index.name)
  }
  return replaced
}

async function replaceOldIndex(
  { durablePool }: Databases,
  index: ChangedIndex,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, definition } = index
  const run = <R extends object>(text: string) => abortableQuery<R>(durablePool, { text }, signal)
  const [before] = (await run<Progress>(progress(index))).rows
  if (!before || before.is_busy) return false
  if (!before.is_swapped) {
    // A build that was broken off leaves an index that is written and never read.
    if (before.is_built === false) await run(`drop index concurrently if exists ${name}_next`)
    if (!before.is_built)
      await run(`create index concurrently if not exists ${name}_next on deals ${definition}`)
    // How common each word is PostgreSQL counts for the index of words, and forgets with it.
    await run('analyze deals')
    await run(swap(name))
  }
  await run(`drop index concurrently if exists ${name}_old`)
  return !before.is_swapped
}
