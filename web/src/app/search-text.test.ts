import { defaultParseSearch } from '@tanstack/react-router'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringifySearch } from './search-text.ts'

test('a list repeats its name, everything else stays as the router writes it', () => {
  expect(stringifySearch({})).toBe('')
  expect(stringifySearch({ q: 'a b', brand: ['Acme', 'Bolt & Sons'], x: undefined, n: 5 })).toBe(
    '?q=a+b&brand=Acme&brand=Bolt+%26+Sons&n=5',
  )
  expect(stringifySearch({ brand: ['Acme'] })).toBe('?brand=Acme')
})

test('whatever was written is read again', () => {
  // The router reads a number or a truth value out of a list, and a list of one as its only value.
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : [value])
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), fc.string(), (list, text) => {
      const read: Record<string, unknown> = defaultParseSearch(stringifySearch({ list, text }))
      expect(texts(read.list)).toEqual(list)
      expect(read.text).toBe(text)
    }),
    { seed: 3, numRuns: 2_000 },
  )
})
