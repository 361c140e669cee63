import { expect, test } from 'vitest'
import { type AskedDeal, factsOf } from './facts.ts'
import { plainSigns, plainText } from './folding.ts'
import { matcherOf } from './matching.ts'
import { parseQuestion } from './parsing.ts'

const now = Date.parse('2026-03-04T12:00:00Z')
const moment = { now, midnight: Date.parse('2026-03-04T00:00:00Z') }
const deal: AskedDeal = {
  ...{
    title: 'CAFÉ lamp, ＢＲＡＳＳ',
    asin: 'B0ABCDEFGH',
    brand: 'L’Oréal',
    category: 'Home > Kitchen & Dining',
  },
  ...{
    condition: null,
    price: 9.99,
    original_price: 20,
    discount_percentage: 50,
    rating: null,
    review_count: 12,
  },
  ...{
    prime_eligible: true,
    first_seen: '2026-03-04T10:00:00.000000Z',
    observed_at: '2026-03-04T11:30:00.000001Z',
  },
  ...{ last_updated: '2026-03-03T12:00:00.000000Z', ends_at: null, is_sample: false },
  verdict: {
    ...{
      kind: 'unchanged',
      under_typical: 23,
      low_days: 90,
      drop: 10,
      dropped_at: '2026-03-02T12:00:00.000Z',
    },
  },
}

function meets(text: string, isVisible = true): boolean {
  const { question } = parseQuestion(text, { isAdministrator: true })
  return matcherOf(question.condition)(factsOf(deal, isVisible), moment)
}

test.each([
  ...[
    '',
    'lamp café',
    'brass LAMP',
    '"lamp, brass"',
    'afé',
    'price:<10',
    'price:=9.99',
    'off:50',
    'off:=50',
    'reviews:10..12',
  ],
  ...[
    '-rating:<5',
    '-rating:>=5',
    'prime:yes',
    'new:2h',
    'new:<121m',
    'checked:<30m',
    'updated:>=1d',
    'new:today',
    '-updated:today',
  ],
  ...[
    '-ends:<1y',
    "brand:l'oreal",
    'brand:=LOREAL,=L‘ORÉAL',
    'category:"kitchen & d"',
    'condition:unknown',
    'asin:b0a',
    'list:has',
  ],
  ...[
    'verdict:usual',
    'verdict:unchanged',
    'verdict:high,normal',
    '-verdict:raised,listnotseen',
    'verdict:any',
    'low:30d',
    'low:90',
    '-low:1y',
    'typical:>=20%',
    'typical:23',
    'typical:any',
    'drop:10',
    'fell:10%..20%',
    'dropped:2d',
    'drop:>=10% since:<7d',
  ],
  ...['lamp OR tent', '-(tent OR boat)', '-is:sample', '-is:hidden', 'title:lamp,tent'],
])("'%s' is met", (text) => {
  expect(meets(text)).toBe(true)
})

test.each([
  ...[
    'tent',
    '"brass lamp"',
    '-lamp',
    'price:<9.99',
    'off:>50',
    'rating:>=0',
    'rating:<5',
    'prime:no',
    'new:<2h',
    'checked:>=30m',
  ],
  ...[
    'ends:<1y',
    'ends:>1h',
    'condition:new',
    'brand:=loreal',
    'asin:0A',
    'list:none',
    'is:sample',
    'is:hidden',
    'updated:today',
  ],
])("'%s' is not met", (text) => {
  expect(meets(text)).toBe(false)
})

test('a hidden deal is found by who asks for hidden ones, and by nobody else', () => {
  expect(['', 'lamp', '-tent', '-is:hidden', 'is:hidden tent'].filter((text) => meets(text, false))).toEqual(
    [],
  )
  expect(['is:hidden', 'is:hidden lamp', 'tent OR is:hidden'].filter((text) => !meets(text, false))).toEqual(
    [],
  )
})

test('names are alike in case, width, accents, apostrophes, quotes and dashes, in any script', () => {
  expect(plainText('ÉCLAIR ｅ\u0301 Ø Ł Ё')).toBe('eclair e o l е')
  expect(plainText('O’Neill ‘x‘ ″a„ –—‑ ΣΊΣΥΦΟΣ ς')).toBe(`o'neill 'x' "a" --- σισυφοσ σ`)
  expect(plainText('İstanbul ПРИВЕТ Й が한글 ไทย हिन्दी')).toBe('istanbul привет й が한글 ไทย हिन्दी')
})

test('the signs of a name are replaced one for one', () => {
  const { from, to } = plainSigns()
  expect(new Set(from).size).toBe(from.length)
  for (let at = 0; at < from.length; at++) expect(plainText(from.charAt(at))).toBe(to.charAt(at))
  expect(plainText(plainText(from))).toBe(plainText(from))
})
