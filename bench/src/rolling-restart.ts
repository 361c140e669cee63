import { setTimeout as sleep } from 'node:timers/promises'
import { importDeals, newDeals, startOneOfFour } from './application.ts'
import type { Balancer } from './balancer.ts'
import { beside } from './beside.ts'
import { EventReader } from './event-reader.ts'
import type { Program } from './processes.ts'

const readers = 8
const streams = 12
const restMs = 1_000
const importEveryMs = 250
const lastEventsMs = 5_000

/** What the others noticed while one process after the other was stopped and started again. */
export type Restarted = {
  seconds: number
  reads: number
  failedReads: string[]
  imports: number
  failedImports: string[]
  streams: { all: number; broken: number; reopened: number }
}

type Installation = {
  databaseUrl: string
  /** Each is replaced by the process started in its stead. */
  apps: Program[]
  ports: number[]
  balancer: Balancer
  /** The balancer's address. */
  front: string
  cookie: string
}

/** Restarts all processes, one after the other, while pages are read, deals imported and streams read. */
export async function restartEach(installation: Installation): Promise<Restarted> {
  const { front, cookie, apps } = installation
  const eventReaders = Array.from({ length: streams }, () => new EventReader(front, cookie))
  try {
    await Promise.all(eventReaders.map((reader) => reader.opened))
    const load: Load = { reads: 0, failedReads: [], imports: 0, failedImports: [] }
    const busy = [
      ...Array.from({ length: readers }, () => readerOf(installation, load)),
      () => handIn(installation, load),
    ]
    const seconds = await beside(busy, async () => {
      const start = performance.now()
      for (const index of apps.keys()) {
        await sleep(restMs)
        await restart(installation, index)
      }
      const took = (performance.now() - start) / 1000
      await sleep(restMs)
      return took
    })
    // One more, which every stream must end with.
    await importDeals(front, cookie, newDeals(1))
    const newest = () => Math.max(...eventReaders.map((reader) => reader.revisions.at(-1) ?? 0))
    const until = performance.now() + lastEventsMs
    const isLate = (reader: EventReader) => reader.revisions.at(-1) !== newest()
    do await sleep(250)
    while (eventReaders.some(isLate) && performance.now() < until)
    const broken = eventReaders.filter((reader) => isLate(reader) || !reader.isWhole()).length
    const reopened = eventReaders.reduce((sum, reader) => sum + reader.reopened, 0)
    return { seconds, ...load, streams: { all: streams, broken, reopened } }
  } finally {
    for (const reader of eventReaders) reader.close()
  }
}

async function restart({ databaseUrl, apps, ports, balancer }: Installation, index: number): Promise<void> {
  await apps[index]?.stop()
  await balancer.waitFor(index, 'DOWN')
  apps[index] = await startOneOfFour(databaseUrl, ports[index])
  await balancer.waitFor(index, 'UP')
}

type Load = Omit<Restarted, 'seconds' | 'streams'>

/** What a reader does over and over: reads a page that it has not read before. */
function readerOf({ front, cookie }: Installation, load: Load): () => Promise<void> {
  let cents = 500
  return async () => {
    cents += 1
    try {
      const answer = await fetch(`${front}/api/products?max_price=${cents / 100}`, { headers: { cookie } })
      const page: unknown = JSON.parse(await answer.text())
      if (answer.status !== 200)
        load.failedReads.push(`${answer.status} ${JSON.stringify(page).slice(0, 200)}`)
    } catch (error) {
      load.failedReads.push(reasonOf(error))
    }
    load.reads += 1
    await sleep(10)
  }
}

async function handIn({ front, cookie }: Installation, load: Load): Promise<void> {
  await importDeals(front, cookie, newDeals(20)).catch((error) => load.failedImports.push(reasonOf(error)))
  load.imports += 1
  await sleep(importEveryMs)
}

/** fetch hides what happened in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
