import { expect, test } from 'vitest'
import { judged, minutes, priceSeen as seen } from '../../../../testing/price-histories.ts'
import type { StoredPoint } from './history.ts'

type Case = [name: string, points: StoredPoint[], kind: string, sentence: string]

/** Two prices in turn, each for half a day, for 40 days. */
const inTurn = (a: number, b: number) =>
  Array.from({ length: 81 }, (_, index) => seen(index % 2 === 0 ? a : b, 40 - index / 2))

const cases: Case[] = [
  ['five days old', [seen(9.99, 5, 0)], 'new', 'We have watched this for 5 days. Too early to judge.'],
  ['hours old', [seen(9.99, 0.2, 0)], 'new', 'We have watched this for less than a day. Too early to judge.'],
  [
    'a fortnight, not quite',
    [seen(9.99, 13.9, 0)],
    'new',
    'We have watched this for 13 days. Too early to judge.',
  ],
  [
    'flat for 71 days',
    [seen(9.99, 71, 0)],
    'unchanged',
    'Always $9.99 in the 71 days we have seen. This is its normal price.',
  ],
  [
    'flat for 71 days, beside a list price',
    [seen(9.99, 71, 0, 49.99)],
    'unchanged',
    'Always $9.99 in the 71 days we have seen. This is its normal price; we have not seen the $49.99 list price.',
  ],
  [
    'one import and 60 days of silence',
    [seen(9.99, 60)],
    'new',
    'We have not seen this since 8 Sep. Too long ago to judge.',
  ],
  [
    'silence for 20 days',
    [seen(9.99, 71, 20)],
    'new',
    'We have seen this on 12 of the last 30 days. Too few to judge.',
  ],
  [
    'silence for 10 days',
    [seen(9.99, 71, 10)],
    'unchanged',
    'Always $9.99 in the 63 days we have seen. This is its normal price.',
  ],
  [
    'observed before anybody kept until when',
    [seen(20, 60, null), seen(15, 30, null)],
    'new',
    'We have seen this on 2 of the last 30 days. Too few to judge.',
  ],
  [
    'raised on Monday, 40 % off on Wednesday',
    [seen(12.5, 90, 4), seen(19, 4, 2), seen(12.5, 2, 0, 20.83)],
    'raised',
    'Rose from $12.50 to $19.00 on 3 Nov, shown as 40 % off since 5 Nov. Usually $12.50 in the 90 days before it rose (86 watched).',
  ],
  [
    'up and down again without a discount',
    [seen(12.5, 90, 4), seen(19, 4, 2), seen(12.5, 2, 0)],
    'usual',
    'About what it usually costs: $12.50 typical in 90 days (90 watched).',
  ],
  [
    'price and list price rise together',
    [seen(12, 80, 4), seen(15, 4, 0, 25)],
    'raised',
    'Rose from $12.00 to $15.00 on 3 Nov, shown as 40 % off since then. Usually $12.00 in the 90 days before it rose (76 watched).',
  ],
  [
    'the list price comes two days after the rise',
    [seen(12, 80, 5), seen(15, 5, 3), seen(15, 3, 0, 25)],
    'raised',
    'Rose from $12.00 to $15.00 on 2 Nov, shown as 40 % off since 4 Nov. Usually $12.00 in the 90 days before it rose (75 watched).',
  ],
  [
    'the list price comes ten days after the rise',
    [seen(12, 80, 20), seen(15, 20, 10), seen(15, 10, 0, 25)],
    'listnotseen',
    'We have not seen the $25.00 list price in 90 days (80 watched, highest $15.00). At $15.00 it is $3.00 over the typical $12.00.',
  ],
  [
    'raised together 50 days ago',
    [seen(12, 89, 50), seen(15, 50, 0, 25)],
    'listnotseen',
    'We have not seen the $25.00 list price in 90 days (89 watched, highest $15.00). $15.00 is typical.',
  ],
  [
    'raised together, watched for 20 days',
    [seen(12, 20, 4), seen(15, 4, 0, 25)],
    'high',
    'Usually cheaper: $12.00 typical in 90 days (20 watched).',
  ],
  [
    'a price far too high for ten minutes, beside a list price',
    [seen(20, 80, 5, 25), seen(60, 5, 5, 25), seen(20, 5 - 10 * minutes, 0, 25)],
    'usual',
    'About what it usually costs: $20.00 typical in 90 days (80 watched).',
  ],
  [
    'an honest sale',
    [seen(20, 80, 10, 20), seen(14, 10, 0, 20)],
    'lowest',
    'Lowest we have seen in 90 days (80 watched). Typical $20.00, so $6.00 less.',
  ],
  [
    'the list price was charged but for 2 %',
    [seen(24.5, 60, 10, 25), seen(15, 10, 0, 25)],
    'lowest',
    'Lowest we have seen in 90 days (60 watched). Typical $24.50, so $9.50 less.',
  ],
  [
    'the list price was not charged, much known',
    [seen(24, 80, 30, 49.99), seen(22, 30, 5, 49.99), seen(9.99, 5, 0, 49.99)],
    'listnotseen',
    'We have not seen the $49.99 list price in 90 days (80 watched, highest $24.00). At $9.99 it is the lowest of that time, $14.01 under the typical $24.00.',
  ],
  [
    'the list price was not charged, little known',
    [seen(24, 80, 78, 49.99), seen(22, 40, 38, 49.99), seen(9.99, 20, 0, 49.99)],
    'usual',
    'About what it usually costs: $9.99 typical in 90 days (28 watched).',
  ],
  [
    'the list price was charged 190 days ago',
    [seen(49.99, 200, 190, 49.99), seen(24, 190, 0, 49.99)],
    'usual',
    'About what it usually costs: $24.00 typical in 90 days (90 watched).',
  ],
  [
    'a seasonal swing, lower in another season',
    [seen(30, 200, 120), seen(20, 120, 95), seen(30, 95, 10), seen(22, 10, 0)],
    'lowest',
    'Lowest we have seen in 90 days (90 watched). Typical $30.00, so $8.00 less.',
  ],
  [
    'a glitch of ten minutes',
    [seen(20, 60, 10), seen(2, 10), seen(20, 10 - 10 * minutes, 0)],
    'usual',
    'About what it usually costs: $20.00 typical in 90 days (60 watched).',
  ],
  [
    'a glitch, now',
    [seen(20, 60, 0.1), seen(2, 0.1)],
    'new',
    '$2.00 is far from the typical $20.00 and was seen only briefly. Too early to judge.',
  ],
  [
    'no glitch: seen again',
    [seen(20, 60, 0.1), seen(2, 0.1, 0)],
    'lowest',
    'Lowest we have seen in 90 days (60 watched). Typical $20.00, so $18.00 less.',
  ],
  [
    'a sale some weeks after a glitch',
    [seen(20, 60, 30), seen(2, 30), seen(20, 30 - 10 * minutes, 5), seen(15, 5, 0)],
    'lowest',
    'Lowest we have seen in 90 days (60 watched). Typical $20.00, so $5.00 less (not counting $2.00 on 8 Oct, seen only briefly).',
  ],
  [
    'a sale of a day, of prices seen daily, is no glitch',
    [seen(20, 60, 31), seen(12, 30), seen(20, 29, 5), seen(15, 5, 0)],
    'good',
    '$5.00 under the typical $20.00 of 90 days (60 watched). It was $12.00 on 8 Oct.',
  ],
  [
    'a glitch marked as wrong',
    [seen(20, 60, 10), { ...seen(2, 10, 5), isWrong: true }, seen(20, 5, 0)],
    'unchanged',
    'Always $20.00 in the 57 days we have seen. This is its normal price.',
  ],
  [
    'out of stock for a month',
    [seen(20, 80, 50), seen(null, 50, 20), seen(20, 20, 0)],
    'unchanged',
    'Always $20.00 in the 50 days we have seen. This is its normal price.',
  ],
  [
    'out of stock for a month, then cheaper',
    [seen(20, 80, 50), seen(null, 50, 20), seen(16, 20, 0)],
    'lowest',
    'Lowest we have seen in 90 days (50 watched). Typical $20.00, so $4.00 less.',
  ],
  [
    'out of stock',
    [seen(20, 80, 10), seen(null, 10, 0)],
    'new',
    'Not offered since 28 Oct. The last price we have seen was $20.00.',
  ],
  [
    'hardly ever in stock',
    [seen(20, 33, 30), seen(null, 30, 3), seen(20, 3, 0)],
    'new',
    'We have seen this on 6 of the last 90 days. Too few to judge.',
  ],
  [
    'a price of another kind after a gap, for some days',
    [seen(20, 85, 50), seen(80, 10, 0)],
    'new',
    'We have seen this on 10 of the last 30 days. Too few to judge.',
  ],
  [
    'a price of another kind after a gap, for weeks',
    [seen(20, 85, 40), seen(80, 16, 0)],
    'high',
    'Usually cheaper: $20.00 typical in 90 days (63 watched).',
  ],
  [
    'two sources that disagree, the lower one last',
    inTurn(15, 20),
    'usual',
    'About what it usually costs: $15.00 typical in 90 days (40 watched).',
  ],
  [
    'two sources that disagree, the higher one last',
    inTurn(20, 15),
    'high',
    'Usually cheaper: $15.00 typical in 90 days (40 watched).',
  ],
  [
    'an equal low twice',
    [seen(20, 85, 60), seen(15, 60, 55), seen(20, 55, 5), seen(15, 5, 0)],
    'lowest',
    'Lowest we have seen in 90 days (85 watched). Typical $20.00, so $5.00 less.',
  ],
  [
    'a clock that went back two days',
    [seen(20, 60, 1), seen(17, -2, -3)],
    'lowest',
    'Lowest we have seen in 90 days (60 watched). Typical $20.00, so $3.00 less.',
  ],
  [
    'a clock that went back before the first of all',
    [seen(20, -5, -9)],
    'new',
    'We have watched this for less than a day. Too early to judge.',
  ],
  [
    'near its low',
    [seen(14, 80, 20), seen(9.9, 20, 14), seen(14, 14, 5), seen(10, 5, 0)],
    'good',
    'Near its low: cheaper on only 6 of 90 days (80 watched). Typical $14.00, so $4.00 less.',
  ],
  [
    'low, watched for 20 days',
    [seen(14, 20, 5), seen(10, 5, 0)],
    'good',
    'As low as any price of the 20 days we have seen. Typical $14.00, so $4.00 less.',
  ],
  [
    'well under what is typical, far from its low',
    [seen(100, 80, 20), seen(50, 20, 18), seen(100, 18, 5), seen(60, 5, 0)],
    'good',
    '$40.00 under the typical $100.00 of 90 days (80 watched). It was $50.00 on 20 Oct.',
  ],
  [
    'dearer than usual',
    [seen(11.8, 80, 3), seen(13, 3, 0)],
    'high',
    'Usually cheaper: $11.80 typical in 90 days (80 watched).',
  ],
  [
    'about as usual',
    [seen(14, 60, 30), seen(14.2, 30, 10), seen(14, 10, 0)],
    'usual',
    'About what it usually costs: $14.00 typical in 90 days (60 watched).',
  ],
  [
    'a little under the usual',
    [seen(20, 80, 30), seen(18, 30, 25), seen(20, 25, 5), seen(18.5, 5, 0)],
    'usual',
    'A little under what it usually costs: $20.00 typical in 90 days (80 watched).',
  ],
  [
    'its lowest, by 3 %',
    [seen(10, 70, 10), seen(9.7, 10, 0)],
    'usual',
    'About what it usually costs: $10.00 typical in 90 days (70 watched).',
  ],
]

test.each(cases)('%s', (_name, points, kind, sentence) => {
  const { verdict } = judged(points)
  expect({ kind: verdict.kind, text: verdict.text }).toEqual({ kind, text: sentence })
})

test('each kind has a history, and no sentence says more than was seen', () => {
  expect(new Set(cases.map(([, , kind]) => kind)).size).toBe(8)
  for (const [, points] of cases) {
    const { text, short } = judged(points).verdict
    expect(short.length).toBeLessThanOrEqual(40)
    expect(`${text} ${short}`).not.toMatch(/\bever\b|all[- ]time|fake|scam/i)
  }
})
