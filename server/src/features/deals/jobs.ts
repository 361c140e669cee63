import type { Logger } from 'pino'
import { z } from 'zod'
import type { Databases } from '../../platform/database/database.ts'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import {
  endAbsentFollowers,
  type FollowerLag,
  hasAbsentFollowers,
  readFollowerLags,
} from './following/lag.ts'
import { hasOldEvents, type KeptDays, pruneEvents } from './following/pruning.ts'
import { endDeals, hasEndedDeals } from './writing/ending.ts'
import { hasOldIndexes, replaceOldIndexes } from './writing/indexing.ts'
import { clearImplausibleOriginals, hasImplausibleOriginals } from './writing/originals.ts'
import { hasOldJson, refreshDealJson } from './writing/refreshing.ts'

/** Hides each deal whose end passes, within a beat or two. */
export function dealEnding({ databases }: { databases: Databases }): JobKind {
  return jobKind({
    name: 'deal-ending',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 0,
    due: async () => ((await hasEndedDeals(databases)) ? [{}] : []),
    run: (_, signal) => endDeals(databases, signal),
  })
}

/**
 * Deletes the events and records of changes that no process and no follower needs any more, and ends followers that nobody
 * runs. `followers` says how far each was behind at the last look.
 */
export function eventPruning({
  databases,
  settings,
  log,
}: {
  databases: Databases
  settings: KeptDays
  log: Logger
}): { kind: JobKind; followers: () => readonly FollowerLag[] } {
  let lags: readonly FollowerLag[] = []
  const kind = jobKind({
    name: 'event-pruning',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 60,
    async due() {
      lags = await readFollowerLags(databases)
      const isDue =
        (await hasAbsentFollowers(databases, settings)) || (await hasOldEvents(databases, settings))
      return isDue ? [{}] : []
    },
    async run(_, signal) {
      for (const follower of await endAbsentFollowers(databases, settings))
        log.warn({ follower }, 'A follower was away for too long, nothing is kept for it any more')
      await pruneEvents(databases, settings, signal)
    },
  })
  return { kind, followers: () => lags }
}

/** Makes the JSON of deals anew that an older version of it was made by; until then a page makes what it needs. */
export function dealJsonRefreshing({ databases, log }: { databases: Databases; log: Logger }): JobKind {
  return jobKind({
    name: 'deal-json',
    payload: z.strictObject({}),
    // Ten minutes for each million of deals; broken off it goes on where it was.
    limits: { retries: 5, timeLimitSeconds: 3_600, concurrency: 1 },
    lookEverySeconds: 600,
    due: async () => ((await hasOldJson(databases)) ? [{}] : []),
    run: async (_, signal) => {
      const deals = await refreshDealJson(databases, signal)
      if (deals > 0) log.info({ deals }, 'All deals have the JSON of this version')
    },
  })
}

/** Makes indexes of deals that a migration made or changed; until then pages and searches use the old ones, or none. */
export function dealIndexing({ databases }: { databases: Databases }): JobKind {
  return jobKind({
    name: 'deal-index',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 3_600, concurrency: 1 },
    lookEverySeconds: 600,
    due: async () => ((await hasOldIndexes(databases)) ? [{}] : []),
    run: async (_, signal) => {
      await replaceOldIndexes(databases, signal)
    },
  })
}

/** Takes away original prices that were stored before they were held to the price, or past an import. */
export function originalClearing({ databases }: { databases: Databases }): JobKind {
  return jobKind({
    name: 'deal-originals',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 3_600, concurrency: 1 },
    lookEverySeconds: 600,
    due: async () => ((await hasImplausibleOriginals(databases)) ? [{}] : []),
    run: (_, signal) => clearImplausibleOriginals(databases, signal),
  })
}
