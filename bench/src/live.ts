import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { dealsChannel } from '../../server/src/features/deals/publisher.ts'
import { importDeals, makeSessions, newDeals, startApplication } from './application.ts'
import { clock } from './clock.ts'
import { fileLimit, memoryOf, type Program, processorSecondsOf, runWorker, stop } from './processes.ts'
import { atLeast, atMost, median, type Report } from './report.ts'
import { rateOfOnePage } from './request-rate.ts'
import { type Workshop, withClient } from './scratch.ts'
import type { Answer, Order } from './stream-readers.ts'

const imports = 5
export const dealsPerImport = 100
/** What else the application and the load generator have open: the database, files, the bench itself. */
const otherFiles = 500
const warmUp = { connections: 16, amount: 20_000, status: 200 } as const
const settleMs = 5_000
/** Two heartbeats of each stream and ten looks at all sessions. */
const idleMs = 30_000

/** Milliseconds from the request to the commit, and from the commit until the first, middle and last stream heard of it. */
type Informed = { committed: number; first: number; middle: number; last: number }
type Level = { streams: number; openSeconds: number; bytesEach: number; informed: Informed[] }

/**
 * Many open event streams on one process, each of a session of its own: how soon an import reaches the last of them,
 * what they cost in memory, and in processor time while nothing happens; also with a tenth of them, to see it grow.
 */
export async function measureLive(workshop: Workshop): Promise<Report> {
  const { streams } = workshop.sizes
  const limit = await fileLimit()
  if (limit < streams + otherFiles) {
    throw new Error(
      `A process may open ${limit} files here, and ${streams} streams need ${streams + otherFiles}: raise the hard limit (ulimit -Hn), or measure fewer with --streams`,
    )
  }
  const { url } = await workshop.filled(Math.min(workshop.rows, 100_000))
  const app = await startApplication(url)
  const readers = runWorker('stream-readers.ts')
  try {
    const cookies = await makeSessions(url, streams)
    await importDeals(app.url, cookies[0] ?? '', newDeals(dealsPerImport))
    // As an application that has been at work: its heap has the room it keeps for what is soon gone again.
    await rateOfOnePage(`${app.url}/api/products`, { cookie: cookies[0] ?? '' }, warmUp)
    await sleep(settleMs)
    const emptyBytes = await memoryOf(app.process)
    const levels: Level[] = []
    for (const count of [Math.floor(streams / 10), streams]) {
      const start = performance.now()
      const before = levels.at(-1)?.streams ?? 0
      await ask(readers, { open: count, url: app.url, cookies })
      const openSeconds = (performance.now() - start) / 1000 / (count - before)
      const informed: Informed[] = []
      for (let round = 0; round < imports; round += 1)
        informed.push(await informAll(url, app, readers, count, cookies[0] ?? ''))
      await sleep(settleMs)
      const bytesEach = ((await memoryOf(app.process)) - emptyBytes) / count
      levels.push({ streams: count, openSeconds, bytesEach, informed })
    }
    const used = await processorSecondsOf(app.process)
    await sleep(idleMs)
    const idle = ((await processorSecondsOf(app.process)) - used) / (idleMs / 1000)
    return reportOf(levels, idle)
  } finally {
    await stop(readers)
    await app.stop()
  }
}

function reportOf(levels: Level[], idle: number): Report {
  const [few, many] = levels
  if (!few || !many) throw new Error('Nothing was measured')
  const last = ({ informed }: Level) => informed.map((one) => one.last)
  const growth = median(last(many)) / Math.max(1, median(last(few)))
  const times = many.streams / few.streams
  const all = ({ streams, bytesEach }: Level) => streams * bytesEach
  const further = (all(many) - all(few)) / (many.streams - few.streams)
  return {
    title: `${many.streams.toLocaleString('en-US')} open streams on one process, a session each`,
    figures: [
      atMost(
        'from the commit to the last stream',
        Math.max(...last(many)) / 1000,
        1,
        's',
        `slowest of ${imports} imports of ${dealsPerImport} new deals`,
      ),
      { name: 'the same, in the middle', value: median(last(many)) / 1000, unit: 's p50' },
      { name: `the same with ${few.streams} streams`, value: median(last(few)) / 1000, unit: 's p50' },
      atMost(`time for ${times} times the streams`, growth, times, '×'),
      atMost('memory', many.bytesEach / 1000, 20, 'KB/stream', 'resident, after a pause'),
      { name: `memory with ${few.streams} streams`, value: few.bytesEach / 1000, unit: 'KB/stream' },
      atMost('memory of each further stream', further / 1000, 20, 'KB/stream'),
      atMost('one core while nothing happens', idle * 100, 5, '%', `over ${idleMs / 1000} s`),
      atLeast('streams opened', 1 / many.openSeconds, 500, 'streams/s', '100 at once'),
    ],
    details: { levels, idle },
  }
}

/** Imports new deals and reads the news of it; the commit is when the database tells of it, or the answer if earlier. */
export async function informAll(
  databaseUrl: string,
  app: Program,
  readers: ChildProcess,
  count: number,
  cookie: string,
  rows = newDeals(dealsPerImport),
): Promise<Informed> {
  return withClient(databaseUrl, async (client) => {
    let committed = Number.POSITIVE_INFINITY
    client.on('notification', () => {
      committed = Math.min(committed, clock())
    })
    await client.query(`listen ${dealsChannel}`)
    await ask(readers, { watch: true })
    const told = nextAnswer(readers)
    const asked = clock()
    const { at } = await importDeals(app.url, cookie, rows)
    const answer = await told
    if (!('informed' in answer) || answer.informed < count)
      throw new Error(`Not every stream heard of an import: ${JSON.stringify(answer)}`)
    // The news may reach a stream before it reaches us.
    const from = Math.min(committed, at, answer.first)
    return {
      committed: from - asked,
      first: answer.first - from,
      middle: answer.middle - from,
      last: answer.last - from,
    }
  })
}

/** Hands the readers an order; returns what they answer. */
export async function ask(readers: ChildProcess, order: Order): Promise<Answer> {
  const answer = nextAnswer(readers)
  readers.send(order)
  return answer
}

function nextAnswer(readers: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('The readers ended early'))
    readers.once('exit', gone)
    readers.once('message', (answer: Answer) => {
      readers.off('exit', gone)
      if ('failed' in answer) reject(new Error(answer.failed))
      else resolve(answer)
    })
  })
}
