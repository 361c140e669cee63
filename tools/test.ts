import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWeb } from '../server/src/platform/web/web-build.ts'
import { findOrInstallBrowser } from './find-browser.ts'

// Everything there is to test, in the order in which it fails fastest. Nothing is skipped because something before
// it failed: one run shows all that is wrong.
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')
const results = join(root, '.cache', 'test')
const environment = {
  ...process.env,
  // Whatever Node is installed on the machine, its children use the one that runs this.
  PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
  // A log file is for reading, whatever CI systems claim to be able to show.
  ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
}

type Totals = { passed: number; failed: number }

const totals: Totals = { passed: 0, failed: 0 }
const brokenSteps: string[] = []

/** Runs one command with its output shown; true when it succeeded. A failure is noted and the run goes on. */
async function step(
  name: string,
  command: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  console.log(`\n── ${name}`)
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd: join(root, options.cwd ?? '.'),
    env: { ...environment, ...options.env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const succeeded = await once(child, 'exit').then(
    ([code]) => code === 0,
    (error: Error) => {
      console.log(error.message)
      return false
    },
  )
  if (!succeeded) brokenSteps.push(name)
  return succeeded
}

async function readResults(name: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(results, name), 'utf8'))
  } catch {
    return undefined
  }
}

/** A number somewhere in a report; 0 when the report or the number isn't there. */
function numberAt(report: unknown, ...path: string[]): number {
  const value = path.reduce<unknown>((inner, key) => Object(inner)[key], report)
  return typeof value === 'number' ? value : 0
}

function count(passed: number, failed: number): void {
  totals.passed += passed
  totals.failed += failed
}

await rm(results, { recursive: true, force: true })
await mkdir(results, { recursive: true })

await step('Format and lint', ['biome', 'ci', ...(process.stdout.isTTY ? [] : ['--colors=off']), '.'])
await step('Types', ['tsc', '-p', '.'])
await step('Types of the web app', ['tsc', '-p', 'web'])
await step('Types of the browser tests', ['tsc', '-p', 'e2e'])
await step('Structure', [process.execPath, 'tools/check-structure.ts'])
await step('First load', [process.execPath, 'tools/check-web-size.ts'])

await step('Unit and server tests', [
  'vitest',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${join(results, 'vitest.json')}`,
])
const unit = await readResults('vitest.json')
count(numberAt(unit, 'numPassedTests'), numberAt(unit, 'numFailedTests'))

await step('Faults, in short', [
  ...[process.execPath, 'faults/src/main.ts', '--short', '--'],
  ...['--reporter=default', '--reporter=json', `--outputFile.json=${join(results, 'faults.json')}`],
])
const faults = await readResults('faults.json')
count(numberAt(faults, 'numPassedTests'), numberAt(faults, 'numFailedTests'))

console.log('\n── Browser tests')
try {
  await buildWeb(console.log, new AbortController().signal)
  const browser = findOrInstallBrowser()
  await step('Browser tests', ['playwright', 'test'], {
    cwd: 'e2e',
    env: {
      CHROMIUM_PATH: browser,
      E2E_WEB_IS_BUILT: '1',
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(results, 'playwright.json'),
    },
  })
} catch (error) {
  console.log(error instanceof Error ? error.message : error)
  brokenSteps.push('Browser tests')
}
const journeys = await readResults('playwright.json')
// Flaky: failed once and passed when tried again.
const flaky = numberAt(journeys, 'stats', 'flaky')
count(numberAt(journeys, 'stats', 'expected') + flaky, numberAt(journeys, 'stats', 'unexpected'))
if (flaky > 0) console.log(`\nOnly passed the second time: ${flaky}`)

// A step can break without a single failed test: a lint error, or a test file that doesn't load.
const ok = brokenSteps.length === 0 && totals.failed === 0 && totals.passed > 0
if (!ok && totals.failed === 0) totals.failed = Math.max(brokenSteps.length, 1)
if (brokenSteps.length > 0) console.log(`\nFailed: ${brokenSteps.join(', ')}`)
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = ok ? 0 : 1
