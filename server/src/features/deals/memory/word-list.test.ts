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
      const found: number[] = []
      const find = (least: number) => list.forEachWith(kind, text, least, (number) => found.push(number))
      for (const each of all.slice(0, 20)) list.numberOf(each)
      find(from)
      const seen = Math.max(from, list.size)
      for (const each of all) list.numberOf(each)
      find(seen)
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
