import { expect, test } from 'vitest'
import { judged, priceSeen as seen } from '../../../../testing/price-histories.ts'

const verdict = (...points: Parameters<typeof judged>[0]) => judged(points).verdict
const listPrice = 20.83

test('nobody knows when a price rose that was not seen before it', () => {
  const points = [seen(19, 6, 2), seen(12.5, 2, 0, listPrice)]
  expect(verdict(seen(12.5, 90, 10), ...points).kind).toBe('listnotseen')
  expect(verdict(seen(12.5, 90, 7.5), ...points).kind).toBe('raised')
})

test('a raise that held for more than 30 days was a price', () => {
  const raisedFor = (days: number) =>
    verdict(seen(12.5, 90, days + 2), seen(19, days + 2, 2), seen(12.5, 2, 0, listPrice)).kind
  expect(raisedFor(30)).toBe('raised')
  expect(raisedFor(31)).toBe('listnotseen')
})

test('a discount below what was typical before the rise is one', () => {
  const now = (price: number) => verdict(seen(12.5, 90, 4), seen(19, 4, 2), seen(price, 2, 0, listPrice)).kind
  expect(now(11.9)).toBe('raised')
  expect(now(11.8)).toBe('listnotseen')
})

test('of two raises the later one is told', () => {
  const points = [
    seen(12.5, 90, 20),
    seen(16, 20, 15),
    seen(12.5, 15, 4),
    seen(19, 4, 2),
    seen(12.5, 2, 0, listPrice),
  ]
  expect(verdict(...points).text).toMatch(
    /^Rose from \$12\.50 to \$19\.00 on 3 Nov, shown as 40 % off since 5 Nov\./,
  )
})

test('a rise needs two weeks known before it', () => {
  const known = (days: number) =>
    verdict(seen(12.5, 55 + days, 55), seen(19, 55, 26), seen(12.5, 26, 0, listPrice)).kind
  expect(known(14)).toBe('raised')
  expect(known(13)).toBe('listnotseen')
})

test('a list price that was shown before the rise did not come with it', () => {
  const leftOut = [seen(12, 54, 4, 30), seen(12, 4, 3), seen(15, 3, 0, 30)]
  expect(verdict(...leftOut).kind).not.toBe('raised')
  const misread = [seen(30, 80, 3, 300), seen(2, 3, 2.7), seen(30, 2.7, 0, 300)]
  expect(verdict(...misread).kind).not.toBe('raised')
  const shortSale = [seen(30, 80, 3, 60), seen(25, 3, 2.7, 40), seen(30, 2.7, 0, 60)]
  expect(verdict(...shortSale).kind).not.toBe('raised')
  // Back lower than it was.
  const lower = [seen(30, 80, 3, 60), seen(25, 3, 2.7, 40), seen(30, 2.7, 0, 50)]
  expect(verdict(...lower).kind).not.toBe('raised')
})

test('a list price is new where the one before was lower, or is 90 days past', () => {
  const before = (listPrice: number, until: number) =>
    verdict(seen(12, 120, until, listPrice), seen(12, until, 3), seen(15, 3, 0, 25)).kind
  expect(before(23.8, 50)).toBe('raised')
  expect(before(23.9, 50)).toBe('listnotseen')
  expect(before(25, 92)).toBe('listnotseen')
  expect(before(25, 94)).toBe('raised')
})
