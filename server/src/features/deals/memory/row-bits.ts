/** A set of rows, a bit for each: a million take 125 KB, which a processor has at hand wherever it looks. */
export type RowBits = Uint32Array

/** Whether the deal of a row meets something. */
export type RowTest = (row: number) => boolean

export const bitsFor = (rows: number): RowBits => new Uint32Array(Math.ceil(rows / 32))

/** A set with room for a row: the same, or a larger one. */
export function withRoom(bits: RowBits, row: number): RowBits {
  if (row < bits.length * 32) return bits
  const larger = bitsFor(Math.ceil(row * 1.25) + 32)
  larger.set(bits)
  return larger
}

export function hasRow(bits: RowBits, row: number): boolean {
  return (((bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1
}

export function addRow(bits: RowBits, row: number): void {
  bits[row >>> 5] = (bits[row >>> 5] ?? 0) | (1 << (row & 31))
}

/** Adds one row, or the first `count` of several. */
export function addRows(bits: RowBits, rows: number | Uint32Array, count: number): void {
  if (typeof rows === 'number') addRow(bits, rows)
  else for (let at = 0; at < count; at++) addRow(bits, rows[at] ?? 0)
}

/** Leaves in `bits` what `other` has too. */
export function keepCommon(bits: RowBits, other: RowBits): void {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) & (other[at] ?? 0)
}

/** Adds to `bits` what `other` has. */
export function addAll(bits: RowBits, other: RowBits): void {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) | (other[at] ?? 0)
}

export function dropRow(bits: RowBits, row: number): void {
  bits[row >>> 5] = (bits[row >>> 5] ?? 0) & ~(1 << (row & 31))
}

/** Takes away from `bits` what `other` has. */
export function takeAway(bits: RowBits, other: RowBits): void {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) & ~(other[at] ?? 0)
}

/** Calls `visit` with each row, in the order of their numbers. */
export function forEachRow(bits: RowBits, visit: (row: number) => void): void {
  for (let at = 0; at < bits.length; at++)
    for (let rest = bits[at] ?? 0; rest !== 0; rest &= rest - 1)
      visit(at * 32 + 31 - Math.clz32(rest & -rest))
}

/** How many of 32 bits are set. */
export function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** How many rows there are, counted up to a little above `most`. */
export function countUpTo(bits: RowBits, most: number): number {
  let count = 0
  for (let at = 0; at < bits.length && count <= most; at++) count += countBits(bits[at] ?? 0)
  return count
}
