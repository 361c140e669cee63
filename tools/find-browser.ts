import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'

/** Chromium without windows, tabs and all that surrounds a page; it draws the page itself as Chromium does. */
const shellNames = ['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell']
/** That of Debian, from its twelfth release on. */
const shellPackage = 'chromium-headless-shell'
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const macPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
const nothingFound =
  'No Chromium was found and none could be installed. Install one (for example: apt-get install chromium, ' +
  'or npx playwright install --with-deps chromium), or set CHROMIUM_PATH to its executable.'

type Options = {
  /** Whether a headless shell will do, and is taken first: the tests take half the processor time with it. */
  shellFirst?: boolean
}

/**
 * Path of a Chromium that runs on this machine: the one of CHROMIUM_PATH, Playwright's own, or the first in PATH.
 * Undefined when there is none; throws when CHROMIUM_PATH names one that doesn't run.
 */
export function findBrowser({ shellFirst = false }: Options = {}): string | undefined {
  const given = process.env.CHROMIUM_PATH
  if (given) {
    if (runs(given)) return given
    throw new Error(`CHROMIUM_PATH is ${given}, which doesn't run`)
  }
  const folders = (process.env.PATH ?? '').split(delimiter)
  const inPath = (wanted: string[]) => wanted.flatMap((name) => folders.map((folder) => join(folder, name)))
  const shells = shellFirst ? [...playwrightShells(), ...inPath(shellNames)] : []
  return [...shells, chromium.executablePath(), ...inPath(names), ...macPaths].find(
    (path) => existsSync(path) && runs(path),
  )
}

/** The headless shells that Playwright has downloaded beside the Chromium of the same revision. */
function playwrightShells(): string[] {
  // …/chromium-1234/chrome-linux64/chrome
  const revision = dirname(dirname(chromium.executablePath()))
  const cwd = revision.replace(/chromium-(?=\d+$)/, 'chromium_headless_shell-')
  return globSync('*/chrome-headless-shell{,.exe}', { cwd }).map((path) => join(cwd, path))
}

/**
 * Finds a Chromium for tests, or installs one with whatever this machine offers. Where nobody else uses the machine (CI), a Debian gets
 * a headless shell beside its Chromium. Throws a line that says what to do.
 */
export function findOrInstallBrowser(): string {
  const found = findBrowser({ shellFirst: true })
  const isLinuxRoot = process.getuid?.() === 0 && process.platform === 'linux'
  const mayInstall = isLinuxRoot && existsSync('/usr/bin/apt-get')
  const isShell = found !== undefined && /headless[-_]shell/.test(basename(found))
  if (found && (isShell || process.env.CHROMIUM_PATH || !process.env.CI || !mayInstall)) return found
  if (!found) {
    console.log('No Chromium on this machine yet; installing one for the browser tests.')
    const cli = fileURLToPath(new URL('../node_modules/@playwright/test/cli.js', import.meta.url))
    const withDependencies = isLinuxRoot ? ['--with-deps'] : []
    run(process.execPath, [cli, 'install', ...withDependencies, 'chromium'], {
      PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000',
    })
    const downloaded = findBrowser({ shellFirst: true })
    if (downloaded) return downloaded
  }
  if (mayInstall) {
    const install = ['install', '-y', '--no-install-recommends']
    run('apt-get', ['update'])
    for (const name of found ? [shellPackage] : [shellPackage, 'chromium']) {
      run('apt-get', [...install, name], { DEBIAN_FRONTEND: 'noninteractive' })
      const installed = findBrowser({ shellFirst: true })
      if (installed && installed !== found) return installed
    }
  }
  if (found) return found
  throw new Error(nothingFound)
}

/** A download that lacks a system library exists but doesn't run. */
function runs(path: string): boolean {
  return spawnSync(path, ['--version', '--no-sandbox'], { stdio: 'ignore', timeout: 30_000 }).status === 0
}

function run(command: string, args: string[], environment: Record<string, string> = {}): void {
  spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
    timeout: 600_000,
  })
}
