import { expect, test } from 'vitest'
import { dealAddress } from '../view.ts'
import { isNew } from './age.ts'
import { sampleDeals } from './samples.ts'

test('a deal stands in as one of two labelled samples that lead nowhere and are not new', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const samples = sampleDeals(now)
  expect(samples).toHaveLength(2)
  for (const sample of samples) {
    expect(sample.is_sample).toBe(true)
    expect(isNew(sample, now)).toBe(false)
    expect(dealAddress(sample.product_url, 'amazon.com')).toBeUndefined()
  }
})
