import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { startWithWeb } from './application.ts'
import { browserFlags, browserPath, filledWithPictures } from './browser-place.ts'
import { installPeer, runToEnd } from './peer-packages.ts'
import { fillVerdicts } from './prices.ts'
import { atLeast, type Figure, median, type Report } from './report.ts'
import { type Workshop, withClient } from './scratch.ts'

const version = '13.5.0'
const deals = 400
const runs = 5
const results = fileURLToPath(new URL('../results/lighthouse/', import.meta.url))

type Screen = { name: string; path: string; signedIn: boolean }

const screens: readonly Screen[] = [
  { name: 'login', path: '/', signedIn: false },
  { name: 'home', path: '/', signedIn: true },
  { name: 'feed', path: '/amazon-haul', signedIn: true },
  { name: 'generator', path: '/tools', signedIn: true },
]

const targets = { performance: 98, accessibility: 100, 'best-practices': 100 } as const
type Category = keyof typeof targets
const categories = Object.keys(targets)

const resultSchema = z.object({
  categories: z.record(
    z.string(),
    z.object({
      score: z.number(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
    }),
  ),
  audits: z.record(
    z.string(),
    z.object({ score: z.number().nullable(), displayValue: z.string().optional() }),
  ),
})
type Result = z.infer<typeof resultSchema>

/**
 * Lighthouse's scores as on a phone of the middle class with a slow connection, of a first visit to each screen: nothing
 * is in the browser's cache, and only the cookie tells who is signed in.
 */
export async function measureLighthouse(workshop: Workshop): Promise<Report> {
  const folder = await installPeer({ name: 'lighthouse', version })
  const cli = join(folder, 'node_modules/lighthouse/cli/index.js')
  const url = await filledWithPictures(workshop, deals)
  await fillVerdicts(url)
  const all = [...screens, { name: 'deal', path: await dealPath(url), signedIn: true }]
  const app = await startWithWeb(url)
  try {
    await mkdir(results, { recursive: true })
    const found: Record<string, Result[]> = {}
    for (let run = 1; run <= runs; run++) {
      for (const { name, path, signedIn } of all) {
        const file = `${results}${name}-${run}.json`
        await audit(cli, app.url + path, file, signedIn ? { cookie: app.cookie } : {})
        found[name] = [...(found[name] ?? []), resultSchema.parse(JSON.parse(await readFile(file, 'utf8')))]
      }
    }
    return reportOf(found)
  } finally {
    await app.stop()
  }
}

/** The page of a deal with a chart of its prices. */
function dealPath(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ asin: string }>(
      'select asin from deals where verdict is not null and is_visible order by first_seen desc limit 1',
    )
    return `/deals/${rows[0]?.asin}`
  })
}

function reportOf(found: Record<string, Result[]>): Report {
  const scoreOf = (result: Result, category: string) =>
    Math.round((result.categories[category]?.score ?? 0) * 100)
  const figures = Object.entries(found).flatMap(([screen, results]) =>
    categories.map((category): Figure => {
      const score = median(results.map((result) => scoreOf(result, category)))
      const typical = results.find((result) => scoreOf(result, category) === score)
      // The cast holds: these are the names of the targets.
      const target = targets[category as Category]
      return atLeast(`${screen}: ${category}`, score, target, '', typical && wanting(typical, category))
    }),
  )
  return { title: `Lighthouse ${version}, median of ${runs}`, figures, details: found }
}

/** What cost points, with what was measured. */
function wanting({ categories, audits }: Result, category: string): string {
  const lost = (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
    const audit = audits[id]
    return weight > 0 && audit?.score != null && audit.score < 0.98
      ? [`${id} ${audit.displayValue ?? ''}`.trim()]
      : []
  })
  return lost.join(', ')
}

/** One visit with a browser of its own, written to `file` as JSON. Where its recording fails, Lighthouse asks to be run again. */
function audit(...visit: Parameters<typeof visitOnce>): Promise<void> {
  return visitOnce(...visit).catch(() => visitOnce(...visit))
}

async function visitOnce(
  cli: string,
  url: string,
  file: string,
  headers: Record<string, string>,
): Promise<void> {
  const options = {
    ...{ output: 'json', 'output-path': file, 'chrome-flags': browserFlags.join(' ') },
    ...{ 'only-categories': categories.join(','), 'extra-headers': JSON.stringify(headers) },
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  await runToEnd(process.execPath, [cli, url, '--quiet', '--no-enable-error-reporting', ...args], {
    env: { ...process.env, CHROME_PATH: browserPath({ shellFirst: true }) },
  })
}
