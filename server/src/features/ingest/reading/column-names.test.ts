import type { ImportField } from '@dealdeck/contract/ingest'
import { expect, test, vi } from 'vitest'
import { nameScore } from './column-names.ts'
import { choosingOrder } from './fields.ts'

/** The field that a column's name speaks for most. */
function fieldOf(name: string): ImportField | undefined {
  const [best] = choosingOrder
    .map((field) => ({ field, score: nameScore(field, name) }))
    .sort((one, other) => other.score - one.score)
  return best && best.score > 0 ? best.field : undefined
}

test.each([
  ['tytuł', 'title'],
  ['TYTUŁ', 'title'],
  ['Başlık', 'title'],
  ['BAŞLIK', 'title'],
  ['Ürün adı', 'title'],
  ['Yorum sayısı', 'review_count'],
])('a column’s name is known with the letters of its own language: %s', (name, field) => {
  expect(fieldOf(name)).toBe(field)
})

test.each([
  ['Cena aktualna', 'price'],
  ['Cena przed', 'original_price'],
  ['Cena przed obniżką', 'original_price'],
  ['Cena przed promocją', 'original_price'],
  ['Cena katalogowa', 'original_price'],
  ['Cena promocyjna', 'price'],
  ['Cena po rabacie', 'price'],
  ['İndirimli fiyat', 'price'],
  ['Güncel fiyat', 'price'],
  ['Önceki fiyat', 'original_price'],
  ['Liste fiyatı', 'original_price'],
  ['Ordinarie pris', 'original_price'],
  ['Tidigare pris', 'original_price'],
  ['Nuvarande pris', 'price'],
  ['Huidige prijs', 'price'],
  ['Precio rebajado', 'price'],
])('it is told of which time a price is: %s', (name, field) => {
  expect(fieldOf(name)).toBe(field)
})

test('of a name of ever more words only as many are looked at as any known name has', () => {
  const joins = vi.spyOn(Array.prototype, 'join')
  const score = nameScore('price', 'a price of b '.repeat(20))
  const count = joins.mock.calls.length
  joins.mockRestore()
  expect(score).toBe(0)
  expect(count).toBeLessThan(12)
})
