import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addAll, addRow, bitsFor, countBits, countUpTo, forEachRow, hasRow, keepCommon } from './row-bits.ts'

const rows = fc.array(fc.integer({ min: 0, max: 99 }))
const bitsOf = (some: number[]) => {
  const bits = bitsFor(100)
  for (const row of some) addRow(bits, row)
  return bits
}
const rowsOf = (bits: Uint32Array) => {
  const found: number[] = []
  forEachRow(bits, (row) => void found.push(row))
  return found
}
const inOrder = (some: Iterable<number>) => [...new Set(some)].sort((a, b) => a - b)

test('bits are sets of rows', () => {
  fc.assert(
    fc.property(rows, rows, fc.integer({ min: 0, max: 99 }), (one, other, row) => {
      expect(rowsOf(bitsOf(one))).toEqual(inOrder(one))
      expect(hasRow(bitsOf(one), row)).toBe(one.includes(row))
      const common = bitsOf(one)
      keepCommon(common, bitsOf(other))
      expect(rowsOf(common)).toEqual(inOrder(one.filter((each) => other.includes(each))))
      const both = bitsOf(one)
      addAll(both, bitsOf(other))
      expect(rowsOf(both)).toEqual(inOrder([...one, ...other]))
      expect(countUpTo(both, 100)).toBe(rowsOf(both).length)
    }),
  )
})

test('bits are counted, the highest and all of them too', () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), (bits) => {
      expect(countBits(bits)).toBe([...bits.toString(2)].filter((bit) => bit === '1').length)
      expect(countBits(bits | 0)).toBe(countBits(bits))
    }),
  )
  expect([0, 1, 0x80000000, 0xffffffff].map(countBits)).toEqual([0, 1, 1, 32])
})
