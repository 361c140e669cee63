import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// A zone with a quarter-hour offset shows at once who forgot about time zones. Workers inherit it.
process.env.TZ = 'Asia/Kathmandu'
// A start of the application costs half the processor time when its compiled code is there already.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache/compiled', import.meta.url))

const processTests = 'server/**/*.process.test.ts'
// These replace a module for what they import, so it must not have been loaded before them.
const mockingTests = [
  'server/src/platform/http/openapi.test.ts',
  'server/src/features/session/passwords.test.ts',
]
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
          include: ['{contract,marketplace,query,tools,web}/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', '**/dist/**'],
        },
      },
      {
        test: {
          ...shared,
          name: 'server',
          // What holds on to anything belongs to an application, and each file has its own; loading the modules anew for
          // each took a quarter of the time.
          isolate: false,
          include: ['{server,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', processTests, ...mockingTests],
          globalSetup: ['./server/testing/global-setup.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'mocking',
          include: mockingTests,
          globalSetup: ['./server/testing/global-setup.ts'],
        },
      },
      {
        test: {
          ...shared,
          // Whole processes, which are started, killed and waited for.
          name: 'process',
          include: [processTests],
          globalSetup: ['./server/testing/global-setup.ts'],
        },
      },
    ],
  },
})
