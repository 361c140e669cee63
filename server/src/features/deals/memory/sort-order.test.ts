import { expect, test } from 'vitest'
import { SortOrder } from './sort-order.ts'

test('an order that changes over and over stays right, and takes no memory anew', () => {
  const keys = Array.from({ length: 500 }, (_, row) => row)
  const gone = new Set<number>()
  const present = () => keys.map((_, row) => row).filter((row) => !gone.has(row))
  const compare = (a: number, b: number) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b
  const order = new SortOrder(
    compare,
    (row) => !gone.has(row),
    () => Uint32Array.from(present()),
  )
  const taken = new Set<ArrayBufferLike>()
  for (let round = 0; round < 50; round++) {
    expect([...order.rows()]).toEqual(present().toSorted(compare))
    taken.add(order.rows().buffer)
    for (let at = 0; at < 10; at++) {
      const row = (round * 37 + at * 11) % keys.length
      keys[row] = (keys[row] ?? 0) * 7 + round
      if (at === 0) gone.add(row)
      else gone.delete(row)
      order.touch(row)
    }
  }
  // What was sorted first, and two that take turns.
  expect(taken.size).toBeLessThanOrEqual(3)
})
