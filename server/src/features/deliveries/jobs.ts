import { z } from 'zod'
import type { AppDeps } from '../../platform/deps.ts'
import { type JobKind, jobKind } from '../../platform/jobs/job-kinds.ts'
import { findGroupPosts, markGroupPosts } from './sending/group-posts.ts'
import { hasOldDeliveries, pruneDeliveries } from './sending/pruning.ts'

/** How often it is looked for posts of processes that ended before they were marked, in milliseconds. */
const lookMs = 60_000

/** Forgets what was sent long ago. */
export function deliveryPruning({ databases }: Pick<AppDeps, 'databases'>): JobKind {
  return jobKind({
    name: 'delivery-prune',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 600,
    due: async () => ((await hasOldDeliveries(databases)) ? [{}] : []),
    run: (_, signal) => pruneDeliveries(databases, signal),
  })
}

/** Has deals say that they were posted to a Discord channel of the group; `note` that some have just been. */
export function groupPostMarking({ databases }: Pick<AppDeps, 'databases'>): { kind: JobKind; note(): void } {
  let isNoted = true
  let looked = Number.NEGATIVE_INFINITY
  const kind = jobKind({
    name: 'discord-posts',
    payload: z.strictObject({}),
    limits: { retries: 5, timeLimitSeconds: 300, concurrency: 1 },
    lookEverySeconds: 0,
    due: async () => {
      if (!isNoted && performance.now() - looked < lookMs) return []
      isNoted = false
      looked = performance.now()
      return (await findGroupPosts(databases)).length > 0 ? [{}] : []
    },
    run: (_, signal) => markGroupPosts(databases, signal),
  })
  return {
    kind,
    note: () => {
      isNoted = true
    },
  }
}
