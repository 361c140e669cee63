import { type ColumnTest, rowsMeeting, shareMeeting } from './column-tests.ts'
import { addAll, bitsFor, type RowBits, takeAway } from './row-bits.ts'
import type { TimeLimit } from './time-limit.ts'

/**
 * Finds the rows of a set that may meet a condition, by what columns say of all of them at once. `isWhole`: nothing of the condition is
 * left to be tested, so that its opposite can be found too. `share`: how many of all rows that may be, from 0 to 1. Throws TooLongError.
 */
export type Narrowing = {
  find: (within: RowBits, limit: TimeLimit) => RowBits
  isWhole: boolean
  share: number
}
/** What is in no column, as what titles hold, narrows nothing. */
type Maybe = Narrowing | undefined

export function byColumn(test: ColumnTest): Narrowing {
  return {
    find: (within, limit) => rowsMeeting(test, within, limit),
    isWhole: true,
    share: shareMeeting(test),
  }
}

export function byAll(some: readonly Maybe[]): Maybe {
  const all = some.filter((one) => one !== undefined)
  if (all.length === 0) return undefined
  // The one that leaves the fewest first: each further one looks at what is left.
  const inOrder = all.toSorted((one, other) => one.share - other.share)
  return {
    find: (within, limit) => inOrder.reduce((rows, one) => one.find(rows, limit), within),
    isWhole: all.length === some.length && all.every(({ isWhole }) => isWhole),
    share: inOrder[0]?.share ?? 1,
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
    share: Math.min(
      1,
      all.reduce((sum, { share }) => sum + share, 0),
    ),
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
    share: 1 - one.share,
  }
}
