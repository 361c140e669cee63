import type { ImportResult } from '@dealdeck/contract/ingest'
import { expect, test } from 'vitest'
import { numberText } from '../platform/numbers.ts'
import { summary } from './import.ts'

const result: ImportResult = {
  ...{ received: 1200, created: 900, updated: 50, unchanged: 40, superseded: 200 },
  rejected: [{ row: 7, asin: 'B0ABCD1234', reason: 'no price' }],
  rejected_total: 10,
  rejected_by_reason: { 'no title': 1, 'no price': 9 },
  hidden_without_availability: 0,
  hidden_over: 0,
  missing: null,
  mapping: { price: 'current_price' },
  notes: [],
  dry_run: false,
}

const number = numberText({ locale: 'en-US' })

test('the summary names counts, columns and reasons, the commonest first', () => {
  expect(summary('deals.csv', result, number)).toEqual([
    'deals.csv: 1,200 rows',
    '  created 900, updated 50, unchanged 40, overtaken by a later row 200, rejected 10',
    '  columns: price from current_price',
    '  rejected, no price: 9',
    '  rejected, no title: 1',
    '    row 7 (B0ABCD1234): no price',
  ])
})

test('it says which deals stay hidden and what to do about it', () => {
  const lines = summary('deals.csv', { ...result, hidden_without_availability: 990, dry_run: true }, number)
  expect(lines[0]).toContain('dry run: nothing was changed')
  expect(lines.at(-2)).toMatch(/All of these deals would be hidden/)
  expect(lines.at(-1)).toContain('--availability "In stock"')
})

test('it says which deals a list of everything leaves out, and what to do where they are many', () => {
  const examples = [{ id: 1, asin: 'B0ABCD1234', title: 'Enamel mug' }]
  const reason = 'That is more than half of all deals.'
  const missing = { hidden: 1_200, visible: 2_000, needs_confirmation: true, reason, examples }
  const lines = summary('deals.csv', { ...result, hidden_over: 3, missing, dry_run: true }, number)
  expect(lines.slice(-4)).toEqual([
    '  3 of these deals are over and not shown.',
    '  missing in this list: 1,200 of 2,000 deals would be hidden, such as',
    '    B0ABCD1234 Enamel mug',
    '  That is more than half of all deals. The import asks for --confirm.',
  ])
  expect(summary('deals.csv', { ...result, missing: { ...missing, hidden: 0 } }, number).at(-1)).toBe(
    '  missing in this list: no deals were hidden. That is more than half of all deals. The import asks for --confirm.',
  )
})
