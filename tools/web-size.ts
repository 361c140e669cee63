import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'

/** What the first load of the feed may weigh at most, and the chart of a deal's own page, in bytes by gzip. */
export const budget = { script: 188_000, stylesheet: 36_000, chart: 6_000 }

/** What a browser without any history loads at the feed's address: the page's own files and those of the feed. */
const loaded = ['index.html', 'src/app/feed.tsx']

/** Every built chunk by the source it began with, and what it imports at once. */
const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
)

export type FirstLoad = {
  script: number
  stylesheet: number
  /** Bytes of each file, by its path in the build. */
  files: Record<string, number>
}

/** Bytes of the feed's first load by gzip, as the web app was built last. Throws when it wasn't. */
export function readFirstLoad(
  dist: string = fileURLToPath(new URL('../web/dist/', import.meta.url)),
): FirstLoad {
  if (!existsSync(`${dist}.vite/manifest.json`)) {
    throw new Error('The web app is not built; run npm run build first')
  }
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8')))
  const files = new Set(filesOfPage(readFileSync(`${dist}index.html`, 'utf8')))
  const chunks = new Set(loaded)
  // A Set's loop also visits what is added meanwhile, so imports of imports are followed too.
  for (const name of chunks) {
    const chunk = manifest[name]
    if (!chunk) throw new Error(`The build has no ${name}; tools/web-size.ts names what the feed loads`)
    for (const file of [chunk.file, ...chunk.css]) files.add(file)
    for (const imported of chunk.imports) chunks.add(imported)
  }
  const sizes = Object.fromEntries([...files].map((file) => [file, gzipped(dist + file)]))
  const sum = (ending: string) =>
    Object.entries(sizes).reduce((total, [file, bytes]) => total + (file.endsWith(ending) ? bytes : 0), 0)
  return { script: sum('.js'), stylesheet: sum('.css'), files: sizes }
}

const chartSource = 'src/features/prices/components/price-chart.tsx'

/** Bytes of the chart by gzip, which only the page of a deal loads, and late. */
export function readChart(dist: string = fileURLToPath(new URL('../web/dist/', import.meta.url))): number {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8')))
  const chart = manifest[chartSource]
  if (!chart) throw new Error(`The build has no ${chartSource} of its own`)
  return gzipped(dist + chart.file)
}

/** Scripts and styles that the page itself names. */
function filesOfPage(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? '')
}

/** As small as the files that are served to whoever takes gzip. */
function gzipped(path: string): number {
  return gzipSync(readFileSync(path), { level: 9 }).length
}
