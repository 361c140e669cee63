import type { SourceRun } from '@dealdeck/contract/sources'
import type { Selectable } from 'kysely'
import type pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { type BaselineChange, sizesWith } from './baseline.ts'
import { renameImportsOf } from './renaming.ts'
import { settleEnded } from './rereading.ts'
import { freeReservations } from './service-budget.ts'

/** Whoever runs a source says so this often; silent for so long, the source is another's. In seconds. */
export const heartbeatSeconds = 5
const silentSeconds = 15
/** So many sources are looked for at once. */
const mostDue = 100
/** Runs of a source that are kept: the newest, and for so many days at most. */
const [keptRuns, keptDays] = [500, 90]

export type SourceRow = Selectable<Tables['sources']>
/** A source that this process runs, as it was then; whoever has another `runId` has lost it. */
export type Claim = {
  source: SourceRow
  runId: number
  startedAt: Date
  /** When it was asked before. */
  before: Date | null
  /** Some of a document of it that was held as a whole waits still. */
  isHeld: boolean
}

// A time to come was written before the clock was put right.
const isFree = `(running_id is null or running_at < now() - interval '${silentSeconds} seconds' or running_at > now() + interval '1 minute')`
const isDue = `not is_paused and next_run_at <= now() and ${isFree}`

/** Sources that are due, the longest first, and since when that is. */
export async function findDue({
  customPlanPool,
}: Databases): Promise<{ ids: number[]; oldest: Date | undefined }> {
  const { rows } = await customPlanPool.query<{ id: number; next_run_at: Date }>(
    `select id, next_run_at from sources where ${isDue} order by next_run_at, id limit ${mostDue}`,
  )
  return { ids: rows.map(({ id }) => id), oldest: rows[0]?.next_run_at }
}

/**
 * Takes a source that is due, so that it is this process's until it is silent for long. Undefined where it isn't due any more, or is
 * another's. The run of a process that fell silent ends with it.
 */
export async function claimSource({ durablePool }: Databases, id: number): Promise<Claim | undefined> {
  const { rows } = await durablePool.query<
    SourceRow & { run_id: number; started_at: Date; asked_before: Date | null; is_held: boolean }
  >(
    `with due as (
       select id, running_id as run, last_run_at from sources where id = $1 and ${isDue} for update skip locked
     ), left_behind as (
       update source_runs r set state = 'failed', finished_at = now(), text = 'Its process ended in the middle. The source was asked again.'
       from due where r.id = due.run and r.state = 'running'
     ), freed as (${freeReservations('due')}), run as (
       insert into source_runs (source_id, state) select id, 'running' from due returning id, source_id, started_at
     )
     update sources s set running_id = run.id, running_at = now(), last_run_at = run.started_at
     from run, due where s.id = run.source_id and s.id = due.id
     returning s.*, run.id as run_id, run.started_at, due.last_run_at as asked_before,
       exists (select from quarantine where source_id = s.id and state = 'held' and deal ->> 'document_items' is not null) as is_held`,
    [id],
  )
  const [row] = rows
  if (!row) return undefined
  const { run_id, started_at, asked_before, is_held, ...source } = row
  return { source, runId: run_id, startedAt: started_at, before: asked_before, isHeld: is_held }
}

/** Ends the runs of processes that fell silent where nobody takes them up, as their sources are paused. */
export async function endLeftBehind({ durablePool }: Databases): Promise<void> {
  await durablePool.query(
    `with left_behind as (
       select id, running_id as run from sources where is_paused and running_id is not null and ${isFree} for update skip locked
     ), freed as (${freeReservations('left_behind')}), left_alone as (
       update sources s set running_id = null, running_at = null from left_behind l where s.id = l.id returning l.run
     )
     update source_runs r set state = 'failed', finished_at = now(), text = 'Broken off, as its process ended in the middle.'
     from left_alone where r.id = left_alone.run and r.state = 'running'`,
  )
}

/** Says that a run goes on. False where the source is gone, or another's by now. */
export async function keepClaim({ reservedPool }: Databases, { source, runId }: Claim): Promise<boolean> {
  const { rowCount } = await reservedPool.query(
    'update sources set running_at = now() where id = $1 and running_id = $2',
    [source.id, runId],
  )
  return rowCount === 1
}

/** Stores where a run goes on if it is broken off. Throws where the source isn't this run's any more. */
export async function storePosition(
  { durablePool }: Databases,
  { source, runId }: Claim,
  position: unknown,
): Promise<void> {
  const { rowCount } = await durablePool.query(
    'update sources set position = $3, running_at = now() where id = $1 and running_id = $2',
    [source.id, runId, JSON.stringify(position ?? null)],
  )
  if (rowCount !== 1) throw new ClaimLostError()
}

/** The source is another's, was changed or is gone: what this run would write counts no more. */
export class ClaimLostError extends Error {
  constructor() {
    super('The source is no longer this run’s')
  }
}

