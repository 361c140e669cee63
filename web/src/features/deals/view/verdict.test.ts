import type { DealVerdict } from '@dealdeck/contract/prices'
import { expect, test } from 'vitest'
import { sampleDeals } from './samples.ts'
import { isDoubted, lastStep } from './verdict.ts'

test.each([
  ['M0 24H41V12H90', 'M41 12H90', 'M90 12h0'],
  ['M0 24H41M70 3H78V0H90', 'M78 0H90', 'M90 0h0'],
  ['M12 12H90', 'M12 12H90', 'M90 12h0'],
  // Nothing is known of now.
  ['M0 24H41V12H62', 'M41 12H62', ''],
  ['', '', ''],
])('the last step of %s', (path, step, dot) => {
  expect(lastStep(path)).toEqual({ step, dot })
})

test('a discount is doubted where the prices that were seen contradict it, and nowhere else', () => {
  const kinds: DealVerdict['kind'][] = [
    ...(['lowest', 'good', 'usual', 'high', 'raised', 'listnotseen', 'unchanged', 'new'] as const),
  ]
  const [deal] = sampleDeals(0)
  const asked = { best: null, under_typical: null, low_days: null, drop: null, dropped_at: null }
  const doubted = kinds.filter((kind) =>
    isDoubted({ ...deal, verdict: { kind, short: '', sparkline: '', ...asked } }),
  )
  expect(doubted).toEqual(['raised', 'listnotseen'])
  expect(isDoubted(deal)).toBe(false)
})
