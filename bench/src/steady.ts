import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import {
  type ImportRow,
  importDeals,
  makeSessions,
  newDeals,
  priceOf,
  signIn,
  someDeals,
  startApplication,
} from './application.ts'
import { EventReader } from './event-reader.ts'
import { memoryOf, type Program } from './processes.ts'
import { atLeast, atMost, median, percentile, type Report } from './report.ts'
import { type Workshop, withClient } from './scratch.ts'
import type { ReadersData } from './steady-readers.ts'

const perSecond = 500
const rowsPerImport = 100
const everyMs = (rowsPerImport / perSecond) * 1000
const readers = 50
const memoryEveryMs = 1_000
/** Deals whose price changes over and over. */
const repriced = 20_000
/** Not measured: connections are opened and code is compiled. */
const warmUpMs = 5_000

type Found = {
  seconds: number
  changes: number
  importMs: number[]
  readMs: number[]
  memory: number[]
  events: number
}

/**
 * Steady changes for minutes, half of them new prices and half new deals, while readers ask for a page each second and
 * keep a stream open: how soon a page is there, and whether the application's memory stays where it was.
 */
export async function measureSteady(workshop: Workshop): Promise<Report> {
  const { url } = await workshop.filled(Math.min(workshop.rows, 200_000))
  const app = await startApplication(url)
  const streams: EventReader[] = []
  try {
    const cookies = await makeSessions(url, readers)
    for (const cookie of cookies) streams.push(new EventReader(app.url, cookie))
    await Promise.all(streams.map((stream) => stream.opened))
    const old = await withClient(url, (client) => someDeals(client, repriced))
    const admin = await signIn(app.url)
    await keepGoing(app, { admin, cookies, old }, warmUpMs)
    const before = streams.map((stream) => stream.revisions.length)
    const found = await keepGoing(app, { admin, cookies, old }, workshop.sizes.minutes * 60_000)
    const events = streams.map((stream, index) => stream.revisions.length - (before[index] ?? 0))
    const unordered = streams.filter((stream) => !stream.isWhole()).length
    return reportOf({ ...found, events: median(events) }, unordered, workshop.rows)
  } finally {
    for (const stream of streams) stream.close()
    await app.stop()
  }
}

function reportOf(found: Found, unordered: number, rows: number): Report {
  const { seconds, changes, readMs, importMs, memory, events } = found
  const [, second = [], , last = []] = quarters(memory)
  const megabytes = (values: number[]) => median(values) / 1_000_000
  const minutes = (seconds / 60).toFixed(1)
  return {
    title: `${minutes} minutes of steady changes, ${readers} readers, ${Math.min(rows, 200_000).toLocaleString('en-US')} deals`,
    figures: [
      atLeast('changes', changes / seconds, perSecond, '/s', `${changes.toLocaleString('en-US')} in all`),
      atMost('a page of a reader', percentile(0.99, readMs), 20, 'ms p99', `${readMs.length} pages`),
      { name: 'the same, in the middle', value: median(readMs), unit: 'ms p50' },
      { name: 'the same, the slowest', value: percentile(1, readMs), unit: 'ms max' },
      { name: `an import of ${rowsPerImport}`, value: percentile(0.99, importMs), unit: 'ms p99' },
      atMost(
        'memory, last quarter / second quarter',
        median(last) / median(second),
        1.1,
        '×',
        `${megabytes(second).toFixed(0)} MB, then ${megabytes(last).toFixed(0)} MB`,
      ),
      { name: 'events on each stream', value: events / seconds, unit: '/s' },
      atMost('streams that missed or repeated one', unordered, 0, ''),
    ],
    details: {
      seconds,
      changes,
      memory,
      readMs: [0.5, 0.9, 0.99, 0.999, 1].map((part) => percentile(part, readMs)),
    },
  }
}

type Crowd = { admin: string; cookies: string[]; old: ImportRow[] }

/**
 * How long each page took that readers asked for, each of them one a second, in milliseconds; and the memory each second, in bytes, of all
 * processes: `app`, which is read from, and `others`.
 */
export async function readSteadily(
  app: Program,
  cookies: readonly string[],
  ms: number,
  others: readonly Program[] = [],
): Promise<{ readMs: number[]; memory: number[] }> {
  const until = performance.now() + ms
  // A thread of their own: what else this program does must not be taken for waiting.
  const thread = new Worker(new URL('./steady-readers.ts', import.meta.url), {
    workerData: { url: app.url, cookies, ms } satisfies ReadersData,
  })
  const read = once(thread, 'message')
  const [[readMs], memory] = await Promise.all([read, watchMemory([app, ...others], until)])
  return { readMs, memory }
}

async function keepGoing(app: Program, crowd: Crowd, ms: number): Promise<Omit<Found, 'events'>> {
  const [imports, reads] = await Promise.all([
    change(app, crowd, performance.now() + ms),
    readSteadily(app, crowd.cookies, ms),
  ])
  return { ...imports, ...reads }
}

let turn = 0

/** One import after the other at its appointed time; one that comes late doesn't move those after it. */
async function change(app: Program, { admin, old }: Crowd, until: number) {
  const start = performance.now()
  const importMs: number[] = []
  let changes = 0
  for (let due = start; due < until; due += everyMs) {
    await sleep(Math.max(0, due - performance.now()))
    const rows = newDeals(rowsPerImport / 2)
    for (let count = rowsPerImport / 2; count > 0; count -= 1) {
      const deal = old[turn % old.length]
      if (deal) {
        const price = priceOf(turn + Math.floor(turn / old.length))
        // Another price than it has, or there would be nothing to change.
        deal.price = price === deal.price ? price + 1 : price
        rows.push({ ...deal })
      }
      turn += 1
    }
    const done = await importDeals(app.url, admin, rows)
    importMs.push(done.ms)
    changes += done.changes
  }
  const seconds = Math.max(importMs.length * everyMs, performance.now() - start) / 1000
  await sleep(Math.max(0, until - performance.now()))
  return { seconds, changes, importMs }
}

async function watchMemory(programs: readonly Program[], until: number): Promise<number[]> {
  const memory: number[] = []
  while (performance.now() < until) {
    const each = await Promise.all(programs.map((program) => memoryOf(program.process)))
    memory.push(each.reduce((sum, one) => sum + one))
    await sleep(memoryEveryMs)
  }
  return memory
}

function quarters(values: number[]): number[][] {
  const length = Math.floor(values.length / 4)
  return [0, 1, 2, 3].map((quarter) => values.slice(quarter * length, (quarter + 1) * length))
}
