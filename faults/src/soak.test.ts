import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Client } from './client.ts'
import { either, extent } from './extent.ts'
import { Installation } from './installation.ts'
import { Workload } from './workload.ts'

/** What is watched: megabytes, and counts of things that are open. */
type Sample = Record<'rss' | 'heap' | 'handles' | 'connections', number>

/** How much more at the end than in the middle is no growth: a share, and so much that is noise anyway. */
const tolerances: Record<keyof Sample, { ratio: number; more: number }> = {
  // A few seconds are all warming up.
  rss: { ratio: 1.1, more: either(150, 40) },
  heap: { ratio: 1.2, more: either(60, 25) },
  handles: { ratio: 1, more: 6 },
  connections: { ratio: 1, more: 3 },
}

test(`${extent.soakMs / 1000} s of imports, edits, readers and streams leave memory, handles and connections flat`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off' })
  const workload = new Workload(installation, [4_500, 1_000])
  await installation.start()
  await workload.signIn()
  const client = await installation.administrator()
  const ended = new AbortController()
  const load = [workload.run(ended.signal), browse(client, ended.signal), comeAndGo(client, ended.signal)]
  const samples: Sample[] = []
  const end = performance.now() + extent.soakMs
  while (performance.now() < end) {
    await sleep(Math.min(extent.soakMs / 40, 5_000))
    const now = await sample(installation)
    samples.push(now)
    // What a long run has seen so far counts also when something ends it early.
    if (samples.length % 60 === 0) console.log(`after ${samples.length} samples: ${JSON.stringify(now)}`)
  }
  ended.abort()
  await Promise.all(load)
  expect(await workload.check()).toEqual([])

  const [third, fourth] = [
    samples.slice(samples.length / 2, samples.length * 0.75),
    samples.slice(samples.length * 0.75),
  ]
  const { imports, edits } = workload.acknowledged
  console.log(`${imports} imports, ${edits} edits, ${samples.length} samples; third quarter → last quarter:`)
  const grown: string[] = []
  for (const what of ['rss', 'heap', 'handles', 'connections'] as const) {
    const [before, after] = [median(third, what), median(fourth, what)]
    console.log(`  ${what}: ${before} → ${after}`)
    if (after > before * tolerances[what].ratio + tolerances[what].more)
      grown.push(`${what}: ${before} → ${after}`)
  }
  expect(grown).toEqual([])
})

/** People who look at pages. */
async function browse(client: Client, signal: AbortSignal): Promise<void> {
  const paths = [
    '/api/products',
    '/api/products?sort=price&search=kettle',
    '/api/products?prime_only=true',
    '/api/amazon_filters',
  ]
  for (let n = 0; !signal.aborted; n++) {
    const response = await client.get(paths[n % paths.length] ?? '/')
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    await sleep(10)
  }
}

/** People who open the live stream and go away again. */
async function comeAndGo(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const gone = AbortSignal.any([signal, AbortSignal.timeout(500)])
    const streams = Array.from({ length: 10 }, async () => {
      const response = await fetch(`${client.origin}/api/products/events`, {
        headers: { cookie: client.cookie },
        signal: gone,
      })
      for await (const _ of response.body ?? []) if (gone.aborted) return
    })
    await Promise.allSettled(streams)
  }
}

async function sample(installation: Installation): Promise<Sample> {
  const text = await (await fetch(`${installation.origin}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
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

function median(samples: readonly Sample[], what: keyof Sample): number {
  const values = samples.map((one) => one[what]).sort((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? Number.NaN
}
