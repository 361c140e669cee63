import { expect, test } from 'vitest'
import { numberText } from '../../platform/numbers.ts'
import { type ComparedRow, type DocumentCounts, documentFault, rowFault, shrunkenPolls } from './rules.ts'

const none = { trusted: new Set<string>(), refused: new Set<string>() }
const trusting = (...rules: string[]) => ({ ...none, trusted: new Set(rules) })
const shop = {
  ...{ domain: 'amazon.com', currency: 'USD' },
  money: (amount: number) => `$${amount.toFixed(2)}`,
  number: (amount: number) => amount.toFixed(2),
}
const row = (given: Partial<ComparedRow>): ComparedRow => ({
  ...{ price: 10, original_price: null, title: 'Walnut serving tray', old_price: null, old_title: null },
  ...{ typical: null, first_price: null, ends_others: false },
  ...{ other_currency: null, other_marketplace: null },
  ...given,
})

test.each<[string, Partial<ComparedRow>, string | undefined]>([
  ['nothing is known of it', {}, undefined],
  ['a ninth of the typical price', { price: 5.45, old_price: 50, typical: 49 }, undefined],
  ['less than that', { price: 5.44, old_price: 50, typical: 49 }, 'price_low'],
  ['more than nine times the typical price', { price: 441.01, old_price: 50, typical: 49 }, 'price_high'],
  ['a ninth of the last price, and no more is known', { price: 5.56, old_price: 50 }, undefined],
  ['a decimal point that has moved', { price: 1.54, old_price: 15.37 }, 'price_low'],
  [
    'half of the price that is stored, however odd that is',
    { price: 4, old_price: 8, typical: 100 },
    undefined,
  ],
  [
    'half of the price that is stored, and not of any that was let through',
    { price: 2.4, old_price: 4.6, typical: 100, passed_prices: [9, 30] },
    'price_low',
  ],
  ['half of one of those', { price: 4.5, old_price: 8, typical: 100, passed_prices: [30, 9] }, undefined],
  ['twice that', { price: 24, old_price: 12, typical: 1 }, undefined],
  [
    'a price that has come by halves to less than a ninth',
    { price: 6.25, old_price: 12.5, typical: 100 },
    'price_low',
  ],
  ['one that has doubled beyond nine times', { price: 16, old_price: 8, typical: 1 }, 'price_high'],
  [
    'one that has come by halves to less than a ninth of the first',
    { price: 6.25, old_price: 12.5, first_price: 100 },
    'price_low',
  ],
  ['a ninth of the first price', { price: 11.2, old_price: 12.5, first_price: 100 }, undefined],
  ['the end of a deal of others', { old_price: 10, price: 10, ends_others: true }, 'ended'],
  ['less than half of it', { price: 3.99, old_price: 8, typical: 100 }, 'price_low'],
  ['more than twice', { price: 16.01, old_price: 8, typical: 1 }, 'price_high'],
  ['the same price as stored, however odd', { price: 2, old_price: 2, typical: 49 }, undefined],
  ['a new item far below what its source says it costs', { price: 6.99, typical: 543 }, 'price_low'],
  ['a new item far above that', { price: 5_430.01, typical: 543 }, 'price_high'],
  ['less than a twentieth of the list price', { price: 4.99, original_price: 100 }, 'list_price'],
  ['a twentieth of it', { price: 5, original_price: 100 }, undefined],
  ['a title without a word in common', { old_price: 10, old_title: 'Cordless impact drill' }, 'title'],
  ['a title that is worded otherwise', { old_price: 10, old_title: 'Serving board, walnut' }, undefined],
])('%s', (_, given, rule) => {
  expect(rowFault(row(given), none, shop)?.rule).toBe(rule)
})

test('a trusted rule holds nothing, and the next one still does', () => {
  const given = row({ price: 0.5, old_price: 50, original_price: 100 })
  expect(rowFault(given, none, shop)?.rule).toBe('price_low')
  expect(rowFault(given, trusting('price_low'), shop)?.rule).toBe('list_price')
  expect(rowFault(given, trusting('price_low', 'list_price'), shop)).toBeUndefined()
})

