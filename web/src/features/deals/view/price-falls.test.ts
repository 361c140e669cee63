import type { Deal } from '@dealdeck/contract/deals'
import { expect, test } from 'vitest'
import { fallsLine, PriceFalls } from './price-falls.ts'
import { sampleDeals } from './samples.ts'

const [made] = sampleDeals(0)
const at = (id: number, price: number): Deal => ({ ...made, id, price })

test('a price below the one first seen has fallen, however often it changes', () => {
  const prices = new PriceFalls()
  prices.watch([at(1, 9), at(2, 5)])
  expect(prices.falls.size).toBe(0)
  prices.watch([at(1, 6), at(2, 5)])
  prices.watch([at(1, 4.5)])
  expect([...prices.falls]).toEqual([[1, 9]])
  expect(prices.unseen).toEqual([1])
})

test('a price that comes back or rises has not, and what falls from there has', () => {
  const prices = new PriceFalls()
  prices.watch([at(1, 9)])
  prices.watch([at(1, 6)])
  prices.putAway()
  prices.watch([at(1, 12)])
  expect(prices.falls.size).toBe(0)
  prices.watch([at(1, 9)])
  expect([...prices.falls]).toEqual([[1, 12]])
  expect(prices.unseen).toEqual([1])
})

test('what was put away stays marked and is counted no more; nothing new is the same answer', () => {
  const prices = new PriceFalls()
  prices.watch([at(1, 9), at(2, 9)])
  prices.watch([at(1, 8), at(2, 9)])
  const { falls } = prices
  prices.putAway()
  prices.watch([at(1, 8), at(2, 9)])
  expect(prices.falls).toBe(falls)
  expect(prices.unseen).toEqual([])
  prices.watch([at(2, 1)])
  expect(prices.unseen).toEqual([2])
  expect([0, 1, 3].map((count) => fallsLine(count, String))).toEqual([
    undefined,
    '1 price fell',
    '3 prices fell',
  ])
})
