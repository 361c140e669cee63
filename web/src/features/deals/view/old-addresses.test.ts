import type { Deal } from '@dealdeck/contract/deals'
import { foldText } from '@dealdeck/query/folding'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filtersOfText, matcherOfFilters } from './asking.ts'
import type { Asker } from './filters.ts'
import { rewritten } from './old-addresses.ts'
import { sampleDeals } from './samples.ts'

const asker: Asker = { defaultMax: 30, hidesContradicted: false, isAdministrator: false }

test.each([
  [
    { sort: 'price', q: 'mug', min: 2, max: 12.5, prime: true, today: true },
    'mug price:2..12.5 prime:yes new:today sort:price',
  ],
  [{ q: 'red mug', prime: 1 }, '"red mug" prime:yes'],
  [{ q: 'red mug' }, 'red mug'],
  [{ q: 'red mug price:<9', sort: 'price' }, 'red mug price:<9 sort:price'],
  [{ q: 'off:50 -lamp', min: '1' }, '"off:50 -lamp" price:1..30'],
  [{ search: 'a "b"' }, '"a \\"b\\""'],
  [{ max: 'any' }, 'price:any'],
  [{ max: 30 }, undefined],
  [{ max: 0 }, 'price:<=0'],
  [{ min: 3, max: 'any' }, 'price:>=3'],
  [{ min: 40 }, 'price:>=40 price:<=30'],
  [{ off: 25, rating: '4.5', discounted: 1 }, 'off:>=25 rating:>=4.5'],
  [{ discounted: 'true' }, 'off:any'],
  [
    { search: 'mug', min_price: '2', max_price: '9', min_discount: 10, min_rating: 4 },
    'mug price:2..9 off:>=10 rating:>=4',
  ],
  [
    { prime_only: 'true', discounted_only: 'true', last_24_hours: '1', sort: 'discord' },
    'updated:<=1d off:any prime:yes sort:discord',
  ],
  [
    { sort: 'sideways', min: -4, max: 'cheap', prime: 'perhaps', off: 101, rating: '4.25', stray: 1 },
    undefined,
  ],
])('the earlier address %j is rewritten', (address, q) => {
  expect(rewritten({ ...address }, asker.defaultMax)).toEqual({ q, deal: undefined })
  expect(rewritten({ ...address, deal: 7 }, asker.defaultMax).deal).toBe(7)
})

const now = Date.parse('2026-03-01T12:00:00Z')
const [made] = sampleDeals(now)

const anyDeal: fc.Arbitrary<Deal> = fc.record({
  ...Object.fromEntries(Object.entries(made).map(([name, value]) => [name, fc.constant(value)])),
  title: fc.constantFrom('Red MUG', 'Mug, red', 'off:50 -mug', 'a "b" c', 'Kettle'),
  price: fc.integer({ min: 0, max: 6_000 }).map((cents) => cents / 100),
  discount_percentage: fc.option(fc.integer({ min: 0, max: 100 })),
  rating: fc.option(fc.integer({ min: 0, max: 50 }).map((tenths) => tenths / 10)),
  prime_eligible: fc.boolean(),
  first_seen: fc.integer({ min: 0, max: 60 }).map((hours) => new Date(now - hours * 3_600_000).toISOString()),
  // The cast holds: whatever isn't named is as in the sample.
}) as fc.Arbitrary<Deal>

const anyAddress = fc.record(
  {
    q: fc.constantFrom('red mug', 'mug', 'off:50 -mug', 'a "b"', 'MUG'),
    min: fc.integer({ min: 1, max: 60 }),
    max: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constant('any')),
    off: fc.integer({ min: 1, max: 100 }),
    rating: fc.integer({ min: 1, max: 50 }).map((tenths) => tenths / 10),
    discounted: fc.constant(true),
    prime: fc.constant(true),
    today: fc.constant(true),
  },
  { requiredKeys: [] },
)

/** What earlier versions showed at an address. */
function showed(
  address: typeof anyAddress extends fc.Arbitrary<infer Address> ? Address : never,
  deal: Deal,
) {
  const { q = '', min = 0, max = asker.defaultMax, off, rating } = address
  return (
    foldText(deal.title).includes(foldText(q)) &&
    deal.price >= min &&
    (typeof max === 'string' || deal.price <= max) &&
    (off === undefined || (deal.discount_percentage ?? -1) >= off) &&
    (rating === undefined || (deal.rating ?? -1) >= rating) &&
    (!address.discounted || deal.discount_percentage !== null) &&
    (!address.prime || deal.prime_eligible) &&
    (!address.today || Date.parse(deal.first_seen) >= new Date(now).setHours(0, 0, 0, 0))
  )
}

test('an earlier address leads to the same deals', () => {
  fc.assert(
    fc.property(anyAddress, fc.array(anyDeal, { minLength: 5, maxLength: 5 }), (address, deals) => {
      // Words alone are a question of today too, which finds them in any order.
      fc.pre(Object.keys(address).some((name) => name !== 'q'))
      const { q = '' } = rewritten(address, asker.defaultMax)
      const matches = matcherOfFilters(filtersOfText(q, asker), now)
      for (const deal of deals)
        expect(matches?.(deal), `${q} ${JSON.stringify(deal)}`).toBe(showed(address, deal))
    }),
    { numRuns: 500 },
  )
})
