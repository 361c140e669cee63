import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureAlerts, measureAlertsApart } from './alerts.ts'
import { measureDatabase } from './database.ts'
import { measureDealSize } from './deal-size.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureFairness } from './fairness.ts'
import { measureFeed } from './feed-http.ts'
import { measureFrames } from './frames.ts'
import { measureImport } from './import.ts'
import { measureLighthouse } from './lighthouse.ts'
import { measureLinks } from './links.ts'
import { measureLive } from './live.ts'
import { measureManyProcesses } from './many-processes.ts'
import { measurePeers } from './peers.ts'
import { measurePriceImports } from './price-imports.ts'
import { measurePrices } from './prices.ts'
import { stopPrograms } from './processes.ts'
import { measureQuestions } from './questions.ts'
import { printReport, type Report } from './report.ts'
import { saveReports } from './results.ts'
import { removeAll, type Sizes, Workshop } from './scratch.ts'
import { measureSearches } from './searches.ts'
import { measureSources } from './sources.ts'
import { measureStart } from './start.ts'
import { measureSteady } from './steady.ts'
import { measureTyping } from './typing.ts'
import { measureVersions } from './versions.ts'
import { measureWebSize } from './web-size.ts'
import { measureWords } from './words.ts'

const measurements: Record<string, (workshop: Workshop) => Promise<Report>> = {
  database: measureDatabase,
  feed: measureFeed,
  searches: measureSearches,
  import: measureImport,
  links: measureLinks,
  prices: measurePrices,
  'price-imports': measurePriceImports,
  size: measureDealSize,
  questions: measureQuestions,
  web: measureWebSize,
  start: measureStart,
  words: measureWords,
  fairness: measureFairness,
  live: measureLive,
  processes: measureManyProcesses,
  steady: measureSteady,
  sources: measureSources,
  deliveries: measureDeliveries,
  alerts: measureAlerts,
  'alerts-apart': measureAlertsApart,
  lighthouse: measureLighthouse,
  frames: measureFrames,
  typing: measureTyping,
  peers: measurePeers,
  versions: measureVersions,
}
/** What needs more than a name, and so is measured only where it is asked for. */
const askedFor = ['peers', 'versions']

const usage = `Usage: npm run bench -- [--only NAME[,NAME…]] [--peers] [--rows N] [--streams N] [--minutes N] [--seconds N] [--requests N] [--against FOLDER] [--measured FOLDER] [--starts N]

Measures the product on this machine and prints each figure beside its target.
  --only      ${Object.keys(measurements).join(', ')} (all but ${askedFor.join(' and ')} when left out)
  --peers     after the feed, the same beside another product; installs it the first time
  --rows      deals in the large database and rows of the import (1000000)
  --streams   live, versions: open event streams (10000)
  --minutes   steady, sources, alerts, alerts-apart: how long (10)
  --seconds   fairness: how long one member asks for too much, in each way (15)
  --requests  processes: requests in one round (4000)
  --against   versions: the folder of another checkout with its packages installed, whose times and processor times
              this one's are divided by; this folder itself shows how far the figures stray by chance.
              prices: one of before there were verdicts, whose page this one's with them is divided by as well
  --measured  versions: the folder of the checkout that is measured (this one), so that what one change alone costs
              can be told later
  --starts    versions: how often both are started anew (3)

BENCH_DATABASE_URL names a PostgreSQL to use instead of the embedded one: a role that may create databases.`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rows: { type: 'string', default: '1000000' },
    streams: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '15' },
    requests: { type: 'string', default: '4000' },
    against: { type: 'string' },
    measured: { type: 'string' },
    starts: { type: 'string', default: '3' },
    peers: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})
if (values.help) console.log(usage)
else {
  const { streams, minutes, seconds, requests, against, measured, starts } = values
  const sizes = {
    ...{ streams: Number(streams), minutes: Number(minutes), seconds: Number(seconds) },
    ...{ requests: Number(requests), starts: Number(starts), against, measured },
  }
  await run(namesOf(values), Number(values.rows), sizes)
}

/** What to measure, in order. */
function namesOf({ only, peers }: { only?: string; peers: boolean }): string[] {
  const names = only?.split(',') ?? Object.keys(measurements).filter((name) => !askedFor.includes(name))
  return peers ? names.flatMap((name) => (name === 'feed' ? [name, 'peers'] : name)) : names
}

async function run(names: string[], rows: number, sizes: Sizes): Promise<void> {
  const wrong = whatIsWrong(names, rows, sizes)
  if (wrong !== undefined) {
    console.error(`${wrong}\n${usage}`)
    process.exitCode = 2
    return
  }
  const workshop = new Workshop(rows, sizes)
  const reports: Record<string, Report> = {}
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void removeAll().finally(() => process.exit(1)))
  }
  try {
    for (const name of names) {
      const report = await attempt(name, workshop)
      reports[name] = report
      printReport(report)
    }
  } finally {
    await removeAll()
  }
  console.log(`Written to ${await saveReports(reports, rows)}`)
  const missed = Object.values(reports).flatMap((report) =>
    report.figures.filter((figure) => figure.isMet === false),
  )
  console.log(missed.length === 0 ? 'Every target is met.' : `${missed.length} figures miss their target.`)
}

function whatIsWrong(names: string[], rows: number, sizes: Sizes): string | undefined {
  const unknown = names.find((name) => !measurements[name])
  if (unknown !== undefined) return `No measurement '${unknown}'`
  if (!Number.isInteger(rows) || rows < 10_000) return '--rows must be a whole number from 10000'
  if (!Number.isInteger(sizes.streams) || sizes.streams < 100)
    return '--streams must be a whole number from 100'
  if (!(sizes.minutes >= 0.2)) return '--minutes must be a number from 0.2'
  if (!(sizes.seconds >= 2)) return '--seconds must be a number from 2'
  if (!Number.isInteger(sizes.requests) || sizes.requests < 100)
    return '--requests must be a whole number from 100'
  if (!Number.isInteger(sizes.starts) || sizes.starts < 1) return '--starts must be a whole number from 1'
  if (names.includes('versions') && sizes.against === undefined) return 'versions needs --against'
  if (sizes.against !== undefined && !existsSync(`${sizes.against}/node_modules`))
    return '--against must be the folder of a checkout with its packages installed'
  if (sizes.measured !== undefined && !existsSync(`${sizes.measured}/node_modules`))
    return '--measured must be the folder of a checkout with its packages installed'
  return undefined
}

/** One that can't be taken is reported as such and leaves no program running, so that the others still are. */
async function attempt(name: string, workshop: Workshop): Promise<Report> {
  try {
    const report = await measurements[name]?.(workshop)
    if (report) return report
    throw new Error('There is no such measurement')
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    process.exitCode = 1
    await stopPrograms()
    return { title: name, figures: [{ name: 'not measured', value: '', unit: '', isMet: false, note }] }
  }
}
