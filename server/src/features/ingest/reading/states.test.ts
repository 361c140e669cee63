import { expect, test } from 'vitest'
import { readAvailability } from './flags.ts'
import { readState, stateReader } from './states.ts'

test.each([
  'EXPIRED',
  'ended',
  'SOLDOUT',
  'sold out',
  'WAITLISTFULL',
  'SUPPRESSED',
  'Deal has ended',
  'cancelled',
  'Abgelaufen',
])('%s means that a deal is over', (state) => expect(readState(state)).toBe(true))
test.each(['AVAILABLE', 'active', 'UPCOMING', 'WAITLIST', 'live', 'Published'])(
  '%s means that it is not',
  (state) => expect(readState(state)).toBe(false),
)
test.each(['', 'Ohio', '200', 'shipped', 'x'.repeat(500), null, 7])('%j is no state', (state) =>
  expect(readState(state)).toBe(null),
)

test('a yes answers what the name of the column asks', () => {
  expect(
    ['is_expired', 'isOver', 'is_active', 'live', 'status'].map((name) => stateReader(name)('yes')),
  ).toEqual([true, true, false, false, null])
  expect([
    stateReader('is_active')(0),
    stateReader('expired')(false),
    stateReader('active')('EXPIRED'),
  ]).toEqual([true, false, true])
})

test.each([
  'Add to cart',
  'ADD TO BASKET',
  'Buy now',
  'See all buying options',
  '37% claimed',
  'In den Einkaufswagen',
])('%s says nothing of availability', (text) => expect(readAvailability(text)).toBe(undefined))
test('what is claimed to the last is not available', () => {
  expect(readAvailability('100% claimed')).toBe(null)
  expect(readAvailability('Only 2 left, add to cart')).toBe('Only 2 left, add to cart')
})
