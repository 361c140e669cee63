import type { Logger } from 'pino'
import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
import type { Databases } from '../../platform/database/database.ts'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'
import { type Follower, follow } from '../deals/following/follower.ts'
import { forgetMatches, hasForgettable } from './actions.ts'
import { matcher } from './matching/matcher.ts'

type MatchingDeps = { databases: Databases; bus: LiveBus; log: Logger; clock: Clock }

/** The name of the follower that judges changes of deals against alerts. */
const alertFollower = 'alerts'
/** Imports in quick succession are judged at once, in milliseconds. */
const lingerMs = 10

/** Tells alerts of each change of deals. Begin it once jobs may begin, and stop it before. */
export function followForAlerts(deps: MatchingDeps): Follower {
  return follow(deps, alertFollower, matcher(deps), lingerMs)
}

/** Forgets what alerts found long ago. */
export function matchForgetting({ databases }: Pick<MatchingDeps, 'databases'>): JobKind {
  return jobKind({
    name: 'alert-forgetting',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 600, concurrency: 1 },
    lookEverySeconds: 3_600,
    due: async () => ((await hasForgettable(databases)) ? [{}] : []),
    run: (_, signal) => forgetMatches(databases, signal),
  })
}
