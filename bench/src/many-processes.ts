import { rm } from 'node:fs/promises'
import { cpus } from 'node:os'
import { importDeals, makeReaders, newDeals, signIn, startOneOfFour } from './application.ts'
import { type Balancer, freePorts, startBalancer } from './balancer.ts'
import { EventReader } from './event-reader.ts'
import { distinctPages } from './feed-http.ts'
import { type Program, processorSecondsOf } from './processes.ts'
import { atLeast, atMost, type Figure, median, type Report } from './report.ts'
import { rateOfOnePage, rateOfPages } from './request-rate.ts'
import { type Restarted, restartEach } from './rolling-restart.ts'
import { makeFolder, type Workshop } from './scratch.ts'

const counts = [1, 2, 4]
const processes = Math.max(...counts)
const rounds = 3
const connections = 32
const hearingMs = 5_000

/** So many leave room for two processes and all that share the machine with them. */
const enoughCores = 6

/**
 * Requests a second; the processor time all processes took for one of the uncached, in milliseconds; and how much of the
 * machine's cores was busy meanwhile, as a share.
 */
type Rates = { uncached: number[]; cached: number[]; work: number[]; busy: number[] }

/**
 * One, two and four processes on one database behind a balancer: reads a second, by turns; whether all of them show the
 * same session and events; and what a restart of one after the other under load costs anybody.
 */
