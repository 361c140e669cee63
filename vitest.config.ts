import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { useQuickTemporaryFolder } from './server/testing/quick-temporary-folder.ts'

// A zone with a quarter-hour offset shows at once who forgot about time zones. Workers inherit it.
process.env.TZ = 'Asia/Kathmandu'
// A start of the application costs half the processor time when its compiled code is there already.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache/compiled')
useQuickTemporaryFolder()

const unitTests = '{contract,marketplace,query,tools,web}/**/*.test.{ts,tsx}'
const serverTests = '{server,bench}/**/*.test.ts'
const processTests = 'server/**/*.process.test.ts'
const exclude = ['**/node_modules/**', '**/dist/**']
const globalSetup = ['./server/testing/global-setup.ts']

/**
 * Those of them that replace a module for what they import: it must not have been loaded before them, and what loads it
 * after them must not get theirs.
 */
function mockingOf(tests: string): string[] {
  const files = globSync(tests, { cwd: import.meta.dirname, exclude })
  return files.filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('vi.mock('))
}
const [mockingUnitTests, mockingServerTests] = [mockingOf(unitTests), mockingOf(serverTests)]

const shared = {
  setupFiles: ['./server/testing/setup.ts'],
  pool: 'forks' as const,
  // Only against hanging for good: tests that start whole applications take their time on a busy machine.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // What is waited for comes within milliseconds; a second is little beside two workers, a database and a browser.
  expect: { poll: { timeout: 15_000 } },
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          // Nothing here holds on to anything between tests: loading the modules once for all files halves the work.
          isolate: false,
          include: [unitTests],
          exclude: [...exclude, ...mockingUnitTests],
        },
      },
      {
        test: {
          ...shared,
          name: 'server',
          // What holds on to anything belongs to an application, and each file has its own; loading the modules anew for
          // each took a quarter of the time.
          isolate: false,
          include: [serverTests],
          exclude: [...exclude, processTests, ...mockingServerTests],
          globalSetup,
        },
      },
      { test: { ...shared, name: 'mocking', include: mockingUnitTests } },
      {
        test: {
          ...shared,
          name: 'mocking server',
          include: mockingServerTests,
          exclude: [processTests],
          globalSetup,
        },
      },
      {
        test: {
          ...shared,
          // Whole processes, which are started, killed and waited for.
          name: 'process',
          include: [processTests],
          globalSetup,
        },
      },
    ],
  },
})
