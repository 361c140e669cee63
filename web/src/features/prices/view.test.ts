import type { PriceFigures } from '@dealdeck/contract/prices'
import { expect, test } from 'vitest'
import { marketplaceFormats } from '../../platform/number-formats.ts'
import { runsOf } from './view/runs.ts'
import { evidenceOf, heldFor, sayDuration, sayListed, sayRun, sayWhoseDays, withDates } from './view.ts'

const day = 24 * 60 * 60_000
const hour = day / 24
const shop = withDates(
  marketplaceFormats({
    ...{ marketplace: 'amazon.com', currency: 'USD', locale: 'en-US' },
    ...{ affiliate_tag: '', signup_mode: 'open' },
  }),
)
const asOf = '2026-05-01T12:00:00Z'
const now = Date.parse(asOf)
const daysAgo = (days: number) => new Date(now - days * day).toISOString()

function runOf(seen: number, last: number | null, next?: number) {
  const point = (seen_at: string, confirmed_until: string | null) => ({
    ...{ price: 9.99, original_price: 19.99, seen_at, confirmed_until },
    ...{ origin: null, is_suspect: false, is_wrong: false },
  })
  const points = [point(daysAgo(seen), last === null ? null : daysAgo(last))]
  if (next !== undefined) points.push(point(daysAgo(next), asOf))
  const [run] = runsOf(points, now)
  if (run === undefined) throw new Error('There is no run')
  return run
}

test.each([
  [0.5 * hour, 'less than an hour'],
  [5.5 * hour, '5 h'],
  [23.5 * hour, '1 day'],
  [71 * day - hour, '71 days'],
  [1234 * day, '1,234 days'],
])('%d ms are %s', (ms, said) => {
  expect(sayDuration(ms, shop.number)).toBe(said)
})

test('for how long a price held is said as far as it is known', () => {
  expect(heldFor(runOf(30, 21, 20), false, shop.number)).toBe('10 days')
  expect(heldFor(runOf(30, 25, 5), false, shop.number)).toBe('at least 5 days')
  expect(heldFor(runOf(30, null, 5), false, shop.number)).toBe('seen once')
  expect(heldFor(runOf(9, 0), true, shop.number)).toBe('9 days so far')
  expect(heldFor(runOf(200, 198), true, shop.number)).toBe('at least 2 days')
})

test('a price in words says what it was, for how long, and what is wrong with it', () => {
  const run = runOf(30, 21, 20)
  expect(sayRun(run, false, shop)).toBe('Apr 1, 2026: $9.99, list price $19.99, held 10 days')
  const of = (values: Partial<typeof run.point>) =>
    sayRun({ ...run, point: { ...run.point, ...values } }, false, shop)
  expect(of({ price: null })).toBe('Apr 1, 2026: not offered, held 10 days')
  expect(of({ is_suspect: true })).toMatch(/, suspect$/)
  expect(of({ is_suspect: true, is_wrong: true })).toMatch(/, marked as wrong$/)
})

const seen = { price: 9.5, seen_at: daysAgo(3), days: 0.25 }
const figures: PriceFigures = {
  watched_since: daysAgo(100),
  coverage_30: 1,
  coverage_90: 0.866,
  coverage_365: 0.3,
  days_known_90: 78,
  days_known_365: 110,
  usual: 12,
  typical: 12.5,
  low_30: seen,
  low_90: seen,
  low_365: seen,
  low_since_rise: null,
  high_90: { price: 15, seen_at: daysAgo(50), days: 40 },
  days_at_or_below: 0.25,
  prior_30: 11,
  changes_30: 4,
  spread: 0.1,
  list_ever_charged: 0,
}

test('the figures of a verdict say what they are of', () => {
  const { first, more } = evidenceOf({ kind: 'usual', figures, as_of: asOf }, shop)
  const lines = [...first, ...more].map(({ label, value, note }) => `${label}: ${value}, ${note}`)
  expect(lines).toEqual([
    'First known: 100 days ago, price known on 78 of the last 90 days',
    'Typical price: $12.50, this or less half of the time seen',
    'Lowest in 90 days: $9.50, held 6 h, last seen Apr 28, 2026',
    'Highest in 90 days: $15.00, held 40 days, last seen Mar 12, 2026',
    'List price charged: Not seen, in the 110 days we have seen',
    'At this price or less: 6 h, of the last 90 days',
    'Price that held longest: $12.00, in 90 days',
    'Lowest in 30 days: $9.50, held 6 h, last seen Apr 28, 2026',
    'Lowest in a year: $9.50, held 6 h, last seen Apr 28, 2026',
    'Lowest before this price: $11.00, in the 30 days before',
    'Changes in 30 days: 4, undefined',
  ])
})

test.each([
  [null, undefined],
  [0.004, 'Under 1%'],
  [0.04, '4%'],
  [1, '100%'],
])('a list price that was charged for a share of %s of the time is said to be', (share, said) => {
  const { first } = evidenceOf(
    { kind: 'usual', figures: { ...figures, list_ever_charged: share }, as_of: asOf },
    shop,
  )
  expect(first.find(({ label }) => label === 'List price charged')?.value).toBe(said)
})

test('what nobody knows is left out', () => {
  const none = { usual: null, typical: null, low_30: null, low_90: null, low_365: null, high_90: null }
  const { first, more } = evidenceOf(
    { kind: 'usual', figures: { ...figures, ...none, prior_30: null }, as_of: asOf },
    shop,
  )
  expect([...first, ...more].map(({ label }) => label)).toEqual([
    'First known',
    'List price charged',
    'At this price or less',
    'Changes in 30 days',
  ])
})

test('a low that counts since a rise is not said to be behind one that there may not have been', () => {
  const { more } = evidenceOf(
    { kind: 'usual', figures: { ...figures, low_since_rise: seen }, as_of: asOf },
    shop,
  )
  expect(more.map(({ label }) => label)).toContain('Lowest since it rose for good, if it did')
})

test('while it is too early to judge only since when it was seen is said', () => {
  const { first, more } = evidenceOf({ kind: 'new', figures, as_of: asOf }, shop)
  expect([...first, ...more].map(({ label }) => label)).toEqual(['First known'])
})

test('to a reader who is not at UTC it says whose days a sentence names', () => {
  const text = 'Rose from $12.00 to $19.00 on 3 Nov, shown as 40 % off since 5 Nov.'
  const [said, note] = [{ text, as_of: '2025-11-07T12:00:00Z' }, ' Its days are those of UTC.']
  expect(sayWhoseDays(said, () => 480)).toBe(note)
  expect(sayWhoseDays(said, () => 0)).toBe('')
  expect(
    sayWhoseDays({ ...said, text: 'Lowest we have seen in 90 days (78 watched). Typical $14.20.' }),
  ).toBe('')
  // In London it is winter now, and was summer on the days that are named.
  const ofLondon = (time: number) => (time < Date.UTC(2025, 9, 26) && time > Date.UTC(2025, 2, 30) ? -60 : 0)
  expect(sayWhoseDays(said, ofLondon)).toBe(note)
})

test('where not all prices are listed it says from when on', () => {
  const runs = Array.from({ length: 1_000 }, () => runOf(30, 20))
  expect(sayListed(runs.slice(1), shop)).toBeUndefined()
  expect(sayListed(runs, shop)).toBe(
    'The newest 1,000, from Apr 1, 2026 on. Those before count in the figures above.',
  )
})
