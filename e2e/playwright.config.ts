import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { useQuickTemporaryFolder } from '../server/testing/quick-temporary-folder.ts'
import { findBrowser } from '../tools/find-browser.ts'

// Chromium heeds the last list only, so this repeats what Playwright turns off, as far as it concerns these tests.
const notForTests = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]
// A process made in advance for a page that most tests never open.
const spareRenderer = 'SpareRendererForSitePerProcess'
// The address bar's suggestions are a page with a process of its own in each context: 0.8 of 1.1 s of processor time.
const searchSuggestions = ['WebUIOmniboxPopup', 'WebUIOmniboxFullPopup', 'WebUIOmniboxAimPopup']

process.env.TZ = 'Asia/Kathmandu'
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../.cache/compiled')
useQuickTemporaryFolder()

export default defineConfig({
  testDir: './src',
  testMatch: '**/*.spec.ts',
  outputDir: './test-results/runs',
  globalSetup: './src/global-setup.ts',
  // Each worker runs its own server and a browser; of two cores half stood idle with two of them.
  workers: 3,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // On a loaded machine a picture or a frame may come late; what fails twice is broken, what fails once is reported as flaky.
  retries: 1,
  timeout: 120_000,
  // How fast screens are is measured elsewhere; a machine that is five times slower for an hour fails no test.
  expect: { timeout: 20_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['list'], ['json']] : [['list']],
  use: {
    locale: 'en-US',
    timezoneId: 'Asia/Kathmandu',
    actionTimeout: 30_000,
    // Keeping a trace of every test takes a fifth of the whole run.
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    // What a page asks for is watched and answered by the tests; with a worker between it wouldn't be seen.
    serviceWorkers: 'block',
    contextOptions: { reducedMotion: 'no-preference' },
    launchOptions: {
      executablePath: findBrowser({ shellFirst: true }),
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${[...notForTests, ...searchSuggestions, spareRenderer]}`,
      ],
    },
  },
})