export type RunTotals = Pick<
  SourceRun,
  | 'received'
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'rejected'
  | 'held'
  | 'refused_before'
  | 'ended'
  | 'import_ids'
>

/** Writes down what a run has done so far, so that it is known also of one that is killed. */
export async function storeTotals(
  client: pg.Pool | pg.ClientBase,
  runId: number,
  totals: RunTotals,
): Promise<void> {
  const { received, created, updated, unchanged, rejected, held, refused_before, ended, import_ids } = totals
  await client.query(
    `update source_runs set received = $2, created = $3, updated = $4, unchanged = $5, rejected = $6, held = $7,
       refused_before = $8, ended = $9, import_ids = $10 where id = $1`,
    [runId, received, created, updated, unchanged, rejected, held, refused_before, ended, import_ids],
  )
}

/** What becomes of a source with the end of a run. */
export type After = Pick<
  SourceRow,
  'state' | 'state_text' | 'failures' | 'failing_since' | 'next_run_at' | 'last_success_at' | 'last_new_at'
> & { /** What of it is another; null: nothing. */ baseline: BaselineChange | null; rhythm: unknown }
export type Ended = Pick<SourceRun, 'state' | 'text' | 'notes' | 'cost'>

const remembered = `coalesce(nullif(baseline, 'null'), '{}')`

/** Ends a run, and gives the source back with what it has come to. Throws ClaimLostError where it isn't this run's any more. */
export async function finishRun(
  { durablePool }: Databases,
  { source, runId }: Claim,
  { totals, run, after }: { totals: RunTotals; run: Ended; after: After },
): Promise<void> {
  const { newSizes = [], ...change } = after.baseline ?? {}
  const client = await durablePool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const { rowCount } = await client.query(
      `update sources set state = $3, state_text = $4, failures = $5, failing_since = $6, last_success_at = $8, last_new_at = $9,
         rhythm = $11,
         -- What others have written meanwhile stays beside it; sizes that were counted by other rules say nothing.
         baseline = case when $10::jsonb is null then baseline when trusted_rules = $12::text[]
           then ${remembered} || $10::jsonb || jsonb_build_object('sizes', ${sizesWith('$13::jsonb')})
           else ${remembered} || ($10::jsonb - 'shrunken') end, running_id = null, running_at = null,
         asked_at = case when asked_at > (select started_at from source_runs where id = $2) then asked_at end,
         -- Asked for meanwhile, it is asked once more.
         next_run_at = case when is_paused then null
           when next_run_at > (select started_at from source_runs where id = $2) then next_run_at else $7 end
       where id = $1 and running_id = $2`,
      [
        ...[source.id, runId, after.state, after.state_text, after.failures, after.failing_since],
        ...[after.next_run_at, after.last_success_at, after.last_new_at],
        ...[after.baseline && JSON.stringify(change), JSON.stringify(after.rhythm), source.trusted_rules],
        JSON.stringify(newSizes),
      ],
    )
    if (rowCount !== 1) throw new ClaimLostError()
    if (change.unstored || change.all_held) await settleEnded(client, source.id)
    await storeTotals(client, runId, totals)
    await renameImportsOf(client, source.id, totals.import_ids)
    await client.query(
      'update source_runs set state = $2, finished_at = now(), text = $3, notes = $4, cost = $5 where id = $1',
      [runId, run.state, run.text, run.notes, run.cost],
    )
    await client.query(
      `delete from source_runs where source_id = $1 and id < $2 and (started_at < now() - interval '${keptDays} days'
         or id <= (select id from source_runs where source_id = $1 order by id desc offset ${keptRuns} limit 1))`,
      [source.id, runId],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch((failure) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/**
 * Gives a source back whose run was broken off: to be asked again at once where its process is about to end, and a minute later where the
 * database was in the way.
 */
export async function giveBack(
  { durablePool }: Databases,
  { source, runId }: Claim,
  isEnding: boolean,
): Promise<void> {
  await durablePool.query(
    `with freed as (
       update sources set running_id = null, running_at = null,
         next_run_at = case when $4 or is_paused then next_run_at else now() + interval '1 minute' end
       where id = $1 and running_id = $2 returning id
     )
     update source_runs set state = 'failed', finished_at = now(), text = $3 from freed where source_runs.id = $2`,
    [
      ...[source.id, runId],
      isEnding
        ? 'Broken off, as its process was stopped. The source is asked again.'
        : 'Broken off, as the database was not there, or too busy. The source is asked again.',
      isEnding,
    ],
  )
}

/** Makes a source due now, since somebody asks for it. */
export async function makeDue({ durablePool }: Databases, id: number): Promise<void> {
  await durablePool.query('update sources set next_run_at = now(), asked_at = now() where id = $1', [id])
}