test.each<[string, Partial<ComparedRow>, string]>([
  ['EUR', { other_currency: 'EUR' }, 'Its price is in EUR, not in USD. Let through, 19.99 counts as $19.99.'],
  [
    'a currency that nobody knows',
    { other_currency: 'Taler' },
    'Its price is in “Taler”, not in USD. Let through, 19.99 counts as $19.99.',
  ],
  [
    'another marketplace',
    { other_marketplace: 'amazon.ca' },
    'It is of amazon.ca, not of amazon.com. Let through, its ASIN and price are taken as amazon.com’s.',
  ],
  [
    'both',
    { other_currency: 'EUR', other_marketplace: 'amazon.de' },
    'Its price is in EUR, not in USD, and it is of amazon.de, not of amazon.com. Let through, 19.99 counts as $19.99, and its ASIN as amazon.com’s.',
  ],
])('what letting through a row of another shop means: %s', (_, given, reason) => {
  // Far below what is stored as well, which is in other money.
  expect(rowFault(row({ price: 19.99, typical: 543, ...given }), none, shop)?.reason).toBe(reason)
})

test('of a row of another shop each rule is trusted by itself, and what is left is looked at as ever', () => {
  const given = row({ other_currency: 'EUR', other_marketplace: 'amazon.de', typical: 543 })
  const ruleWith = (...trusted: string[]) => rowFault(given, trusting(...trusted), shop)?.rule
  expect([ruleWith(), ruleWith('marketplace')]).toEqual(['currency', 'currency'])
  expect(ruleWith('currency')).toBe('marketplace')
  expect(ruleWith('currency', 'marketplace')).toBe('price_low')
})

test.each<[string, Partial<DocumentCounts>, number[], string | undefined]>([
  ['most of what is shown, and few', { shown: 19, ended: 18 }, [], undefined],
  ['all of it, and hardly any', { shown: 4, ended: 4 }, [], undefined],
  ['all of it', { shown: 5, ended: 5 }, [], 'It ends or hides 5 of 5 deals at once.'],
  ['half of what is shown', { shown: 40, ended: 20 }, [], undefined],
  ['more than half of it', { shown: 40, ended: 21 }, [], 'It ends or hides 21 of 40 deals at once.'],
  ['what four deals of others', { shown: 90, ended: 4, others: 4 }, [], undefined],
  ['five', { shown: 90, ended: 5, others: 5 }, [], 'It ends or hides 5 deals that only other sources list.'],
  ['short, as sizes vary', { items: 12 }, [100, 300, 150], undefined],
  ['shorter than that', { items: 11 }, [100, 300, 150], '11 rows, where there were 100 to 300.'],
  ['long, as sizes vary', { items: 2_700 }, [100, 300, 150], undefined],
  ['longer than that', { items: 2_701 }, [100, 300, 150], '2,701 rows, where there were 100 to 300.'],
  ['anything, where sizes vary wildly', { items: 1_000 }, [1, 30, 4], undefined],
])('a document that ends or is %s', (_, given, sizes, reason) => {
  const counts = { items: 90, known: 90, changed: 0, shown: 0, ended: 0, others: 0, ...given }
  const history = { sizes, shrunken: null, isLongAgo: false }
  expect(documentFault(counts, history, none, numberText({ locale: 'en-US' }))?.reason).toBe(reason)
})

test('polls are alike where the longest has a quarter more than the shortest at most', () => {
  const polls = (...sizes: number[]) =>
    sizes.reduce(
      (before: ReturnType<typeof shrunkenPolls> | null, items) => shrunkenPolls(before, items),
      null,
    )
  expect(polls(25, 24, 26)).toEqual({ items: 24, most: 26, polls: 3 })
  expect(polls(20, 25)).toMatchObject({ polls: 2 })
  expect(polls(20, 26)).toEqual({ items: 26, most: 26, polls: 1 })
  // A list that shrinks step by step comes to rest first.
  expect(polls(30, 25, 22)).toEqual({ items: 22, most: 22, polls: 1 })
  expect(polls(0, 0)).toMatchObject({ polls: 2 })
})
