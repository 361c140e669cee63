import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { collectGarbage, readMetrics } from './figures.ts'
import type { Installation } from './installation.ts'

/** After any abuse an installation is at rest again by then, in milliseconds. */
const limitMs = 10_000
/** How long the processor's time is looked at, in milliseconds, and the share of it that is rest. */
const lookMs = 500
const idleShare = 0.15
/**
 * Pause before another look, in milliseconds. The memory that the look before has given up is swept in the background: in the half second
 * behind it that took 0.26 to 0.35 of a processor, and 0.09 was left in the next.
 */
const sweepMs = 500
/** How much more memory than before may be held. */
const memoryShare = 1.15

/** What an installation does and holds at one moment. */
export type Rest = {
  imports: number
  /** Turns that members have or wait for. */
  turns: number
  streams: number
  /** Connections of the application on which something is under way. */
  busy: number
  /** Share of one processor's time. */
  processor: number
  /**
   * What is held once all that is not has been given up, in bytes: garbage is only waiting for its time. Without the
   * pages of the feed, which are cached on purpose, and of which there is a limit.
   */
  memory: number
}

/** Looks at an installation, one that is `watched`, for half a second. */
export async function restOf(installation: Installation): Promise<Rest> {
  const before = await readMetrics(installation.origin)
  const begin = performance.now()
  await sleep(lookMs)
  const after = await readMetrics(installation.origin)
  const seconds = (performance.now() - begin) / 1_000
  await collectGarbage(installation)
  const held = await readMetrics(installation.origin)
  const cpu = 'process_cpu_seconds_total'
  const [busy] = await installation.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where state <> 'idle' and application_name = 'dealdeck' and pid <> pg_backend_pid()`,
  )
  return {
    ...{ imports: after('dealdeck_imports_running'), streams: after('dealdeck_open_streams') },
    ...{ turns: after('dealdeck_turns'), busy: busy?.n ?? 0 },
    processor: (after(cpu) - before(cpu)) / seconds,
    memory:
      held('nodejs_heap_size_used_bytes') +
      held('nodejs_external_memory_bytes') -
      held('dealdeck_feed_cache_bytes'),
  }
}

/** Waits until an installation does what it did before. Throws when that takes longer than ten seconds. */
export async function returnsToRest(installation: Installation, before: Rest): Promise<string> {
  const begin = performance.now()
  for (;;) {
    const now = await restOf(installation)
    const isResting =
      now.imports <= before.imports &&
      now.turns <= before.turns &&
      now.streams <= before.streams &&
      now.busy <= before.busy &&
      now.processor < before.processor + idleShare &&
      now.memory <= before.memory * memoryShare
    const took = performance.now() - begin
    if (!isResting && took < limitMs) {
      await sleep(sweepMs)
      continue
    }
    expect(isResting, `${JSON.stringify(before)} became ${JSON.stringify(now)}`).toBe(true)
    const megabytes = [before, now].map(({ memory }) => Math.round(memory / 1e6))
    return `at rest after ${(took / 1_000).toFixed(1)} s, memory ${megabytes.join(' → ')} MB`
  }
}
