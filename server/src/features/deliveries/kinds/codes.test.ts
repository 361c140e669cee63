import { expect, test } from 'vitest'
import { hashCode, makeCode } from './codes.ts'

test('a code has eight signs that can be told apart, and is another one each time', () => {
  const codes = Array.from({ length: 500 }, makeCode)
  for (const code of codes) expect(code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/)
  expect(new Set(codes).size).toBe(500)
  // Every sign comes up.
  expect(new Set(codes.join('')).size).toBe(31)
})

test('a code is the same however it is written', () => {
  const hash = hashCode('K7QW3RTZ')
  for (const typed of ['k7qw3rtz', ' K7QW 3RTZ ', 'k7qw-3rtz']) expect(hashCode(typed)).toEqual(hash)
  expect(hashCode('K7QW3RTA')).not.toEqual(hash)
})
