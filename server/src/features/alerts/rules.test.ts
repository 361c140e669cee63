import { type AskedDeal, factsOf } from '@dealdeck/query/facts'
import { parseQuestion } from '@dealdeck/query/parsing'
import { expect, test } from 'vitest'
import { failedParts, notShown } from './rules.ts'

const now = Date.parse('2026-05-04T12:00:00Z')
const moment = { now, midnight: now - 12 * 3_600_000 }
const seen = new Date(now - 60_000).toISOString()
const lamp: AskedDeal = {
  ...{ title: 'Folding lamp, black', asin: 'B00000LAMP', brand: 'Philips', category: null, condition: null },
  ...{ price: 12, original_price: 20, discount_percentage: 40, rating: 4.5, review_count: 10 },
  ...{ prime_eligible: false, is_sample: false, ends_at: null, verdict: null },
  ...{ first_seen: seen, observed_at: seen, last_updated: seen },
}
const failing = (question: string, isVisible = true) =>
  failedParts(parseQuestion(question).question.condition, factsOf(lamp, isVisible), moment)

test('of a question it is said in words which of its parts a deal doesn’t meet', () => {
  expect(failing('lamp price:<10 off:>=30 prime:yes')).toEqual(['under 10 (it costs 12)', 'Prime'])
  expect(failing('(lantern OR torch) -black')).toEqual([
    ...["'lantern' or 'torch' (not in its title)", "not 'black' (it is in its title)"],
  ])
  expect(failing('off:>=50 brand:sony rating:>4.6 typical:>=20')).toEqual([
    ...['at least 50 % off (it is 40 % off)', "brand 'sony' (it has 'philips')"],
    ...[
      'rated over 4.6 (it is rated 4.5)',
      'at least 20 % under its typical price (it is not known of this deal)',
    ],
  ])
})

test('of a deal that matches nothing is said, and of one that is not shown only that', () => {
  expect(failing('lamp off:40')).toEqual([])
  expect(failing('')).toEqual([])
  expect(failing('lantern', false)).toEqual([notShown])
})
