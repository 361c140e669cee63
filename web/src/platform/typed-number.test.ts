import { expect, test } from 'vitest'
import { plainNumber } from './typed-number.ts'

test.each([
  ['12.50', '12.50'],
  [' 12,5 ', '12.5'],
  ['1,250', '1250'],
  ['1.250', '1250'],
  ['1 250,75', '1250.75'],
  ['1’250.5', '1250.5'],
  ['12,345,678.9', '12345678.9'],
  // A part of one, and no thousands.
  ['0,125', '0.125'],
  ['.5', '.5'],
  ['1,2500', '1.2500'],
  ['1234,567', '1234.567'],
  ['1,234.567', '1234.567'],
  ['', ''],
  ['ten', 'ten'],
])('%j is typed for %j', (text, plain) => {
  expect(plainNumber(text)).toBe(plain)
})
