import { afterAll, onTestFinished } from 'vitest'

type Cleanup = () => Promise<unknown>

const forTheFile: Cleanup[] = []

/** Calls `cleanup` when the running test is over, or, called outside of one, when its file is. Last come, first cleaned. */
export function whenDone(cleanup: Cleanup): void {
  try {
    onTestFinished(async () => {
      await cleanup()
    })
  } catch {
    // No test is running: this is the top of a file or one of its hooks, where Vitest takes no further hooks.
    forTheFile.push(cleanup)
  }
}

/** For the setup file: runs before any test file's own code, so its hook is the last to be called. */
export function cleanUpAfterFile(): void {
  afterAll(async () => {
    for (let cleanup = forTheFile.pop(); cleanup; cleanup = forTheFile.pop()) await cleanup()
  })
}
