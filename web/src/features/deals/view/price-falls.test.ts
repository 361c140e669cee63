import type { Deal } from '@dealdeck/contract/deals'
import { expect, test } from 'vitest'
import { PriceFalls } from './price-falls.ts'
import { sampleDeals } from './samples.ts'
import { fallsLine } from './toast-lines.ts'

const [made] = sampleDeals(0)
const at = (id: number, price: number): Deal => ({ ...made, id, price })

test('a price below the one first seen has fallen, however often it changes', () => {
  const prices = new PriceFalls()
  prices.watch([at(1, 9), at(2, 5)])
  expect(prices.falls.size).toBe(0)
  prices.watch([at(1, 6), at(2, 5)])
  prices.watch([at(1, 4.5)])
  expect([...prices.falls]).toEqual([[1, 9]])
  expect(prices.unseen([at(1, 4.5), at(2, 5)])).toEqual([1])
})

test('a price that comes back or rises has not, and what falls from there has', () => {
  const prices = new PriceFalls()
  prices.watch([at(1, 9)])
  prices.watch([at(1, 6)])
  prices.putAway([at(1, 6)])
  prices.watch([at(1, 12)])
  expect(prices.falls.size).toBe(0)
  prices.watch([at(1, 9)])
  expect([...prices.falls]).toEqual([[1, 12]])
  expect(prices.unseen([at(1, 9)])).toEqual([1])
})

test('only what is in the list and can still be had is counted, and what other lists have stays for them', () => {
  const prices = new PriceFalls()
  prices.watch([at(1, 9), at(2, 9), at(3, 9)])
  prices.watch([at(1, 4), at(2, 4), at(3, 4)])
  const list = [at(1, 4), { ...at(2, 4), availability: null }]
  expect(prices.unseen(list)).toEqual([1])
  prices.putAway(list)
  expect(prices.unseen(list)).toEqual([])
  expect(prices.unseen([at(3, 4)])).toEqual([3])
  // A list that has not heard of the fall shows none.
  expect(prices.unseen([at(3, 9)])).toEqual([])
})

test('what was put away is counted again only when it falls further', () => {
  const prices = new PriceFalls()
  const unseenAt = (price: number) => {
    prices.watch([at(1, price)])
    return prices.unseen([at(1, price)])
  }
  unseenAt(9)
  expect(unseenAt(4.5)).toEqual([1])
  prices.putAway([at(1, 4.5)])
  expect(unseenAt(4.5)).toEqual([])
  expect(unseenAt(5)).toEqual([])
  expect(unseenAt(3)).toEqual([1])
})

test('nothing new is the same answer, and falls are said in a line', () => {
  const prices = new PriceFalls()
  prices.watch([at(1, 9), at(2, 9)])
  prices.watch([at(1, 8), at(2, 9)])
  const { falls } = prices
  prices.watch([at(1, 8), at(2, 9)])
  expect(prices.falls).toBe(falls)
  expect([0, 1, 3].map((count) => fallsLine(count, String))).toEqual([
    undefined,
    '1 price fell',
    '3 prices fell',
  ])
})
