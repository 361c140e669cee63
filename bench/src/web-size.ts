import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { atMost, type Report } from './report.ts'

const dist = fileURLToPath(new URL('../../web/dist/', import.meta.url))

/**
 * What a first visit loads of the built web app, by gzip: the files index.html names, and what those import at once.
 * Throws when the web app hasn't been built.
 */
export async function measureWebSize(): Promise<Report> {
  if (!existsSync(`${dist}index.html`)) throw new Error('The web app is not built; run npm run build first')
  const html = readFileSync(`${dist}index.html`, 'utf8')
  const first = new Set(
    [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? ''),
  )
  // A Set's loop also visits what is added meanwhile, so imports of imports are followed too.
  for (const file of first) for (const imported of staticImports(file)) first.add(imported)
  const size = (ending: string) =>
    [...first].filter((file) => file.endsWith(ending)).reduce((sum, file) => sum + gzipped(file), 0) / 1000
  return {
    title: 'First load of the web app, gzip',
    figures: [
      atMost('JavaScript of the shell', size('.js'), 190, 'KB'),
      atMost('CSS of the shell', size('.css'), 40, 'KB'),
    ],
    details: Object.fromEntries([...first].map((file) => [file, gzipped(file)])),
  }
}

function staticImports(file: string): string[] {
  if (!file.endsWith('.js')) return []
  const text = readFileSync(dist + file, 'utf8')
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  return [...text.matchAll(/(?:^|[;}\s])(?:import|export)[^;'"(]*?["']\.\/([^"']+\.js)["']/g)].map(
    (match) => folder + (match[1] ?? ''),
  )
}

function gzipped(file: string): number {
  return gzipSync(readFileSync(dist + file), { level: 6 }).length
}
