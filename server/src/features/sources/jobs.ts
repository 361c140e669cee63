import { z } from 'zod'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import { hasUntidyRows, tidyRows } from '../quarantine/actions.ts'
import { readFailing } from './queries.ts'
import { endLeftBehind, findDue } from './running/claims.ts'
import { hasStaleDeals, hideStaleDeals } from './running/listing.ts'
import { runSource } from './running/run.ts'
import type { SourceDeps } from './running/source-deps.ts'

export const sourceRunJob = 'source-run'
/**
 * Sources that a process asks at once. Most of a run is waiting: up to a minute for its host's turn, and for a server to begin its answer. So many
 * wait in nobody's way, as what is read and imported at once is bounded by the gate of imports.
 */
const runsAtOnce = 20
/** How often it is looked how many sources fail or are silent, in milliseconds. */
const judgeEveryMs = 60_000

/** Asks the sources that are due, so many at once in each process. */
export function sourceRuns(deps: SourceDeps): JobKind {
  const { databases, figures } = deps
  let judged = Number.NEGATIVE_INFINITY
  return jobKind({
    name: sourceRunJob,
    payload: z.strictObject({ source_id: z.int() }),
    // What a source makes go wrong is how its run ends; what the database does is tried again when it is found due.
    limits: { retries: 1, timeLimitSeconds: 1_800, concurrency: runsAtOnce },
    lookEverySeconds: 0,
    due: async () => {
      const { ids, oldest } = await findDue(databases)
      figures.oldestDue = oldest?.getTime()
      if (performance.now() - judged > judgeEveryMs) {
        judged = performance.now()
        await endLeftBehind(databases)
        Object.assign(figures, await readFailing(databases.db, deps))
      }
      return ids.map((source_id) => ({ source_id }))
    },
    run: async ({ source_id }, signal) => {
      await runSource(deps, source_id, signal)
    },
  })
}

/** Hides the deals whose service lets them be shown for a while only, once that is over. */
export function staleDealHiding({ databases }: Pick<SourceDeps, 'databases'>): JobKind {
  return jobKind({
    name: 'stale-deals',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 60,
    due: async () => ((await hasStaleDeals(databases)) ? [{}] : []),
    run: (_, signal) => hideStaleDeals(databases, signal),
  })
}

/** Makes rows of the quarantine wait again whose release was broken off, and forgets those that nobody has decided for long. */
export function quarantineTidying({ databases }: Pick<SourceDeps, 'databases'>): JobKind {
  return jobKind({
    name: 'quarantine-tidy',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    // With a beat they wait again within half a minute.
    lookEverySeconds: 0,
    due: async () => ((await hasUntidyRows(databases)) ? [{}] : []),
    run: () => tidyRows(databases),
  })
}
