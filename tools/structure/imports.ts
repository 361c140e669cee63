import { dirname, normalize } from 'node:path/posix'
import type { Repository } from './repository.ts'

/** Which workspace may import which others; tests of a workspace follow the same rule. */
const roomsAllowed: Record<string, readonly string[]> = {
  marketplace: [],
  query: [],
  contract: ['marketplace', 'query'],
  server: ['contract', 'marketplace', 'query'],
  web: ['contract', 'marketplace', 'query'],
  tools: ['server', 'contract', 'marketplace'],
  bench: ['server', 'contract', 'marketplace', 'query', 'tools'],
  e2e: ['server', 'contract', 'marketplace', 'tools'],
  faults: ['server', 'contract', 'marketplace'],
}

/** Inside a side, which layers a layer may import; `root` is what stands directly in `src`. */
const layersAllowed: Record<string, readonly string[]> = {
  root: ['root', 'app', 'cli', 'features', 'ui', 'platform'],
  app: ['app', 'features', 'ui', 'platform'],
  cli: ['cli', 'features', 'platform', 'root'],
  features: ['features', 'ui', 'platform'],
  ui: ['ui', 'platform'],
  platform: ['platform'],
}

/** What one feature of the server may use of another; web features have no door, app composes them. */
const doors = /^server\/src\/features\/([^/]+\/(actions|rules)\.ts$|deals\/(writing|following|searching)\/)/

/** How the database comes along is known to whoever starts it; a feature gets connections, wherever they lead. */
const onlyForStarting = /^server\/src\/platform\/embedded\//

/** Imports that go against the direction of travel. */
export function checkImports(repository: Repository): string[] {
  return repository
    .modules()
    .flatMap((from) =>
      importsOf(repository.text(from)).map((specifier) => ({ from, to: resolve(from, specifier) })),
    )
    .filter((edge): edge is { from: string; to: string } => edge.to !== undefined)
    .flatMap(({ from, to }) => {
      const problem = problemOf(from, to)
      return problem ? [`${from}: imports ${to}: ${problem}`] : []
    })
}

function problemOf(from: string, to: string): string | undefined {
  if (to.startsWith('../')) return 'that is outside the repository'
  const fromRoom = roomOf(from)
  const toRoom = roomOf(to)
  if (fromRoom !== toRoom) {
    const allowed = roomsAllowed[fromRoom]
    return !allowed || allowed.includes(toRoom) ? undefined : `${fromRoom} may not import ${toRoom}`
  }
  if (isTesting(to) && !isTesting(from)) return 'the application may not import its tests'
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)]
  // Tests compose freely: a feature's test may build the whole application.
  if (!fromLayer || !toLayer || isTesting(from)) return undefined
  if (!layersAllowed[fromLayer]?.includes(toLayer)) return `${fromLayer} may not import ${toLayer}`
  if (fromLayer === 'features' && onlyForStarting.test(to)) return 'features may not import embedded'
  const [fromFeature, toFeature] = [featureOf(from), featureOf(to)]
  if (fromFeature && toFeature && fromFeature !== toFeature && !doors.test(to)) {
    return `the inside of another feature${from.startsWith('server/') ? ' (its doors are actions.ts, rules.ts, deals/writing, deals/following and deals/searching)' : ''}`
  }
  return undefined
}

/** Every module named by an import, an export from or a dynamic import. */
function importsOf(text: string): string[] {
  const named = /(?:^|[;\n}])\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]/g
  const bare = /(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]/g
  return [named, bare, dynamic].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? ''),
  )
}

/** The path inside the repository that a specifier means; undefined for a package that isn't ours. */
function resolve(from: string, specifier: string): string | undefined {
  const workspace = /^@dealdeck\/([^/]+)(?:\/(.+))?$/.exec(specifier)
  if (workspace) return `${workspace[1]}/src/${workspace[2] ?? 'index'}.ts`
  if (specifier.startsWith('.')) return normalize(`${dirname(from)}/${specifier}`)
  return undefined
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? ''
}

function layerOf(path: string): string | undefined {
  const inside = /^(?:server|web)\/src\/(.+)$/.exec(path)?.[1]
  if (inside === undefined) return undefined
  return inside.includes('/') ? inside.split('/')[0] : 'root'
}

function featureOf(path: string): string | undefined {
  return /^(?:server|web)\/src\/features\/([^/]+)\//.exec(path)?.[1]
}

function isTesting(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.includes('/testing/')
}
