import { expect, test } from 'vitest'
import { judged, priceSeen as seen } from '../../../../testing/price-histories.ts'

const text = (...points: Parameters<typeof judged>[0]) => judged(points).verdict.text

test('a list price is missed in a price that never moved only where enough was watched to contradict it', () => {
  const normal = 'This is its normal price'
  const missed = `${normal}; we have not seen the $49.99 list price.`
  expect(text(seen(9.99, 20, 0, 49.99))).toBe(`Always $9.99 in the 20 days we have seen. ${normal}.`)
  // Where it was not offered there was nothing to watch.
  expect(text(seen(null, 90, 20), seen(9.99, 20, 0, 49.99))).toContain(missed)
  expect(text(seen(9.99, 53, 0, 49.99))).toContain(`${normal}.`)
  expect(text(seen(9.99, 54, 0, 49.99))).toContain(missed)
})

test('the time of a price that does not count is not counted as cheaper', () => {
  const glitch = [seen(2, 10), seen(14, 9.3, 5)]
  const notCounted = 'Typical $14.00, so $4.00 less (not counting $2.00 on 28 Oct, seen only briefly).'
  expect(text(seen(14, 30, 10), ...glitch, seen(10, 5, 0))).toBe(
    `As low as any price of the 30 days we have seen. ${notCounted}`,
  )
  expect(text(seen(14, 80, 14), seen(9.9, 14, 10), ...glitch, seen(10, 5, 0))).toBe(
    `Near its low: cheaper on only 4 of 90 days (80 watched). ${notCounted}`,
  )
})

test('a sentence names the percent that the card shows, halves up', () => {
  // 57.5 %, of which a division of money leaves a hair less.
  expect(text(seen(17, 90, 4), seen(25, 4, 2), seen(17, 2, 0, 40))).toContain('shown as 58 % off since 5 Nov')
})

test('what was cheaper for long was so on more than only some days', () => {
  expect(text(seen(9.6, 90, 70), seen(14, 70, 2), seen(10, 2, 0))).toContain(
    'cheaper on only 20 of 90 days (90 watched)',
  )
  expect(text(seen(9.6, 90, 50), seen(14, 50, 2), seen(10, 2, 0))).toContain(
    'cheaper on 40 of 90 days (90 watched)',
  )
})

test('what was seen once some days ago was not watched since', () => {
  expect(text(seen(9.99, 10))).toBe(
    'We first saw this 10 days ago and watched it on 2 of them. Too early to judge.',
  )
  // That there was no offer was seen as well.
  expect(text(seen(9.99, 10, 9), seen(null, 9, 1), seen(9.99, 1, 0))).toBe(
    'We have watched this for 10 days. Too early to judge.',
  )
})

test('what was usual before a rise is of the days watched before it', () => {
  // Of the 90 days up to now 74 are known, of those before the rise 15.
  expect(text(seen(12.5, 74, 59), seen(19, 59, 30), seen(12.5, 30, 0, 20.83))).toContain(
    'Usually $12.50 in the 90 days before it rose (15 watched).',
  )
})
