import { expect, test } from 'vitest'
import { readSettings } from '../platform/settings.ts'
import { priceTable } from './prices.ts'

test('the table has a line for each point, below the sentence', () => {
  const point = {
    ...{ seen_at: '2026-05-01T08:00:00.000000Z', confirmed_until: '2026-05-02T08:30:00.000000Z' },
    ...{ price: 20, original_price: 30, origin: null, is_suspect: false, is_wrong: false },
  }
  const low = { price: 3, seen_at: '2026-05-03T08:00:00Z', days: 1 }
  const verdict = {
    ...{ kind: 'usual' as const, short: 'About what it usually costs', text: 'About what it usually costs.' },
    as_of: '2026-06-01T12:00:00.000Z',
    figures: {
      ...{ watched_since: '2026-05-01T08:00:00Z', coverage_30: 1, coverage_90: 0.3, coverage_365: 0.1 },
      ...{ days_known_90: 27, days_known_365: 36 },
      ...{
        usual: 20,
        typical: 20,
        low_30: low,
        low_90: low,
        low_365: low,
        low_since_rise: null,
        high_90: low,
      },
      ...{ days_at_or_below: 1, prior_30: null, changes_30: 0, spread: 0, list_ever_charged: null },
    },
  }
  const prices = [
    point,
    { ...point, price: null, original_price: null, confirmed_until: null },
    { ...point, price: 3, is_wrong: true, origin: { import_id: 7, source: 'token nightly' } },
  ]
  const { MARKETPLACE } = readSettings({})
  expect(priceTable({ asin: 'B000000001', title: 'Copper kettle', verdict, prices }, MARKETPLACE)).toEqual([
    'B000000001  Copper kettle',
    'About what it usually costs.',
    '',
    'first seen        last seen         price        list price  from',
    '2026-05-01 08:00  2026-05-02 08:30  $20.00       $30.00',
    '2026-05-01 08:00  unknown           not offered',
    '2026-05-01 08:00  2026-05-02 08:30  $3.00        $30.00      token nightly (import 7)  marked as wrong',
  ])
})
