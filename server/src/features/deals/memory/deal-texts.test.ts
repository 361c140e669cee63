import { expect, test } from 'vitest'
import { DealTexts } from './deal-texts.ts'

test('a deal’s text is there for its own version alone', () => {
  const texts = new DealTexts()
  texts.set(1, 5, 'five')
  expect([texts.get(1, 5), texts.get(1, 6), texts.get(1, 4), texts.get(2, 5)]).toEqual([
    'five',
    undefined,
    undefined,
    undefined,
  ])
  texts.set(1, 6, 'six')
  expect([texts.get(1, 5), texts.get(1, 6)]).toEqual([undefined, 'six'])
})

test('memory is bounded, and what is asked for again stays', () => {
  const texts = new DealTexts(100)
  texts.set(0, 1, 'x'.repeat(10))
  for (let id = 1; id <= 30; id++) {
    texts.set(id, 1, 'y'.repeat(10))
    expect(texts.get(0, 1)).toBe('x'.repeat(10))
  }
  const kept = Array.from({ length: 31 }, (_, id) => texts.get(id, 1)).filter((text) => text !== undefined)
  expect(kept.length).toBeLessThanOrEqual(10)
})

test('one version’s text never stands in for another’s, however often it moves between the halves', () => {
  const texts = new DealTexts(40)
  for (let version = 1; version <= 20; version++) {
    texts.set(7, version, `text ${version}`)
    for (let id = 100; id < 103; id++) texts.set(id, version, 'filler')
    expect(texts.get(7, version) ?? `text ${version}`).toBe(`text ${version}`)
    expect(texts.get(7, version - 1)).toBeUndefined()
  }
})
