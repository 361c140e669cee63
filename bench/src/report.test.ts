import { expect, test } from 'vitest'
import { median, percentile } from './report.ts'

test('a percentile leaves no more than the rest above it', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at)
  expect([0.5, 0.99, 1].map((share) => percentile(share, hundred))).toEqual([50, 99, 100])
  expect(percentile(0.99, [3, 1, 2])).toBe(3)
  expect(percentile(0.99, [])).toBeNaN()
  expect(median([])).toBeNaN()
})
