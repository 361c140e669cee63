import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Client } from './client.ts'
import { either, extent } from './extent.ts'
import { growth, type Sample, sample, watched } from './figures.ts'
import { Installation } from './installation.ts'
import { Workload } from './workload.ts'

/** How much more at the end than in the middle is no growth. */
const tolerances = {
  // A few seconds are all warming up.
  rss: { ratio: 1.1, more: either(150, 40) },
  heap: { ratio: 1.1, more: either(60, 15) },
  // Connections of readers and of the pools among them, which open one by one where the machine is busy.
  handles: { ratio: 1, more: either(15, 6) },
  connections: { ratio: 1, more: 3 },
}

test(`${extent.soakMs / 1000} s of imports, edits, readers and streams leave memory, handles and connections flat`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off', ...watched })
  const workload = new Workload(installation, [4_500, 1_000])
  await installation.start()
  await workload.signIn()
  const client = await installation.administrator()
  const ended = new AbortController()
  const load = Promise.all([
    workload.run(ended.signal),
    browse(client, ended.signal),
    comeAndGo(client, ended.signal),
  ])
  // Thrown below: until then nobody waits for it.
  load.catch(() => ended.abort())
  const samples: Sample[] = []
  const end = performance.now() + extent.soakMs
  while (performance.now() < end && !ended.signal.aborted) {
    await sleep(Math.min(extent.soakMs / 40, 5_000))
    const now = await sample(installation)
    samples.push(now)
    // What a long run has seen so far counts also when something ends it early.
    if (samples.length % 60 === 0) console.log(`after ${samples.length} samples: ${JSON.stringify(now)}`)
  }
  ended.abort()
  await load
  expect(await workload.check()).toEqual([])

  const { imports, edits } = workload.acknowledged
  console.log(`${imports} imports, ${edits} edits, ${samples.length} samples; third quarter → last quarter:`)
  expect(growth(samples, tolerances)).toEqual([])
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
