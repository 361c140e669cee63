import type { DealSort } from '@dealdeck/contract/deals'
import type { Cursor } from '../rules.ts'
import type { DealColumns } from './deal-columns.ts'
import type { RowTest } from './row-bits.ts'

/** By what a sort orders rows, and in which direction. */
function keysOf(sort: DealSort, columns: DealColumns): { key: (row: number) => number; sign: 1 | -1 } {
  switch (sort) {
    case 'newest':
      return { key: (row) => columns.firstSeen[row] ?? 0, sign: -1 }
    case 'discount':
      return { key: (row) => columns.off[row] ?? 0, sign: -1 }
    case 'price':
      return { key: (row) => columns.price[row] ?? 0, sign: 1 }
    case 'discord':
      return { key: (row) => columns.posted[row] ?? 0, sign: -1 }
    case 'updated':
      return { key: (row) => columns.lastUpdated[row] ?? 0, sign: -1 }
    case 'best':
      return { key: (row) => columns.best[row] ?? 0, sign: -1 }
  }
}

/** What a sort orders a row by. */
export const sortKey = (sort: DealSort, columns: DealColumns): ((row: number) => number) =>
  keysOf(sort, columns).key

/** Orders rows by the sort's key, those of one key by id in the same direction. */
export function comparer(sort: DealSort, columns: DealColumns): (a: number, b: number) => number {
  const { key, sign } = keysOf(sort, columns)
  return (a, b) => {
    const [left, right] = [key(a), key(b)]
    if (left !== right) return left < right ? -sign : sign
    return sign * ((columns.id[a] ?? 0) - (columns.id[b] ?? 0))
  }
}

/** Whether a row comes behind a cursor. */
export function isBehind({ sort, key: text, id }: Cursor, columns: DealColumns): RowTest {
  const { key, sign } = keysOf(sort, columns)
  const last = keyOf(text)
  return (row) => {
    const own = key(row)
    return own === last ? sign * ((columns.id[row] ?? 0) - id) > 0 : own > last === sign > 0
  }
}

/** The cursor right after a row. */
export function cursorBehind(row: number, sort: DealSort, columns: DealColumns): Cursor {
  return { sort, key: keyText(sort, keysOf(sort, columns).key(row)), id: columns.id[row] ?? 0 }
}

/** A cursor's key as the columns have it. */
function keyOf(text: string): number {
  if (text === '-infinity') return -Infinity
  if (!text.includes(':')) return Number(text)
  // Of six decimals a Date has three.
  const [, microseconds = ''] = /\.\d{3}(\d{1,3})/.exec(text) ?? []
  return Date.parse(text) * 1000 + Number(microseconds.padEnd(3, '0'))
}

/** The other way round. */
function keyText(sort: DealSort, key: number): string {
  if (sort === 'price' || sort === 'discount' || sort === 'best') return String(key)
  if (key === -Infinity) return '-infinity'
  const microseconds = String(((key % 1000) + 1000) % 1000).padStart(3, '0')
  return `${new Date(Math.floor(key / 1000)).toISOString().slice(0, -1)}${microseconds}Z`
}
