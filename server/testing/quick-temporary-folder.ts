import { existsSync, statfsSync } from 'node:fs'

/** Where Linux keeps files in memory. */
const inMemory = '/dev/shm'
/** A whole run of the tests keeps less than half of it there at a time, in bytes. */
const room = 8 * 2 ** 30

/**
 * Lets this process and its children make their temporary files in memory, where there is plenty of it. A database of a test's own is
 * hundreds of small files, made and removed a thousand times a run, and no test takes away more than a process: what was written
 * is still there, wherever it lies. Whoever has set TMPDIR keeps it.
 */
export function useQuickTemporaryFolder(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(inMemory)) return
  const { bavail, bsize } = statfsSync(inMemory)
  if (Math.min(bavail * bsize, process.availableMemory()) > room) process.env.TMPDIR = inMemory
}
