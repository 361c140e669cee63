import { longestSearchName as longestTaken, type SavedSearch } from '@dealdeck/contract/searches'
import { printQuestion } from '@dealdeck/query/printing'
import { asksForHidden, leavesOf } from '@dealdeck/query/question'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { questions } from '../../../../query/testing/questions.ts'
import {
  askedFor,
  longestSearchName,
  moved,
  nameFor,
  newsOf,
  readCopy,
  textOf,
  withKnownCount,
} from './view.ts'

const search = (values: Partial<SavedSearch> = {}): SavedSearch => ({
  ...{ id: 1, name: 'Watches', q: 'watch', sort: null, is_shared: false, owner: 'olga', is_mine: true },
  ...{
    is_in_row: true,
    new_count: 0,
    has_more_new: false,
    updated_at: '2026-05-01T00:00:00.000Z',
    ...values,
  },
})

test.each([
  ['watch price:<30', null, 'watch price:<30'],
  ['watch -(price:<5 OR prime:yes)', 'price', 'watch -(price:<5 OR prime:yes) sort:price'],
  ['watch', 'newest', 'price:any watch'],
  ['', 'discount', 'price:any sort:discount'],
  ['saleprice', null, 'price:any saleprice'],
] as const)('%s sorted by %s is opened as %s, whatever the reader’s own highest price', (q, sort, text) => {
  expect(textOf({ q, sort })).toBe(text)
})

test.each([
  ['"the price: right"', 'price:any "the price: right"'],
  ['title:"a price:5"', 'price:any title:"a price:5"'],
  ['lamp -"old price:5"', 'price:any lamp -"old price:5"'],
  [String.raw`"27\" price:5" t-price:5`, String.raw`price:any "27\" price:5" t-price:5`],
  ['27" price:<50 5"', '27" price:<50 5"'],
])('%s is opened as %s: within quotes a price is a word', (q, text) => {
  expect(textOf({ q, sort: null })).toBe(text)
})

test('all searches that ask for what is on screen are before their reader, one’s own and the group’s', () => {
  const searches = [
    search({ id: 1, q: 'watch price:<30' }),
    search({ id: 2, q: 'watch' }),
    search({ id: 3, q: 'watch price:<30', is_mine: false, is_shared: true }),
  ]
  const ids = (typed: string, whole?: string) => askedFor(searches, typed, whole).map(({ id }) => id)
  // The whole text may be that of the moment before.
  expect(ids('watch price:<30', 'price:any watch')).toEqual([1, 3])
  expect(ids('watch', 'price:any watch')).toEqual([2])
  expect(ids('')).toEqual([])
})

test('whatever is saved, it is known without the language whether it asks for a price or for hidden deals', () => {
  fc.assert(
    fc.property(questions(), ({ condition }) => {
      const q = printQuestion({ condition, sort: null })
      const asksPrice = leavesOf(condition).some((leaf) => 'field' in leaf && leaf.field === 'price')
      expect(textOf({ q, sort: null }), q).toBe(asksPrice ? q : `price:any ${q}`.trim())
      expect(withKnownCount(search({ q, new_count: null })).is_late ?? false).toBe(!asksForHidden(condition))
    }),
    { numRuns: 2_000 },
  )
})

test('what is new is said as far as it was counted, and not at all where there is nothing', () => {
  const news = [
    { new_count: 3 },
    { new_count: 99, has_more_new: true },
    { new_count: 0, has_more_new: true },
    { new_count: 0 },
    { new_count: null },
    // As a device may have stored it.
    { new_count: undefined },
  ].map((values: object) => newsOf(search(values)))
  expect(news).toEqual([
    ...[
      { short: '3', whole: '3 new' },
      { short: '99+', whole: '99+ new' },
    ],
    ...[{ short: 'new?', whole: 'maybe new' }, undefined, undefined, undefined],
  ])
})

test.each([
  [0, 2, 'bca'],
  [2, 0, 'cab'],
  [1, 9, 'acb'],
  [1, -1, 'bac'],
  [5, 0, 'abc'],
])('of three the one at %i goes to %i', (from, to, after) => {
  expect(moved([...'abc'], from, to).join('')).toBe(after)
})

test('a question lends its words as a name', () => {
  const questions = ['desk  lamp price:<30 -solar sort:price', 'price:<30', '"blue mug" OR cup']
  expect(questions.map((question) => nameFor(question, []))).toEqual([
    ...['desk lamp', 'price:<30', 'blue mug cup'],
  ])
})

test.each([
  ['watches under 30 at least 20% off, not Casio or Fossil', 'watches under 30 at least 20% off'],
  ['red mugs with a handle, and without a lid,', 'red mugs with a handle, and without a'],
  ['mugs, ', 'mugs'],
  [`${'x'.repeat(39)}😀 long`, 'x'.repeat(39)],
  ['a question of exactly forty characters..', 'a question of exactly forty characters..'],
])('the name of %s ends with a whole word', (question, name) => {
  expect(nameFor(question, [])).toBe(name)
})

test('no question is given a name that another search has', () => {
  const named = (...others: string[]) => nameFor('lamp price:<30', others)
  expect(named('Mugs')).toBe('lamp')
  expect(named('Lamp ')).toBe('lamp price:<30')
  expect(named('lamp', 'LAMP price:<30')).toBe('lamp 2')
  expect(named('lamp', 'lamp price:<30', 'lamp 2')).toBe('lamp 3')
})

test('what the device kept is read for its own account only, and as far as it makes sense', () => {
  const stored = { user_id: 7, items: [search(), { id: 'x' }, null] }
  expect(readCopy(stored, 7)).toEqual([search()])
  for (const [copy, id] of [
    [stored, 8],
    [null, 7],
    [{ user_id: 7 }, 7],
  ] as const)
    expect(readCopy(copy, id)).toBeUndefined()
})

test('a number that could not be counted in time stays what it was of the same question', () => {
  const known = [search({ new_count: 5, has_more_new: true })]
  const late = (values: Partial<SavedSearch>) => withKnownCount(search({ new_count: null, ...values }), known)
  expect(late({ name: 'Clocks' })).toMatchObject({ name: 'Clocks', new_count: 5, has_more_new: true })
  for (const other of [{ q: 'watch prime:yes' }, { id: 2 }])
    expect(late(other)).toMatchObject({ new_count: null, has_more_new: false, is_late: true })
  expect(withKnownCount(search({ new_count: 1 }), known)).toEqual(search({ new_count: 1 }))
})

test('a name may be as long as the server takes it', () => {
  expect(longestSearchName).toBe(longestTaken)
})
