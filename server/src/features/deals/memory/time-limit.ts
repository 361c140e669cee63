import type { RowTest } from './row-bits.ts'

/** What a question takes is looked at each time that so many rows have been tested: a dear one takes microseconds a row. */
const rowsPerLook = 1024

/** A question is left to the database, which can do several at once. */
export class TooLongError extends Error {}

/** Of this thread alone: what else the machine does must not leave questions to the database, which has even more to do. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** What is found by a question from now on may take `mostMs` of the processor; what takes longer throws TooLongError. */
export class TimeLimit {
  readonly #end: number

  constructor(mostMs: number) {
    this.#end = cpuMs() + mostMs
  }

  check(): void {
    if (cpuMs() > this.#end) throw new TooLongError('This takes the index too long.')
  }

  /** Whether a row passes all tests. */
  within(tests: readonly RowTest[]): RowTest {
    let left = rowsPerLook
    return (row) => {
      left -= 1
      if (left === 0) {
        left = rowsPerLook
        this.check()
      }
      for (const test of tests) if (!test(row)) return false
      return true
    }
  }
}
