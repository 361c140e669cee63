import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { useQuickTemporaryFolder } from '../server/testing/quick-temporary-folder.ts'
import { extent } from './src/extent.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// The same zone as all other tests have: who forgets about time zones shows at once.
process.env.TZ = 'Asia/Kathmandu'
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../.cache/compiled', import.meta.url))
useQuickTemporaryFolder()

/** Faults in which somebody has to be answered in time: beside others they would time the others. */
const timed = ['stream-abuse', 'fairness', 'unfair-imports', 'failover'].map(
  (name) => `faults/src/${name}.test.ts`,
)

const shared = {
  root,
  setupFiles: ['./server/testing/setup.ts'],
  globalSetup: ['./server/testing/global-setup.ts'],
  pool: 'forks' as const,
  // Only against hanging for good; tests that wait for something have their own, shorter patience.
  testTimeout: extent.soakMs + 3_600_000,
  hookTimeout: 120_000,
  // As in all other tests: what is waited for comes soon, but beside a browser a second may be over before.
  expect: { poll: { timeout: 15_000 } },
}

export default defineConfig({
  test: {
    root,
    projects: [
      {
        test: {
          ...shared,
          name: 'faults',
          include: ['faults/src/**/*.test.ts'],
          exclude: timed,
          // Each file starts whole applications; one more than there are cores at least, for some mostly wait.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'timed faults',
          include: timed,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
