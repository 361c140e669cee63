import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

type Commit = { subject: string; area: string }

/** Where a commit without the trailer belongs, by what most of its files match; the first that fits a path counts. */
const areaPatterns: [RegExp, string | undefined][] = [
  [/^(?:server|web)\/src\/features\/([^/]+)\//, undefined],
  [/^contract\/src\/([a-z]+)\.ts$/, undefined],
  [/^server\/src\/cli\//, 'commands'],
  [/^server\/migrations\//, 'database'],
  [/^server\/src\/attacks\//, 'security'],
  [/^server\//, 'server'],
  [/^web\//, 'web'],
  [/^(marketplace|query|bench|faults|deploy|docs)\//, undefined],
  [/^(e2e|tools|\.ci)\/|test/, 'tests'],
]

/**
 * The commits of a checkout since a tag or commit, or all of them, as a section of CHANGELOG.md: by area, in the order of
 * their making. The area is the commit's trailer `Area:`, or else where most of its files lie. Throws what git says.
 */
export function changelogOf(checkout: string, version: string, date: string, since?: string): string {
  const areas = Map.groupBy(readCommits(checkout, since), ({ area }) => area)
  const sections = [...areas].sort(([one], [other]) => one.localeCompare(other, 'en'))
  const lines = sections.flatMap(([area, commits]) => [
    `### ${area}`,
    '',
    ...commits.map(({ subject }) => `- ${subject}`),
    '',
  ])
  return [`## ${version} (${date})`, '', ...lines].join('\n')
}

function readCommits(checkout: string, since: string | undefined): Commit[] {
  const range = since === undefined ? 'HEAD' : `${since}..HEAD`
  const format = '%x1e%s%x1f%(trailers:key=Area,valueonly,separator=%x2C)%x1f'
  const args = ['log', '--reverse', '--no-merges', '--name-only', `--format=${format}`, range]
  const log = execFileSync('git', args, { cwd: checkout, encoding: 'utf8', maxBuffer: 1e9 })
  const entries = log.split('\x1e').slice(1)
  return entries.map((entry) => {
    const [subject = '', trailer = '', files = ''] = entry.split('\x1f')
    const area = trailer.trim()
    // Some trailers name a folder.
    const paths = area === '' ? files.split('\n').filter(Boolean) : [`${area}/`]
    return { subject, area: area === '' || area.includes('/') ? areaOf(paths) : area }
  })
}

function areaOf(paths: string[]): string {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const area = areaOfPath(path)
    counts.set(area, (counts.get(area) ?? 0) + 1)
  }
  // Tests and documents accompany what a commit is about.
  const weight = ([area, count]: [string, number]) => (area === 'tests' || area === 'docs' ? 0 : count)
  const [first] = [...counts].sort((one, other) => weight(other) - weight(one))
  return first?.[0] ?? 'project'
}

function areaOfPath(path: string): string {
  for (const [pattern, area] of areaPatterns) {
    const match = pattern.exec(path)
    if (match) return area ?? match[1] ?? 'project'
  }
  return 'project'
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version, since] = process.argv.slice(2)
  if (version === undefined) {
    console.error('Usage: npm run changelog -- <version> [<tag of the last release>]')
    process.exit(2)
  }
  const root = fileURLToPath(new URL('..', import.meta.url))
  console.log(changelogOf(root, version, new Date().toISOString().slice(0, 10), since))
}
