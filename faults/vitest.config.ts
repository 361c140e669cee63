import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { useQuickTemporaryFolder } from '../server/testing/quick-temporary-folder.ts'
import { extent } from './src/extent.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// The same zone as all other tests have: who forgets about time zones shows at once.
process.env.TZ = 'Asia/Kathmandu'
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../.cache/compiled', import.meta.url))
useQuickTemporaryFolder()

export default defineConfig({
  test: {
    name: 'faults',
    root,
    include: ['faults/src/**/*.test.ts'],
    setupFiles: ['./server/testing/setup.ts'],
    globalSetup: ['./server/testing/global-setup.ts'],
    pool: 'forks',
    // Each file starts whole applications; one more than there are cores at least, for some mostly wait.
    maxWorkers: 3,
    // Only against hanging for good; tests that wait for something have their own, shorter patience.
    testTimeout: extent.soakMs + 3_600_000,
    hookTimeout: 120_000,
    // As in all other tests: what is waited for comes soon, but beside a browser a second may be over before.
    expect: { poll: { timeout: 15_000 } },
  },
})
