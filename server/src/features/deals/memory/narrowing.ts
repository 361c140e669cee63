import { type ColumnTest, rowsMeeting } from './column-tests.ts'
import { addAll, bitsFor, type RowBits, takeAway } from './row-bits.ts'
import type { TimeLimit } from './time-limit.ts'

/**
 * Finds the rows of a set that may meet a condition, by what columns say of all of them at once. `isWhole`: nothing of the condition is
 * left to be tested, so that its opposite can be found too. Throws TooLongError.
 */
export type Narrowing = { find: (within: RowBits, limit: TimeLimit) => RowBits; isWhole: boolean }
/** What is in no column, as what titles hold, narrows nothing. */
type Maybe = Narrowing | undefined

export function byColumn(test: ColumnTest): Narrowing {
  return { find: (within, limit) => rowsMeeting(test, within, limit), isWhole: true }
}

export function byAll(some: readonly Maybe[]): Maybe {
  const all = some.filter((one) => one !== undefined)
  if (all.length === 0) return undefined
  return {
    find: (within, limit) => all.reduce((rows, one) => one.find(rows, limit), within),
    isWhole: all.length === some.length && all.every(({ isWhole }) => isWhole),
  }
}

export function byAny(some: readonly Maybe[]): Maybe {
  const all = some.filter((one) => one !== undefined)
  if (all.length < some.length) return undefined
  return {
    find: (within, limit) => {
      const found = bitsFor(within.length * 32)
      for (const one of all) addAll(found, one.find(within, limit))
      return found
    },
    isWhole: all.every(({ isWhole }) => isWhole),
  }
}

export function byOpposite(one: Maybe): Maybe {
  if (!one?.isWhole) return undefined
  return {
    find: (within, limit) => {
      const others = within.slice()
      takeAway(others, one.find(within, limit))
      return others
    },
    isWhole: true,
  }
}
