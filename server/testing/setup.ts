import { format } from 'node:util'
import { afterEach, beforeEach } from 'vitest'
import { hashCost } from '../src/platform/accounts/hash-cost.ts'
import { cleanUpAfterFile } from './cleanup.ts'

cleanUpAfterFile()

// The least that argon2id takes, for faults too. What users get is proved by a process (server/src/cli/main.process.test.ts).
Object.assign(hashCost, { memory: 8, passes: 1 })

// An error nobody expected is a failure even when every assertion holds. A test that provokes one on
// purpose replaces console.error with its own spy, which takes this one's place until restored.
const seen: string[] = []

beforeEach(() => {
  seen.length = 0
  console.error = (...parts: unknown[]) => {
    seen.push(format(...parts))
  }
})

afterEach(() => {
  const unexpected = seen.splice(0)
  if (unexpected.length > 0) throw new Error(`Unexpected console.error:\n${unexpected.join('\n')}`)
})
