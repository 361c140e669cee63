import { expect, test } from 'vitest'
import { readDuration, readNumber, sayDuration, writeDuration } from './values.ts'

test.each([
  ['10', 10],
  ['10.5', 10.5],
  ['10,5', 10.5],
  ['1.234,50', 1234.5],
  ['1,234.50', 1234.5],
  ['1.234', 1234],
  ['1,234,567', 1_234_567],
  ['1,00,000.5', 100_000.5],
  ["1'234.50", 1234.5],
  ['.50', 0.5],
  ['10.', 10],
  ['$5', 5],
  ['US$5.99', 5.99],
  ['5€', 5],
  ['5eur', 5],
  ['₹1,00,000', 100_000],
  ['50%', 50],
  ['2k', 2000],
  ['1.5k', 1500],
  ['0.125', null],
  ['1,23,4', null],
  ['1,234,50', null],
  ['1.234.50', null],
  ['1.2.3', null],
  ['ten', null],
  ['', null],
  ['.', null],
  ['-5', null],
  ['1e5', null],
  ['5 5', null],
])('%s is the number %s', (text, number) => {
  expect(readNumber(text)).toBe(number)
})

test.each([
  ['2h', 120],
  ['90m', 90],
  ['1.5h', 90],
  ['1,5h', 90],
  ['4.1h', 246],
  ['0.7d', 1008],
  ['0.29d', null],
  ['1d12h', 2160],
  ['2weeks', 20_160],
  ['1MO', 43_200],
  ['0h', null],
  ['1.5m', null],
  ['2', null],
  ['h', null],
  ['2x', null],
  ['99y', null],
  ['2h30', null],
])('%s is %s minutes', (text, minutes) => {
  expect(readDuration(text)).toBe(minutes)
})

test('a duration is written and said in the largest unit it is a whole number of', () => {
  expect([1440, 2160, 90].map(writeDuration)).toEqual(['1d', '36h', '90m'])
  expect([1440, 2160, 90].map(sayDuration)).toEqual(['1 day', '36 hours', '90 minutes'])
})
