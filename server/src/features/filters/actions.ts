import {
  type FilterChange,
  type FilterImportInput,
  type FilterImportResult,
  type FilterInput,
  type FilterRecord,
  maximumFilters,
} from '@dealdeck/contract/filters'
import { defaultFilters } from '@dealdeck/marketplace/default-filters'
import { type Kysely, sql } from 'kysely'
import type { Databases } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { AppError } from '../../platform/errors.ts'
import { type Actor, type Change, recordChange, recordChanges } from '../audit/actions.ts'
import { publishVersion } from './live.ts'
import { type FilterRow, filterColumns, readFilters, readVersion, toRecord } from './queries.ts'
import { type FilterFileRow, foldName, type ImportPlan, planImport, readCode } from './rules.ts'

const kept = new WeakMap<Databases, { stamp: string; filters: Promise<readonly FilterRecord[]> }>()

/**
 * All filters by category, then name, as committed when this was called. While nothing changes it answers the same
 * array, so what is made of it can be cached beside it.
 */
export async function listFilters(databases: Databases): Promise<readonly FilterRecord[]> {
  // The list is read after its version: at worst it is newer, and read once more when that version is asked for.
  const { version, epoch } = await readVersion(databases)
  const stamp = `${epoch}-${version}`
  const known = kept.get(databases)
  if (known?.stamp === stamp) return known.filters
  const entry = { stamp, filters: readFilters(databases) }
  kept.set(databases, entry)
  entry.filters.catch(() => kept.get(databases) === entry && kept.delete(databases))
  return entry.filters
}

/**
 * Adds a filter, its code brought into normal form. Returns it. `actor` is the administrator who does it, for the audit
 * list; the installation itself has none.
 * Throws CONFLICT when its category has that name or the list is full, INVALID_INPUT for a code that can't be used.
 */
export async function addFilter(
  databases: Databases,
  { category, name, code }: FilterInput,
  actor?: Actor,
): Promise<FilterRecord> {
  const row = { category, name, name_folded: foldName(name), code: readCode(code) }
  return withFilterWrites(databases, async (transaction) => {
    const { count } = await transaction
      .selectFrom('amazon_filters')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= maximumFilters) {
      throw new AppError(
        'CONFLICT',
        `There are ${maximumFilters} filters, and no room for more. Remove some first.`,
      )
    }
    const added = await transaction
      .insertInto('amazon_filters')
      .values(row)
      .onConflict((conflict) => conflict.columns(['category', 'name_folded']).doNothing())
      .returning(filterColumns)
      .executeTakeFirst()
    if (!added) throw nameTaken('Filter name already exists in this category')
    if (actor) await recordChange(transaction, changeOf(actor, 'add', null, added))
    return toRecord(added)
  })
}

/** Two changes within one millisecond still differ, so that the second is noticed. */
const nextUpdate = sql<Date>`greatest(date_trunc('milliseconds', now()), amazon_filters.updated_at + interval '1 millisecond')`

const updateRefused = 'Filter name already exists or filter not found'

/**
 * Changes what is given of a filter. Returns it as it is now.
 * Throws NOT_FOUND, CONFLICT when the name is taken or somebody changed the filter since `expected_updated_at`, and
 * INVALID_INPUT when nothing is given or the code can't be used.
 */
export async function updateFilter(
  databases: Databases,
  id: number,
  { expected_updated_at: expected, code, ...change }: FilterChange,
  actor?: Actor,
): Promise<FilterRecord> {
  const given = { ...change, ...(code !== undefined && { code: readCode(code) }) }
  if (Object.values(given).every((value) => value === undefined)) {
    throw new AppError('INVALID_INPUT', 'Please give a name, a code or a category to change.')
  }
  return withFilterWrites(databases, async (transaction) => {
    const current = await transaction
      .selectFrom('amazon_filters')
      .select(filterColumns)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!current) throw new AppError('NOT_FOUND', updateRefused)
    refuseIfChanged(current, expected, 'change')
    const { category, name, code } = { ...current, ...given }
    const name_folded = foldName(name)
    const other = await transaction
      .selectFrom('amazon_filters')
      .select('id')
      .where('category', '=', category)
      .where('name_folded', '=', name_folded)
      .where('id', '<>', id)
      .executeTakeFirst()
    if (other) throw nameTaken(updateRefused)
    const updated = await transaction
      .updateTable('amazon_filters')
      .set({ category, name, name_folded, code, updated_at: nextUpdate })
      .where('id', '=', id)
      .returning(filterColumns)
      .executeTakeFirstOrThrow()
    if (actor) await recordChange(transaction, changeOf(actor, 'change', current, updated))
    return toRecord(updated)
  })
}

/** Removes a filter. Throws NOT_FOUND, and CONFLICT when somebody changed it since `expected`, an `updated_at`. */
export async function removeFilter(
  databases: Databases,
  id: number,
  expected?: string,
  actor?: Actor,
): Promise<void> {
  await withFilterWrites(databases, async (transaction) => {
    const removed = await transaction
      .deleteFrom('amazon_filters')
      .where('id', '=', id)
      .returning(filterColumns)
      .executeTakeFirst()
    if (!removed) throw new AppError('NOT_FOUND', 'Failed to remove filter')
    refuseIfChanged(removed, expected, 'remove')
    if (actor) await recordChange(transaction, changeOf(actor, 'remove', removed, null))
  })
}

