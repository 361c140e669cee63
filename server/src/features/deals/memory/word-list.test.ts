import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WordList } from './word-list.ts'
import { matchers, type PieceKind } from './word-matchers.ts'

const letters = fc.constantFrom('a', 'b', 'c', '-', 'é', '😀')
const words = fc.uniqueArray(fc.string({ unit: letters, maxLength: 6 }), { maxLength: 60 })
const piece = fc.string({ unit: letters, maxLength: 4 })
const kinds = fc.constantFrom<PieceKind[]>('part', 'end', 'beginning', 'word', 'whole')

test('words found by their letters are those that a look at each one finds', () => {
  fc.assert(
    fc.property(words, kinds, piece, fc.nat(9), (all, kind, text, from) => {
      const list = new WordList()
      for (const each of all) list.numberOf(each)
      const found: number[] = []
      list.forEachWith(kind, text, from, (number) => found.push(number))
      const matches = matchers[kind](text)
      const wanted = all.flatMap((each, number) => (number >= from && matches(each) ? [number] : []))
      expect(found).toEqual(wanted)
    }),
    { numRuns: 2_000 },
  )
})

test('a word keeps its number, and a new one gets the next', () => {
  const list = new WordList()
  expect(['steel', 'bottle', 'steel', 'cup'].map((each) => list.numberOf(each))).toEqual([0, 1, 0, 2])
  expect([list.size, list.at(1)]).toEqual([3, 'bottle'])
})
