import { expect, test } from 'vitest'
import { isNew, notesOf, priceAge } from './age.ts'
import { sampleDeals } from './samples.ts'

const now = Date.UTC(2026, 2, 1, 12)
const [deal] = sampleDeals(now)
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const seen = (first: number, last = first) => ({
  ...deal,
  first_seen: minutesAgo(first),
  observed_at: minutesAgo(last),
})

test('a deal is new for 30 minutes, if its price was seen as recently', () => {
  expect([0, 30, 30.01, -1].map((minutes) => isNew(seen(minutes), now))).toEqual([true, true, false, true])
  expect(isNew(seen(5, 300_000), now)).toBe(false)
  expect(isNew(seen(40, 0), now)).toBe(false)
})

test('the age of a price is told where it differs from that of the deal and is no news', () => {
  const ago = (time: string) => `${Math.round((now - Date.parse(time)) / 86_400_000)} days ago`
  const day = 24 * 60
  expect(priceAge(seen(400 * day, 210 * day), now, ago)).toBe('210 days ago')
  expect(priceAge(seen(400 * day, 400 * day - 5), now, ago)).toBe(undefined)
  expect(priceAge(seen(400 * day, 60), now, ago)).toBe(undefined)
})

test('a card tells what its title does not: the end, the condition and the brand', () => {
  const notes = (change: Partial<typeof deal>) => notesOf({ ...deal, ...change }, now)
  expect(notes({})).toEqual([])
  expect(notes({ title: 'ACME lamp', brand: 'Acme', condition: 'new' })).toEqual([])
  expect(notes({ brand: 'Acme', condition: 'used', ends_at: minutesAgo(-150) })).toEqual([
    'Ends in 2 h',
    'Used',
    'Acme',
  ])
  expect(
    [0, 0.5, 59, 47 * 60, 48 * 60].map((minutes) => notes({ ends_at: minutesAgo(-minutes) })[0]),
  ).toEqual(['Ends in 1 min', 'Ends in 1 min', 'Ends in 59 min', 'Ends in 47 h', undefined])
  expect(notes({ condition: 'renewed' })).toEqual(['Renewed'])
})
