import { expect, test } from 'vitest'
import { comparisonsOf, groupOf, inOrder, outcomeText } from './view.ts'

const shop = {
  money: (amount: number) => `$${amount.toFixed(2)}`,
  number: (value: number) => String(value),
  locale: 'en-US',
}

test('old stands beside new, what differs first and in words', () => {
  const old = { title: 'Mug', price: 40, original_price: 50, rating: 4, typical_price: null }
  expect(comparisonsOf({ old, new: { ...old, price: 4, rating: null } }, shop)).toEqual([
    { label: 'price', before: '$40.00', after: '$4.00', change: '90% less' },
    { label: 'original price', before: '$50.00', after: '$50.00', change: null },
    { label: 'rating', before: '4', after: 'not stated', change: null },
  ])
})

test.each([
  [10, 11, '10% more'],
  [10, 19.99, '100% more'],
  [10, 20, '2 times as much'],
  [3, 100, '33 times as much'],
  [1000, 999.99, '1% less'],
  [27.99, 0.01, '99% less'],
  [27.99, 0, '100% less'],
  [0, 5, 'changed'],
  ['a', 'b', 'changed'],
])('from %o to %o it is %s', (before, after, change) => {
  expect(comparisonsOf({ old: { price: before }, new: { price: after } }, shop)[0]?.change).toBe(change)
})

test('a new deal is compared with nothing', () => {
  expect(comparisonsOf({ old: null, new: { price: 4, percent_off: 99 } }, shop)).toEqual([
    { label: 'price', before: null, after: '$4.00', change: null },
    { label: 'percent off', before: null, after: '99%', change: null },
  ])
})

test('a price in other money is shown in it, and is neither more nor less', () => {
  const now = { price: 1_219.9, original_price: 30, currency: 'EUR' }
  expect(
    comparisonsOf({ old: { price: 40, original_price: null, currency: 'USD' }, new: now }, shop),
  ).toEqual([
    { label: 'price', before: '$40.00', after: '1,219.90 EUR', change: 'other money' },
    { label: 'original price', before: 'nothing', after: '30.00 EUR', change: 'other money' },
    { label: 'currency', before: 'USD', after: 'EUR', change: 'changed' },
  ])
  expect(comparisonsOf({ old: null, new: now }, shop)).toMatchObject([
    { label: 'price', after: '1,219.90 EUR', change: null },
    { label: 'original price', after: '30.00 EUR' },
    { label: 'currency', after: 'EUR' },
  ])
  const elsewhere = {
    old: { price: 40, marketplace: 'amazon.com' },
    new: { price: 20, marketplace: 'amazon.ca' },
  }
  expect(comparisonsOf(elsewhere, shop)).toMatchObject([
    { label: 'price', after: '$20.00', change: '50% less' },
    { label: 'marketplace', before: 'amazon.com', after: 'amazon.ca', change: 'changed' },
  ])
})

test('what came of a decision names those that were gone by then', () => {
  expect(outcomeText('release', { decided: 1, gone: 0, unchanged: 0, unreadable: 0 }, shop.number)).toBe(
    '1 row let through.',
  )
  expect(outcomeText('refuse', { decided: 3, gone: 2, unchanged: 0, unreadable: 0 }, shop.number)).toBe(
    '3 rows refused. 2 were overtaken by a newer poll, or decided by somebody else, meanwhile.',
  )
  expect(outcomeText('release', { decided: 1, gone: 0, unchanged: 0, unreadable: 1 }, shop.number)).toBe(
    '1 row let through. 1 row of another version of Dealdeck can’t be let through by this one: it waits for a newer poll, or to be refused.',
  )
  expect(outcomeText('release', { decided: 1, gone: 0, unchanged: 1, unreadable: 0 }, shop.number)).toBe(
    '1 row let through. 1 changed nothing: what is stored is newer or the same, or its time was over.',
  )
})

test('groups stand by source, the largest first, and one is chosen by both', () => {
  const group = (source_id: number, rule: string, count: number) => ({
    ...{ source_id, rule, count, source: source_id === 1 ? 'Mugs' : 'Lamps', label: rule },
  })
  const groups = [group(1, 'a', 2), group(1, 'b', 9), group(2, 'a', 1)]
  expect(inOrder(groups).map(({ source, rule }) => `${source} ${rule}`)).toEqual([
    'Lamps a',
    'Mugs b',
    'Mugs a',
  ])
  expect(groupOf(groups, { source: 1, rule: 'b' })?.count).toBe(9)
  expect(groupOf(groups, { source: 1 })).toBeUndefined()
})