/**
 * Takes over the filters of a file, which `readFilterFile` has read: adds new ones, changes those whose name it has with
 * another code, and with `replace` removes those it doesn't have. Returns what that came to, or would with `dry_run`.
 * Throws CONFLICT when there would be too many.
 */
export async function importFilters(
  databases: Databases,
  incoming: readonly FilterFileRow[],
  { replace, dry_run }: FilterImportInput,
  actor?: Actor,
): Promise<FilterImportResult> {
  if (dry_run) return toResult(planImport(await listFilters(databases), incoming, replace), dry_run)
  return withFilterWrites(databases, async (transaction) => {
    const present = await transaction
      .selectFrom('amazon_filters')
      .select(filterColumns)
      .limit(maximumFilters)
      .execute()
    const plan = planImport(present, incoming, replace)
    const added = await writePlan(transaction, plan)
    if (actor) {
      await recordChanges(transaction, [
        ...plan.removed.map((row) => changeOf(actor, 'remove', row, null)),
        ...plan.changed.map(({ before, after }) =>
          changeOf(actor, 'change', before, { ...after, id: before.id }),
        ),
        ...added.map((row) => changeOf(actor, 'add', null, row)),
      ])
    }
    return toResult(plan, dry_run)
  })
}

/**
 * Fills an empty table with the default set of the marketplace, as the specification has it: whoever wants no filters
 * at all keeps one. Several applications may start at once. Returns how many were added.
 */
export async function insertDefaultFilters(databases: Databases, domain: string): Promise<number> {
  if (!(await isEmpty(databases.db))) return 0
  const rows = defaultFilters(domain).map(({ category, name, code }) => ({
    ...{ category, name, code },
    name_folded: foldName(name),
  }))
  return withFilterWrites(databases, async (transaction) => {
    if (!(await isEmpty(transaction)) || rows.length === 0) return 0
    await transaction.insertInto('amazon_filters').values(rows).execute()
    return rows.length
  })
}

async function isEmpty(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom('amazon_filters').select('id').limit(1).executeTakeFirst()) === undefined
}

/** Runs `work` in one transaction as the only writer of filters; every instance hears of the next version after commit. */
async function withFilterWrites<T>(
  { durableDb }: Databases,
  work: (transaction: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return durableDb.transaction().execute(async (transaction) => {
    const { version } = await transaction
      .updateTable('filter_state')
      .set(({ eb }) => ({ version: eb('version', '+', 1) }))
      .returning('version')
      .executeTakeFirstOrThrow()
    const result = await work(transaction)
    await publishVersion(transaction, version)
    return result
  })
}

/** Three statements, however many filters. Returns the added ones. */
async function writePlan(transaction: Kysely<Tables>, plan: ImportPlan): Promise<Written[]> {
  const { removed, changed, added } = plan
  if (removed.length > 0) {
    const ids = removed.map(({ id }) => id)
    await sql`delete from amazon_filters where id = any(${ids})`.execute(transaction)
  }
  if (changed.length > 0) {
    const rows = JSON.stringify(changed.map(({ before, after }) => ({ id: before.id, ...after })))
    await sql`update amazon_filters f set name = c.name, name_folded = c.name_folded, code = c.code,
        updated_at = greatest(date_trunc('milliseconds', now()), f.updated_at + interval '1 millisecond')
      from json_to_recordset(${rows}::json) as c(id bigint, name text, name_folded text, code text)
      where f.id = c.id`.execute(transaction)
  }
  if (added.length === 0) return []
  const { rows } = await sql<Written>`insert into amazon_filters (category, name, name_folded, code)
    select category, name, name_folded, code
    from json_to_recordset(${JSON.stringify(added)}::json)
      as a(category text, name text, name_folded text, code text)
    returning id, category, name, code`.execute(transaction)
  return rows
}

function toResult({ added, changed, removed, unchanged }: ImportPlan, dry_run: boolean): FilterImportResult {
  return {
    ...{ added: added.length, changed: changed.length, removed: removed.length },
    ...{ unchanged, dry_run },
  }
}

type Written = Pick<FilterRow, 'id' | 'category' | 'name' | 'code'>

function changeOf(
  actor: Actor,
  action: 'add' | 'change' | 'remove',
  before: Written | null,
  after: Written | null,
): Change {
  const state = (row: Written | null) => row && { category: row.category, name: row.name, code: row.code }
  const named = after ?? before
  const subject = { kind: 'filter' as const, id: named?.id ?? null, name: named?.name ?? '' }
  return { actor, action, subject, before: state(before), after: state(after) }
}

const nameTaken = (message: string) => new AppError('CONFLICT', message, { fields: { name: message } })

function refuseIfChanged(
  { updated_at }: FilterRow,
  expected: string | undefined,
  what: 'change' | 'remove',
): void {
  if (expected === undefined || Date.parse(expected) === updated_at.getTime()) return
  const message = `Somebody else changed this filter in the meantime. Look at it again before you ${what} it.`
  throw new AppError('CONFLICT', message, { fields: { expected_updated_at: message } })
}