export async function measureManyProcesses(workshop: Workshop): Promise<Report> {
  const { requests } = workshop.sizes
  const { url } = await workshop.filled(Math.min(workshop.rows, 200_000))
  const folder = await makeFolder()
  const ports = await freePorts(processes)
  const apps: Program[] = []
  let balancer: Balancer | undefined
  try {
    balancer = await startBalancer(folder, ports, counts)
    for (const port of ports) apps.push(await startOneOfFour(url, port))
    for (const index of apps.keys()) await balancer.waitFor(index, 'UP')
    const front = balancer.entrances.at(-1)?.url ?? ''
    const cookie = await signIn(front)
    const rates = await measureRates(balancer, apps, { databaseUrl: url, requests })
    const strangers = await countStrangers(apps, cookie)
    const slowest = await slowestNews(apps, front, cookie)
    const restarted = await restartEach({ databaseUrl: url, apps, ports, balancer, front, cookie })
    return {
      title: `One, two and four processes behind HAProxy, ${cpus().length} cores`,
      figures: [
        ...rateFigures(rates),
        atMost('processes that refuse a session of another', strangers, 0, ''),
        atMost('an import, until a stream of every process knows', slowest / 1000, 1, 's'),
        ...restartFigures(restarted),
      ],
      details: { rates: Object.fromEntries(rates), restarted },
    }
  } finally {
    await Promise.all(apps.map((app) => app.stop()))
    await balancer?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** By turns, so that all numbers of processes suffer the same neighbours; the processes not asked stand idle. */
async function measureRates(
  { entrances }: Balancer,
  apps: Program[],
  { databaseUrl, requests }: { databaseUrl: string; requests: number },
): Promise<Map<number, Rates>> {
  const rates = new Map(
    counts.map((count): [number, Rates] => [count, { uncached: [], cached: [], work: [], busy: [] }]),
  )
  const headers = { 'accept-encoding': 'gzip' }
  const cookies = await makeReaders(databaseUrl)
  // A round that isn't counted warms all of them.
  const pages = await distinctPages(databaseUrl, requests * (rounds + 1) * entrances.length)
  const options = { connections, amount: requests, status: 200, cookies } as const
  for (let round = 0; round <= rounds; round += 1) {
    for (const { servers, url } of entrances) {
      const own = pages.splice(0, requests)
      const before = await processorSeconds(apps)
      const busySince = busyShare()
      const { perSecond: uncached } = await rateOfPages(url, own, headers, options)
      const busy = busySince()
      const work = ((await processorSeconds(apps)) - before) / requests
      const cached = await rateOfOnePage(url + own[0], headers, { ...options, amount: 4 * requests })
      if (round === 0) continue
      rates.get(servers)?.work.push(work * 1000)
      rates.get(servers)?.busy.push(busy)
      rates.get(servers)?.uncached.push(uncached)
      rates.get(servers)?.cached.push(cached)
    }
  }
  return rates
}

/** The share of all cores that was busy from now until the returned function is called, whoever kept them busy. */
function busyShare(): () => number {
  const sum = () =>
    cpus().reduce(
      ({ idle, all }, { times }) => ({
        idle: idle + times.idle,
        all: all + times.user + times.nice + times.sys + times.irq + times.idle,
      }),
      { idle: 0, all: 0 },
    )
  const start = sum()
  return () => {
    const end = sum()
    return 1 - (end.idle - start.idle) / (end.all - start.all)
  }
}

async function processorSeconds(apps: Program[]): Promise<number> {
  const seconds = await Promise.all(apps.map((app) => processorSecondsOf(app.process)))
  return seconds.reduce((sum, one) => sum + one, 0)
}

function rateFigures(rates: Map<number, Rates>): Figure[] {
  const middle = (kind: keyof Rates, count: number) => median(rates.get(count)?.[kind] ?? [])
  const shared = `${cpus().length} cores, shared with the database, the balancer and who asks`
  const rateLines = (['uncached', 'cached'] as const).flatMap((kind): Figure[] => {
    const name = `${kind} pages, two / one`
    const ratio = middle(kind, 2) / middle(kind, 1)
    return [
      ...counts.map((count): Figure => {
        const unit = 'requests/s'
        return { name: `${kind} pages, processes: ${count}`, value: middle(kind, count), unit }
      }),
      cpus().length < enoughCores
        ? { name, value: ratio, unit: '×', note: `≥ 1.7 asked from ${enoughCores} cores on; ${shared}` }
        : atLeast(name, ratio, 1.7, '×', shared),
    ]
  })
  const work = middle('work', 2) / middle('work', 1)
  return [
    ...rateLines,
    {
      ...{ name: 'cores busy while one process serves uncached pages', unit: '%' },
      value: 100 * middle('busy', 1),
      note: 'what is left is all that a second process could add',
    },
    { name: 'processor time of one process for an uncached page', value: middle('work', 1), unit: 'ms' },
    atMost('the same, two / one', work, 1.18, '×', 'what a second process costs the first; 2 / 1.7'),
  ]
}

/** How many processes don't know the session made at the balancer, that is, at one of them. */
async function countStrangers(apps: Program[], cookie: string): Promise<number> {
  const answers = await Promise.all(
    apps.map((app) => fetch(`${app.url}/api/session`, { headers: { cookie } })),
  )
  return answers.filter(({ status }) => status !== 200).length
}

/** Milliseconds from the answer of an import, by way of the balancer, until a stream of each process has its event. */
async function slowestNews(apps: Program[], front: string, cookie: string): Promise<number> {
  const readers = apps.map((app) => new EventReader(app.url, cookie))
  try {
    await Promise.all(readers.map((reader) => reader.opened))
    const start = performance.now()
    await importDeals(front, cookie, newDeals(100))
    while (readers.some((reader) => reader.revisions.length === 0)) {
      if (performance.now() > start + hearingMs) return Number.POSITIVE_INFINITY
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return performance.now() - start
  } finally {
    for (const reader of readers) reader.close()
  }
}

function restartFigures({
  seconds,
  reads,
  failedReads,
  imports,
  failedImports,
  streams,
}: Restarted): Figure[] {
  return [
    { name: `restart of ${processes} processes, one by one`, value: seconds, unit: 's' },
    atMost('reads that failed meanwhile', failedReads.length, 0, '', `of ${reads}${first(failedReads)}`),
    atMost(
      'imports that failed meanwhile',
      failedImports.length,
      0,
      '',
      `of ${imports}${first(failedImports)}`,
    ),
    atMost('streams that missed or repeated an event', streams.broken, 0, '', `of ${streams.all}`),
    { name: 'times a stream was opened again', value: streams.reopened, unit: '' },
  ]
}

const first = ([failure]: string[]) => (failure === undefined ? '' : `, first: ${failure}`)
