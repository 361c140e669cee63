import type { Deal } from '@dealdeck/contract/deals'
import { parseQuestion } from '@dealdeck/query/parsing'
import { expect, test } from 'vitest'
import { longestText } from './filters.ts'
import { sampleDeals } from './samples.ts'
import { mostSimilar, rankSimilar, similarQuestion } from './similar.ts'

const [sample] = sampleDeals(0)
let made = 0
function deal(title: string, values: Partial<Deal> = {}): Deal {
  made += 1
  return { ...sample, id: made, asin: `B0${String(made).padStart(8, '0')}`, title, ...values }
}

test('a deal is asked for by its longest words, its brand and its category', () => {
  const lamp = deal('Folding LED desk lamp 3-pack', { brand: 'Acme "Pro"', category: 'Home > Lighting' })
  const question = similarQuestion(lamp)
  expect(question).toBe(
    'brand:"Acme  Pro " OR category:"Home > Lighting" OR "folding" OR "desk" OR "lamp" OR "pack"',
  )
  expect(parseQuestion(question).problems).toEqual([])
  expect(similarQuestion(deal('A 12'))).toBe('')
})

test('whatever a title holds, the question is understood', () => {
  for (const title of [
    'he said "OR" -not price:<5 (really',
    'שלום עולם מנורה',
    '<b>bold</b> \\" quote',
    '"""',
    ...['折りたたみ式デスクランプ'.repeat(20), 'โคมไฟตั้งโต๊ะ'.repeat(9), 'aaaa bbbb '.repeat(40)],
  ])
    for (const category of [null, 'Home & Kitchen > Lighting > '.repeat(15)]) {
      const question = similarQuestion(deal(title, { category, brand: category && 'Acme' }))
      expect(parseQuestion(question).problems).toEqual([])
      expect(question.length).toBeLessThanOrEqual(longestText)
    }
})

test('those most alike come first, cheaper ones of the same likeness before, and never the deal itself', () => {
  const lamp = deal('Folding desk lamp', { brand: 'Acme' })
  const found = [
    deal('Garden hose'),
    deal('Desk lamp', { price: 9 }),
    deal('Desk lamp', { price: 5 }),
    deal('Folding chair', { brand: 'Acme' }),
    lamp,
  ]
  expect(rankSimilar(lamp, found).map(({ title, price }) => `${title} ${price}`)).toEqual([
    'Folding chair 12.99',
    'Desk lamp 5',
    'Desk lamp 9',
  ])
  const many = Array.from({ length: 20 }, () => deal('Desk lamp'))
  expect(rankSimilar(lamp, many)).toHaveLength(mostSimilar)
})
