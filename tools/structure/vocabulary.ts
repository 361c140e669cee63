import { basename, extname } from 'node:path/posix'
import type { Repository } from './repository.ts'

/** The product's nouns. Each has the same name in contract, server and web. */
const nouns = new Set([
  'admin',
  'alerts',
  'audit',
  'blacklist',
  'deals',
  'deliveries',
  'filters',
  'home',
  'images',
  'ingest',
  'links',
  'me',
  'prices',
  'profile',
  'quarantine',
  'searches',
  'session',
  'sources',
  'users',
])

/** Names that say nothing about what is inside. */
const emptyNames = new Set(['utils', 'util', 'helpers', 'helper', 'misc', 'common', 'shared', 'lib', 'index'])

const maxComponents = 12

const allowedPaths = [
  /^server\/src\/(main|app)\.ts$/,
  /^server\/src\/(platform|cli)\/[^/]+\.ts$/,
  /^server\/src\/platform\/(accounts|database|embedded|http|jobs|limits|live|observing|outgoing|web)\/[^/]+\.ts$/,
  /^server\/src\/features\/[^/]+\/(routes|queries|actions|rules|live|jobs)\.ts$/,
  /^web\/src\/main\.tsx$/,
  /^web\/src\/(app|ui|platform)\/[^/]+\.(tsx|ts|css)$/,
  /^web\/src\/features\/[^/]+\/(api|live|view)\.ts$/,
  /^web\/src\/features\/[^/]+\/view\/[^/]+\.ts$/,
  /^web\/src\/features\/[^/]+\/[^/]+\.(tsx|module\.css)$/,
  /^web\/src\/features\/[^/]+\/components\/[^/]+\.(tsx|module\.css)$/,
]

const testPaths = /^(server|web)\/src\/((features\/)?[^/]+\/)?[^/]+$/

/** Files outside the closed vocabulary of the house, names that say nothing, component folders that grew too large. */
export function checkVocabulary(repository: Repository): string[] {
  const problems: string[] = []
  const components = new Map<string, number>()
  for (const path of repository.sources()) {
    const parts = path.split('/')
    const stems = [...parts.slice(0, -1), basename(path).split('.')[0] ?? '']
    const empty = stems.find((stem) => emptyNames.has(stem))
    if (empty) problems.push(`${path}: '${empty}' says nothing about what is inside; name what it does`)
    if (!/^(server|web)\/src\//.test(path)) continue
    const noun = /^(?:server|web)\/src\/features\/([^/]+)\//.exec(path)?.[1]
    if (noun && !nouns.has(noun)) problems.push(`${path}: '${noun}' is not a noun of the house`)
    if (!isAllowed(path, repository)) {
      problems.push(
        `${path}: a kind of file the house doesn't know; use a known name or write a decision record`,
      )
    }
    const folder = /^(web\/src\/features\/[^/]+\/components)\/[^/]+\.tsx$/.exec(path)?.[1]
    if (folder && !path.endsWith('.test.tsx')) components.set(folder, (components.get(folder) ?? 0) + 1)
  }
  for (const [folder, count] of components) {
    if (count > maxComponents) problems.push(`${folder}: ${count} components, at most ${maxComponents}`)
  }
  return problems
}

function isAllowed(path: string, repository: Repository): boolean {
  const plain = path.replace(/\.test(\.tsx?)$/, '$1')
  // A test stands beside the files it tests, under their name or that of what it proves.
  if (plain !== path && testPaths.test(plain)) return true
  const either = extname(plain) === '.ts' ? [plain, `${plain}x`] : [plain]
  return either.some(
    (candidate) =>
      allowedPaths.some((pattern) => pattern.test(candidate)) ||
      repository.allowances().some((allowance) => allowance.test(candidate)),
  )
}
