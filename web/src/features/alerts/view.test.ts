import type { Alert, Peace } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import { expect, test } from 'vitest'
import { wishOf, wishText } from './view/wish.ts'
import {
  defaultDestination,
  expectationText,
  lastError,
  optionTexts,
  parseAmount,
  peaceText,
  proposedTarget,
  shownAmount,
  suggestTargets,
  toldOfText,
} from './view.ts'

const place = (id: number, values: Partial<Destination> = {}) =>
  // As much of it as is read.
  ({ id, is_group: false, state: 'ok', ...values }) as Destination
const alert = (id: number, values: Partial<Alert> = {}) =>
  // As much of it as is read.
  ({ id, name: `Search ${id}`, deal_id: null, destination_id: 1, is_group: false, ...values }) as Alert

test.each([
  [{ matching: 12, has_more: false, per_day: 3.2, days: 7 }, '12 match now, about 3 a day'],
  [{ matching: 1, has_more: false, per_day: 0.3, days: 7 }, '1 matches now, about 2 a week'],
  [{ matching: 0, has_more: false, per_day: 0.1, days: 7 }, 'none match now, about 1 a week'],
  [{ matching: 0, has_more: false, per_day: 0, days: 7 }, 'none match now, none came in the last 7 days'],
  [
    { matching: 10_000, has_more: true, per_day: null, days: 0 },
    'more than 10000 match now, how many a day is not known yet',
  ],
])('what an alert brings is said as far as it is known: %o', (expected, text) => {
  expect(expectationText(expected, String)).toBe(text)
})

test('something goes where the newest alert goes, else to what works first, never to the group', () => {
  const places = [
    place(1, { is_group: true }),
    place(2, { state: 'failing' }),
    place(3),
    place(4, { state: 'gone' }),
  ]
  expect(defaultDestination(places, [])?.id).toBe(3)
  expect(
    defaultDestination(places, [alert(1, { destination_id: 3 }), alert(2, { destination_id: 2 })])?.id,
  ).toBe(2)
  expect(defaultDestination(places, [alert(9, { destination_id: 1, is_group: true })])?.id).toBe(3)
  expect(defaultDestination([places[0] ?? place(1)], [])).toBeUndefined()
})

test('prices to wait for lie below the one of now, each once, the ones of its history first', () => {
  const low = { price: 9, seen_at: '', days: 1 }
  expect(suggestTargets(10, { typical: 9.5, low_90: low }).map(({ amount }) => amount)).toEqual([9, 9.5])
  expect(suggestTargets(9, { typical: 12, low_90: low })).toEqual([{ amount: 8.55, label: '5 % less' }])
  expect(suggestTargets(20, undefined)).toEqual([{ amount: 19, label: '5 % less' }])
  expect(suggestTargets(0.01, undefined)).toEqual([])
})

test.each([
  [20, 2, 18],
  [14.5, 2, 13],
  [9.99, 2, 8.9],
  [99.99, 2, 89],
  [1219, 2, 1050],
  [3.25, 2, 2.9],
  [0.99, 2, 0.89],
  [0.02, 2, 0.01],
  [0.01, 2, undefined],
  [1980, 0, 1750],
])(
  'at %f, of a currency with %i decimals, the price proposed to wait for is %s',
  (price, decimals, target) => {
    expect(proposedTarget(price, decimals)).toBe(target)
  },
)

test.each([
  ['12.50', 12.5],
  ['12,5', 12.5],
  ['$12', 12],
  ['1,299', 1299],
  ['$1,299.50', 1299.5],
  ['1.299,5', 1299.5],
  ['1 299', 1299],
  ['1,299,000', 1_299_000],
  ['0,129', 0.13],
  ['', null],
  ['0', undefined],
  ['twelve', undefined],
])('%s is the amount %s', (text, amount) => {
  expect(parseAmount(text)).toBe(amount)
})

test('what a field shows of an amount is read as the same', () => {
  expect([null, 5, 12.5, 1.125].map(shownAmount)).toEqual(['', '5', '12.5', '1.13'])
  expect([5, 12.5, 1.13].map((amount) => parseAmount(shownAmount(amount)))).toEqual([5, 12.5, 1.13])
})

test('when nothing comes is said, a pause before quiet hours', () => {
  // As much of it as is read.
  const peace = { quiet_from: '22:00', quiet_to: '07:00', paused_until: null } as Peace
  const said = (values: Partial<Peace>) => peaceText({ ...peace, ...values }, 1_000, (time) => time)
  expect(said({})).toBe('not between 22:00 and 07:00')
  expect(said({ quiet_from: null, quiet_to: null })).toBeUndefined()
  expect(said({ paused_until: '2026-05-01T00:00:00Z' })).toBe('nothing until 2026-05-01T00:00:00Z')
  expect(said({ paused_until: '1970-01-01T00:00:00Z' })).toBe('not between 22:00 and 07:00')
})

test('options are said where they are not as they begin', () => {
  const options = { mode: 'now', again_percent: 5, urgent_off: null, urgent_below: null } as const
  const [money, percent] = [(amount: number) => `$${amount}`, (part: number) => `${part}%`]
  expect(optionTexts(options, money, percent)).toEqual([])
  expect(
    optionTexts({ mode: 'daily', again_percent: 9, urgent_off: 60, urgent_below: 5 }, money, percent),
  ).toEqual(['a daily list', 'again after a fall of 9%', 'urgent from 60% off or below $5'])
})

test('what goes to a destination is said in a line', () => {
  const alerts = [1, 2, 3, 4, 5].map((id) => alert(id))
  expect(toldOfText([], 1, String)).toBe('Nothing goes here yet.')
  expect(toldOfText(alerts.slice(0, 1), 1, String)).toBe('Search 1')
  expect(toldOfText([...alerts, alert(6, { deal_id: 3 })], 1, String)).toBe(
    'Search 1, Search 2, Search 3, 2 more and 1 price you wait for',
  )
})

test('what was wished for before there was a destination is read from an address, however it was typed', () => {
  for (const wish of [{ search: 12 }, { deal: 34 }]) expect(wishOf(wishText(wish))).toEqual(wish)
  for (const text of [undefined, '', 'search', 'deal-x', 'search-1-2', 7])
    expect(wishOf(text)).toBeUndefined()
})

test('only what the last change met is said', () => {
  const failed = (submittedAt: number) => ({ submittedAt, error: new Error(`at ${submittedAt}`) })
  const fine = (submittedAt: number) => ({ submittedAt, error: null })
  expect(lastError([fine(0), fine(0)])).toBeNull()
  expect(lastError([failed(1), fine(2)])).toBeNull()
  expect(lastError([fine(1), failed(2), failed(1)])?.message).toBe('at 2')
})
