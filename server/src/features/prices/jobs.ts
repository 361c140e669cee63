import type { Logger } from 'pino'
import { z } from 'zod'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'
import { type Follower, follow, type Handler } from '../deals/following/follower.ts'
import { markAll, markChanged, type PriceDeps, refreshVerdicts } from './actions.ts'
import { hasDue, hasUnmarked } from './queries.ts'

/** Nobody waits for a verdict: readers hear of the change itself first, and imports in quick succession are marked at once. */
const lingerMs = 250
/** The name of the follower by which changes of deals make verdicts due. */
export const verdictFollower = 'price verdicts'

/** Finds out what is due of verdicts: after a change, and as time goes by. */
export function verdictRefreshing(deps: PriceDeps): JobKind {
  return jobKind({
    name: 'price-verdicts',
    payload: z.strictObject({}),
    // Ten minutes and twice as long in pauses for each million of deals, a quarter more where deals keep coming; broken off it goes on where it was.
    limits: { retries: 5, timeLimitSeconds: 7_200, concurrency: 1 },
    lookEverySeconds: 0,
    due: async () => ((await hasDue(deps.databases.customPlanPool)) ? [{}] : []),
    run: async (_, signal) => {
      await refreshVerdicts(deps, signal)
    },
  })
}

/** Makes the verdicts of all deals due where nobody knows what has happened to them. */
export function verdictMarking(deps: PriceDeps): JobKind {
  return jobKind({
    name: 'price-verdicts-anew',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 3_600, concurrency: 1 },
    lookEverySeconds: 0,
    // Only once what happens from then on is followed.
    due: async () => ((await hasUnmarked(deps.databases.customPlanPool, verdictFollower)) ? [{}] : []),
    run: (_, signal) => markAll(deps, signal),
  })
}

/** Makes verdicts due with each change of deals, and calls `wake` then. Begin it once the jobs may begin, and stop it before. */
export function followDeals(deps: PriceDeps & { bus: LiveBus; log: Logger }, wake: () => void): Follower {
  const mark: Handler = async (changes, client) => ((await markChanged(changes, client)) ? wake : undefined)
  return follow(deps, verdictFollower, mark, lingerMs)
}
