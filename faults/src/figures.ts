import { once } from 'node:events'
import type { Installation } from './installation.ts'

/** Settings of an installation whose memory is looked at. */
export const watched = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** What is watched: megabytes, those of the heap without garbage, and counts of things that are open. */
export type Sample = Record<'rss' | 'heap' | 'handles' | 'connections', number>

/** An application's own metrics of one moment by name, each summed up over its labels; NaN for one that it hasn't. */
export async function readMetrics(origin: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  const sums = new Map<string, number>()
  for (const [, name = '', value] of text.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm))
    sums.set(name, (sums.get(name) ?? 0) + Number(value))
  return (name) => sums.get(name) ?? Number.NaN
}

/** What an installation, one that is `watched`, takes just now. */
export async function sample(installation: Installation): Promise<Sample> {
  await collectGarbage(installation)
  const value = await readMetrics(installation.origin)
  const [row] = await installation.query<{ n: string }>(
    "select count(*) as n from pg_stat_activity where application_name like 'dealdeck%'",
  )
  return {
    rss: Math.round(value('process_resident_memory_bytes') / 1e6),
    heap: Math.round(value('nodejs_heap_size_used_bytes') / 1e6),
    handles: value('nodejs_active_resources_total'),
    connections: Number(row?.n),
  }
}

/**
 * What grew from the third quarter of the samples to the last, in words; the first half is for warming up. `tolerances`
 * says how much more is no growth: a share, and so much that is noise anyway.
 */
export function growth(
  samples: readonly Sample[],
  tolerances: Record<keyof Sample, { ratio: number; more: number }>,
): string[] {
  const third = samples.slice(samples.length / 2, samples.length * 0.75)
  const fourth = samples.slice(samples.length * 0.75)
  return (['rss', 'heap', 'handles', 'connections'] as const).flatMap((what) => {
    const [before, after] = [median(third, what), median(fourth, what)]
    console.log(`  ${what}: ${before} → ${after}`)
    const { ratio, more } = tolerances[what]
    return after > before * ratio + more ? [`${what}: ${before} → ${after}`] : []
  })
}

function median(samples: readonly Sample[], what: keyof Sample): number {
  const values = samples.map((one) => one[what]).sort((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Gives up what is only waiting for its time, through the debugger, which says its address on standard error. */
export async function collectGarbage({ process }: Installation): Promise<void> {
  const address = /ws:\S+/.exec(process?.errors ?? '')?.[0]
  if (!address) throw new Error('This installation is not watched')
  const socket = new WebSocket(address)
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await once(socket, 'message')
  socket.close()
}
