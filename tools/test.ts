import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildWeb } from '../server/src/platform/web/web-build.ts'
import { root } from './checks.ts'
import { findOrInstallBrowser } from './find-browser.ts'
import { failedChecks, type StepOptions, step } from './steps.ts'

// Everything there is to test, in the order in which it fails fastest. Nothing is skipped because something before
// it failed: one run shows all that is wrong.
const results = join(root, '.cache', 'test')

type Totals = { passed: number; failed: number }

const totals: Totals = { passed: 0, failed: 0 }
const brokenSteps: string[] = []

/** Runs one command. A failure is noted and the run goes on. */
async function run(name: string, command: string[], options: StepOptions = {}): Promise<void> {
  if (!(await step(name, command, options))) brokenSteps.push(name)
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

brokenSteps.push(...(await failedChecks()))

/** What passed only when it was tried again, each with why it didn't at first. */
const unsteady: string[] = []

function unsteadyOf(report: unknown): string[] {
  const files: VitestFile[] = Object(report).testResults ?? []
  return files
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
    .map(({ fullName, failureMessages: [why = ''] }) => `${fullName}: ${why.split('\n')[0]}`)
}

/** As far as Vitest's report of a file is read. */
type VitestFile = {
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
}

/** Vitest with its report in a file of that name, from which its tests are counted. */
async function vitestStep(name: string, command: string[], report: string, isBeside: boolean) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${join(results, report)}`]
  await run(name, [...command, '--retry=1', ...reporters], { isBeside })
  const counted = await readResults(report)
  count(numberAt(counted, 'numPassedTests'), numberAt(counted, 'numFailedTests'))
  unsteady.push(...unsteadyOf(counted))
}

async function browserTests() {
  try {
    await buildWeb(console.log, new AbortController().signal)
    const browser = findOrInstallBrowser()
    await run('Browser tests', ['playwright', 'test'], {
      cwd: 'e2e',
      env: {
        CHROMIUM_PATH: browser,
        PLAYWRIGHT_JSON_OUTPUT_FILE: join(results, 'playwright.json'),
      },
    })
  } catch (error) {
    console.log(error instanceof Error ? error.message : error)
    brokenSteps.push('Browser tests')
  }
}

// One worker more than there are cores at least: some wait for their database, and tests of whole processes, which are
// started, killed and waited for, leave a core idle most of their time.
const unit = ['vitest', 'run', '--project=!process', '--maxWorkers=3']
const processes = ['vitest', 'run', '--project=process']
const faults = [process.execPath, 'faults/src/main.ts', '--short', '--']
await Promise.all([
  vitestStep('Unit and server tests', unit, 'vitest.json', false),
  vitestStep('Processes', processes, 'processes.json', true),
])
await Promise.all([
  browserTests(),
  vitestStep('Faults, in short', [...faults, '--project=faults', '--maxWorkers=2'], 'faults.json', true),
])
await vitestStep(
  'Faults that are timed, one after another',
  [...faults, '--project=timed faults'],
  'timed-faults.json',
  false,
)
const journeys = await readResults('playwright.json')
// Failed once and passed when tried again; the browser's are named above.
const flaky = numberAt(journeys, 'stats', 'flaky')
count(numberAt(journeys, 'stats', 'expected') + flaky, numberAt(journeys, 'stats', 'unexpected'))
if (flaky + unsteady.length > 0)
  console.log([`\nOnly passed the second time: ${flaky + unsteady.length}`, ...unsteady].join('\n  '))

// A step can break without a single failed test: a lint error, or a test file that doesn't load.
const ok = brokenSteps.length === 0 && totals.failed === 0 && totals.passed > 0
if (!ok && totals.failed === 0) totals.failed = Math.max(brokenSteps.length, 1)
if (brokenSteps.length > 0) console.log(`\nFailed: ${brokenSteps.join(', ')}`)
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = ok ? 0 : 1
