import type { Moment } from '@dealdeck/query/matching'
import { type Condition, leavesOf } from '@dealdeck/query/question'
import { columnTest, rowsMeeting } from './column-tests.ts'
import type { DealColumns } from './deal-columns.ts'
import { addAll, bitsFor, type RowBits, takeAway } from './row-bits.ts'

/**
 * The rows of `within` that may meet a condition, by what columns say; what a title has to hold is left to be tested. Few of those
 * that columns leave are asked for in vain, and of a question without words none.
 */
export function rowsByColumns(
  condition: Condition,
  within: RowBits,
  moment: Moment,
  columns: DealColumns,
): RowBits {
  const find = (one: Condition, rows: RowBits): RowBits => {
    if (one.kind === 'all') return one.of.reduce((left, inner) => find(inner, left), rows)
    if (!isByColumns(one)) return rows
    if (one.kind === 'any') {
      const some = bitsFor(rows.length * 32)
      for (const inner of one.of) addAll(some, find(inner, rows))
      return some
    }
    if (one.kind === 'not') {
      const others = rows.slice()
      takeAway(others, find(one.of, rows))
      return others
    }
    const test = one.kind === 'text' ? undefined : columnTest(one, moment, columns)
    return test ? rowsMeeting(test, rows) : rows
  }
  return find(condition, within)
}

/** Whether columns alone decide it. */
function isByColumns(condition: Condition): boolean {
  return leavesOf(condition).every(
    (leaf) => leaf.kind !== 'text' && !(leaf.kind === 'name' && leaf.field === 'title'),
  )
}
