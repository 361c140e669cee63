import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')

/** The environment of a tool: whatever Node is installed on the machine, its children use the one that runs this. */
export const toolEnvironment = {
  ...process.env,
  PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
  // A log file is for reading, whatever CI systems claim to be able to show.
  ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
}

type Check = { name: string; command: string[] }

/** Checks the types of a project; what an earlier run found of files that are the same since, it knows. */
const types = (project: string, name: string) => [
  ...['tsc', '-p', project],
  ...['--incremental', '--tsBuildInfoFile', `.cache/types/${name}.tsbuildinfo`],
]

/** What a commit must pass: no database, no browser. The longest first. */
export const checks: readonly Check[] = [
  { name: 'Types', command: types('.', 'server') },
  { name: 'First load', command: [process.execPath, 'tools/check-web-size.ts'] },
  {
    name: 'Format and lint',
    command: ['biome', 'ci', ...(process.stdout.isTTY ? [] : ['--colors=off']), '.'],
  },
  { name: 'Types of the web app', command: types('web', 'web') },
  { name: 'Types of the browser tests', command: types('e2e', 'e2e') },
  // What it found of files that are the same since, it knows as well.
  { name: 'Nothing unused', command: ['knip', '--cache', '--cache-location', '.cache/knip'] },
  { name: 'Structure', command: [process.execPath, 'tools/check-structure.ts'] },
]
