import { mostSources, type Source, type SourceChange, type SourceInput } from '@dealdeck/contract/sources'
import { type Selectable, sql } from 'kysely'
import type { Database } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { AppError } from '../../platform/errors.ts'
import { type Actor, recordChange } from '../audit/actions.ts'
import { publishSource } from './live.ts'
import { readSource } from './queries.ts'
import {
  auditState,
  baselineSql,
  changedRules,
  changedSettings,
  countsOthers,
  leavingList,
  nameTaken,
  sourceChanged,
  sourceGone,
  tooMany,
} from './rules.ts'
import { renameImports } from './running/renaming.ts'
import { rereadSource, settleDecided } from './running/rereading.ts'
import {
  bindSettings,
  keptSecrets,
  kindOf,
  openSecrets,
  refuseElsewhere,
  sealSecrets,
} from './running/secrets-and-settings.ts'
import type { SourceDeps } from './running/source-deps.ts'
import type { Transaction } from './running/statement.ts'

type Row = Selectable<Tables['sources']>

// Two changes within one millisecond still differ, so that the second is noticed.
const changedNow = sql<Date>`greatest(date_trunc('milliseconds', now()), updated_at + interval '1 millisecond')`

/** Adds a source; unless paused it is asked at once. Throws INVALID_INPUT by field, and CONFLICT for a name that is taken or no room. */
export async function addSource(deps: SourceDeps, input: SourceInput, actor: Actor): Promise<Source> {
  const secrets = keptSecrets(kindOf(deps, input.kind), {}, input.secrets)
  const names = Object.keys(secrets)
  const { settings } = bindSettings(deps, input.kind, input.settings, names)
  refuseIntervals(input)
  return withSources(deps, async (transaction) => {
    const { count } = await transaction
      .selectFrom('sources')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= mostSources) throw tooMany(mostSources)
    await refuseName(transaction, input.name)
    const { kind, name, interval_from, interval_to, keeps_history, is_paused } = input
    const added = await transaction
      .insertInto('sources')
      .values({
        ...{ kind, name, interval_from, interval_to, keeps_history, is_paused },
        settings: JSON.stringify(settings),
        secret_names: names,
        may_leave: leavingList(input.may_leave),
        state: is_paused ? 'paused' : 'new',
        next_run_at: is_paused ? null : sql<Date>`now()`,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    // They are sealed for this very source.
    const row = await transaction
      .updateTable('sources')
      .set({ secrets: await sealSecrets(deps, added.id, secrets) })
      .where('id', '=', added.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await record(transaction, actor, 'add', null, row)
    await publishSource(transaction, row.id, !is_paused)
    return readSource(transaction, deps, row.id)
  })
}

/**
 * Changes what is given of a source. Other settings or secrets begin it anew: it forgets where it was, and is asked at once, as it is where a rule
 * refuses nothing any more. Throws NOT_FOUND,
 * INVALID_INPUT by field, and CONFLICT when it was changed since `expected_updated_at` or the name is taken.
 */
export async function changeSource(
  deps: SourceDeps,
  id: number,
  change: SourceChange,
  actor: Actor,
): Promise<Source> {
  return withSources(deps, async (transaction) => {
    const before = await lockSource(transaction, id)
    const { expected_updated_at: expected } = change
    if (expected !== undefined && Date.parse(expected) !== before.updated_at.getTime()) throw sourceChanged()
    if (change.name !== undefined) await refuseName(transaction, change.name, id)
    const anew = await changedContent(deps, before, change)
    const is_paused = change.is_paused ?? before.is_paused
    const next = {
      name: change.name ?? before.name,
      interval_from: change.interval_from ?? before.interval_from,
      interval_to: change.interval_to ?? before.interval_to,
      keeps_history: change.keeps_history ?? before.keeps_history,
      ...changedRules(before, change),
      may_leave: change.may_leave ? leavingList(change.may_leave) : before.may_leave,
      is_paused,
    }
    refuseIntervals(next)
    // What was refused may come in now, and may be the same as the last time.
    const isRead = before.refused_rules.some((rule) => !next.refused_rules.includes(rule))
    const isDue = before.is_paused && !is_paused
    if (anew) await forgetListed(transaction, id)
    await transaction
      .updateTable('sources')
      .set({
        ...{ ...next, settings: JSON.stringify(anew?.settings ?? before.settings), updated_at: changedNow },
        ...(anew && {
          secrets: await sealSecrets(deps, id, anew.secrets),
          secret_names: Object.keys(anew.secrets),
        }),
        // More or fewer rows count from now on, and are no surprise.
        ...(countsOthers(before, next) && { baseline: sql<string>`${sql.raw(baselineSql.withoutSizes)}` }),
        ...(anew && { baseline: null, failures: 0, failing_since: null, state: 'new', state_text: '' }),
        ...(isPaceNew(before, next) && { next_run_at: withinLimits(next) }),
        ...(isDue && { next_run_at: sql<Date>`now()` }),
        ...(is_paused && { next_run_at: null }),
      })
      .where('id', '=', id)
      .execute()
    if (next.name !== before.name) await renameImports(transaction, before.name, next.name)
    if (anew || isRead) await rereadSource(transaction, id)
    else await publishSource(transaction, id, isDue)
    await record(transaction, actor, 'change', before, await lockSource(transaction, id))
    return readSource(transaction, deps, id)
  })
}

/** Whether a source that answers is to be asked more or less often. One that fails or waits is left to what it waits for. */
function isPaceNew(before: Row, next: Pick<Row, 'interval_from' | 'interval_to'>): boolean {
  const isSame = before.interval_from === next.interval_from && before.interval_to === next.interval_to
  return !isSame && before.failures === 0 && before.state !== 'waiting'
}

/** The next run moved to where new limits have it, counted from the last answer. */
const withinLimits = ({ interval_from: from, interval_to: to }: Pick<Row, 'interval_from' | 'interval_to'>) =>
  sql<Date>`least(greatest(next_run_at, last_success_at + ${from} * interval '1 minute'), last_success_at + ${to} * interval '1 minute', now() + ${to} * interval '1 minute')`

/** Settings and secrets after a change; undefined where both stay what they are. Throws INVALID_INPUT by field. */
async function changedContent(
  deps: SourceDeps,
  before: Row,
  { settings: given, secrets: givenSecrets }: SourceChange,
): Promise<{ settings: Source['settings']; secrets: Record<string, string> } | undefined> {
  if (given === undefined && givenSecrets === undefined) return undefined
  const kept = await openedSecrets(deps, before, givenSecrets !== undefined)
  const secrets = keptSecrets(kindOf(deps, before.kind), kept, givenSecrets ?? {})
  const { settings } = bindSettings(deps, before.kind, given ?? before.settings, Object.keys(secrets))
  const stored = { settings: before.settings, secrets: kept }
  refuseElsewhere(kindOf(deps, before.kind), stored, { settings, given: givenSecrets ?? {} })
  const isSame =
    changedSettings(before.settings, settings).length === 0 && changedSettings(kept, secrets).length === 0
  return isSame ? undefined : { settings, secrets }
}

/** Makes a source read again what rules refused of it that don't any more; see `rereadSource`. */
export function readSourceAgain(client: Transaction, id: number): Promise<void> {
  return rereadSource(client, id)
}

/** Draws from it that rows of a source were decided, in the transaction in which they are; see `settleDecided`. */
export function rowsDecided(client: Transaction, id: number): Promise<void> {
  return settleDecided(client, id)
}

/** Removes a source with its runs and what waits of it; its deals stay. Throws NOT_FOUND. */
export async function removeSource(deps: SourceDeps, id: number, actor: Actor): Promise<void> {
  await withSources(deps, async (transaction) => {
    const before = await lockSource(transaction, id)
    await transaction.deleteFrom('sources').where('id', '=', id).execute()
    await forgetListed(transaction, id)
    await record(transaction, actor, 'remove', before, null)
    await publishSource(transaction, id)
  })
}

/** Makes a source due now. Throws NOT_FOUND, and CONFLICT for a paused one. */
export async function runSourceNow(deps: SourceDeps, id: number, actor: Actor): Promise<Source> {
  return withSources(deps, async (transaction) => {
    const before = await lockSource(transaction, id)
    if (before.is_paused)
      throw new AppError('CONFLICT', 'This source is paused. Let it go on, and it is asked at once.')
    await transaction
      .updateTable('sources')
      .set({ next_run_at: sql<Date>`now()`, asked_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
    const subject = { kind: 'source' as const, id, name: before.name }
    await recordChange(transaction, {
      ...{ actor, action: 'change', subject, before: null, after: { asked_now: true } },
    })
    await publishSource(transaction, id, true)
    return readSource(transaction, deps, id)
  })
}

/** The same; where they can't be read any more and others are given, there are none. */
async function openedSecrets(deps: SourceDeps, row: Row, areGiven: boolean): Promise<Record<string, string>> {
  try {
    return await openSecrets(deps, row)
  } catch (error) {
    if (areGiven) return {}
    throw error
  }
}

function refuseIntervals({
  interval_from,
  interval_to,
}: Pick<Source, 'interval_from' | 'interval_to'>): void {
  if (interval_from <= interval_to) return
  const message = 'must not be less than the shortest one'
  throw new AppError('INVALID_INPUT', `interval_to ${message}`, { fields: { interval_to: message } })
}

async function refuseName(transaction: Database, name: string, except = 0): Promise<void> {
  const taken = await transaction
    .selectFrom('sources')
    .select('id')
    .where(sql<string>`lower(name)`, '=', sql<string>`lower(${name})`)
    .where('id', '!=', except)
    .executeTakeFirst()
  if (taken) throw nameTaken(name)
}

async function lockSource(transaction: Database, id: number): Promise<Row> {
  const row = await transaction
    .selectFrom('sources')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw sourceGone()
  return row
}

/** Forgets what a source has listed, so that nothing counts as left out; how long its deals may be shown stays. */
async function forgetListed(transaction: Database, id: number): Promise<void> {
  await transaction
    .deleteFrom('source_deals')
    .where('source_id', '=', id)
    .where('hide_at', 'is', null)
    .execute()
  await transaction.updateTable('source_deals').set({ missed: 0 }).where('source_id', '=', id).execute()
}

/** Runs `work` in one transaction as the only one that changes which sources there are. */
function withSources<T>(
  { databases }: Pick<SourceDeps, 'databases'>,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return databases.durableDb.transaction().execute(async (transaction) => {
    // Names and their number are judged by what is there; what runs write is in nobody's way.
    await sql`lock table sources in share update exclusive mode`.execute(transaction)
    return work(transaction)
  })
}

async function record(
  transaction: Database,
  actor: Actor,
  action: 'add' | 'change' | 'remove',
  before: Row | null,
  after: Row | null,
): Promise<void> {
  const row = after ?? before
  if (!row) return
  await recordChange(transaction, {
    ...{ actor, action, subject: { kind: 'source', id: row.id, name: row.name } },
    ...{ before: before && auditState(before), after: after && auditState(after) },
  })
}
