import type { RowTest } from './row-tests.ts'

/** What a question takes is looked at each time that so many rows have been tested: a dear one takes microseconds a row. */
const rowsPerLook = 1024

/** A question is left to the database, which can do several at once. */
export class TooLongError extends Error {}

/** Of this thread alone: what else the machine does must not leave questions to the database, which has even more to do. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Whether a row passes all tests. Throws TooLongError when, from now on, that takes more than `mostMs` of the processor. */
export function inTime(tests: readonly RowTest[], mostMs: number): RowTest {
  const end = cpuMs() + mostMs
  let left = rowsPerLook
  return (row) => {
    left -= 1
    if (left === 0) {
      left = rowsPerLook
      if (cpuMs() > end) throw new TooLongError('This takes the index too long.')
    }
    for (const test of tests) if (!test(row)) return false
    return true
  }
}
