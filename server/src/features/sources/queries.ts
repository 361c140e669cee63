import {
  mostSources,
  type Source,
  type SourceAlarms,
  type SourceRun,
  type SourceRunPage,
} from '@dealdeck/contract/sources'
import type { Selectable } from 'kysely'
import type { Database } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { leavingSwitches, sourceGone, stateText } from './rules.ts'
import { newPerDay, readRhythm, silenceOf } from './running/rhythm.ts'
import type { SourceDeps } from './running/source-deps.ts'

type Row = Selectable<Tables['sources']>
type RunRow = Selectable<Tables['source_runs']>
type Clocked = Pick<SourceDeps, 'clock'>

/** All sources by name, each with its last run; never a secret. */
export async function listSources(db: Database, deps: Clocked): Promise<Source[]> {
  return readSources(db, deps, undefined)
}

/** One of them. Throws NOT_FOUND. */
export async function readSource(db: Database, deps: Clocked, id: number): Promise<Source> {
  const [source] = await readSources(db, deps, id)
  if (!source) throw sourceGone()
  return source
}

async function readSources(db: Database, { clock }: Clocked, id: number | undefined): Promise<Source[]> {
  let query = db
    .selectFrom('sources')
    .selectAll()
    .select(({ selectFrom, fn }) => [
      selectFrom('source_runs')
        .select(({ fn }) => fn.max('id').as('id'))
        .whereRef('source_runs.source_id', '=', 'sources.id')
        .as('last_id'),
      selectFrom('quarantine')
        .select(fn.countAll<number>().as('count'))
        .whereRef('quarantine.source_id', '=', 'sources.id')
        .where('quarantine.state', '=', 'held')
        .as('held'),
    ])
  if (id !== undefined) query = query.where('id', '=', id)
  const rows = await query.orderBy('name').orderBy('id').limit(mostSources).execute()
  const ids = rows.flatMap(({ last_id }) => last_id ?? [])
  const runs =
    ids.length === 0
      ? []
      : await db.selectFrom('source_runs').selectAll().where('id', 'in', ids).limit(mostSources).execute()
  const now = clock()
  return rows.map(({ last_id, held, ...row }) => {
    const last = runs.find((run) => run.id === last_id)
    return { ...shownSource(row, now), last_run: last ? shownRun(last) : null, held: held ?? 0 }
  })
}

function shownSource(row: Row, now: Date): Omit<Source, 'last_run' | 'held'> {
  const { id, kind, name, settings, interval_from, interval_to, keeps_history, is_paused } = row
  const { trusted_rules, refused_rules } = row
  const state = shownState(row, now)
  const rhythm = readRhythm(row.rhythm)
  return {
    ...{ id, kind, name, settings, interval_from, interval_to, keeps_history, is_paused },
    ...{ trusted_rules, refused_rules },
    secrets: row.secret_names,
    may_leave: leavingSwitches(row.may_leave),
    state,
    state_text: stateText({ state, text: row.state_text, next: row.next_run_at, last: row.last_run_at }, now),
    failing_since: iso(row.failing_since),
    next_run_at: iso(row.next_run_at),
    last_run_at: iso(row.last_run_at),
    last_success_at: iso(row.last_success_at),
    is_silent: silenceOf({ ...row, state: judgedState(row) }, rhythm, now) !== null,
    new_per_day: newPerDay(rhythm, now),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** A run under way is one, whatever the last one said; a paused source may still be finishing it. */
const shownState = (row: Row, now: Date): Source['state'] => {
  const { is_paused, state } = row
  return isUnderWay(row, now) ? 'running' : is_paused ? 'paused' : state === 'paused' ? 'new' : state
}

/** Whoever was not heard of for a minute is at it no more; the clock of the database may be another. */
const isUnderWay = ({ running_id, running_at }: Row, now: Date): boolean =>
  running_id !== null && Math.abs(now.getTime() - (running_at?.getTime() ?? 0)) < 60_000

/** A run under way doesn't end a silence. */
const judgedState = ({ is_paused, state }: Row): Source['state'] => (is_paused ? 'paused' : state)

const iso = (time: Date | null) => time?.toISOString() ?? null

function shownRun({ source_id: _, started_at, finished_at, ...run }: RunRow): SourceRun {
  return { ...run, started_at: started_at.toISOString(), finished_at: iso(finished_at) }
}

/** A page of a source's runs, the newest first; the cursor is the last one's id. Throws NOT_FOUND. */
export async function listRuns(
  db: Database,
  { id, limit, cursor }: { id: number; limit: number; cursor?: number | undefined },
): Promise<SourceRunPage> {
  const source = await db.selectFrom('sources').select('id').where('id', '=', id).executeTakeFirst()
  if (!source) throw sourceGone()
  let query = db.selectFrom('source_runs').selectAll().where('source_id', '=', id)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  return {
    items: shown.map(shownRun),
    next_cursor: rows.length > limit ? String(shown.at(-1)?.id) : null,
  }
}

/** How many rows wait, and which sources are silent for much longer than usual, or fail for long. */
export async function readAlarms(db: Database, { clock }: Clocked): Promise<SourceAlarms> {
  const rows = await db.selectFrom('sources').selectAll().orderBy('name').limit(mostSources).execute()
  const { held } = await db
    .selectFrom('quarantine')
    .select(({ fn }) => fn.countAll<number>().as('held'))
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow()
  const now = clock()
  const silent = rows.flatMap((row) => {
    const text = silenceOf({ ...row, state: judgedState(row) }, readRhythm(row.rhythm), now)
    return text === null ? [] : [{ id: row.id, name: row.name, text }]
  })
  return { held, silent }
}

/** How many sources fail, and how many are silent. */
export async function readFailing(db: Database, deps: Clocked): Promise<{ failing: number; silent: number }> {
  const { silent } = await readAlarms(db, deps)
  const { failing } = await db
    .selectFrom('sources')
    .select(({ fn }) => fn.countAll<number>().as('failing'))
    .where('state', '=', 'failing')
    .where('is_paused', '=', false)
    .executeTakeFirstOrThrow()
  return { failing, silent: silent.length }
}
