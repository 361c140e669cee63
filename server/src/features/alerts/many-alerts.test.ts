import { expect, test } from 'vitest'
import { stillMatches } from './actions.ts'

const [deals, alerts] = [60, 200]
const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

/** A question that is tried with all of its words, the last of which the title has. */
const dear = (at: number) =>
  `${ids(37)
    .map((part) => `-${at.toString(36)}q${part.toString(36)}s`)
    .join(' ')} -lamp`

const row = {
  ...{
    title_folded: 'folding lamp of brass',
    asin: 'B000000001',
    brand: null,
    category: null,
    condition: null,
  },
  ...{ price: 5, discount_percentage: null, rating: null, review_count: null, prime_eligible: false },
  ...{ has_list_price: false, is_sample: false, verdict_kind: null, under_typical: null, low_days: null },
  ...{ price_drop: null, first_seen: 0, observed_at: 0, last_updated: 0, ends_at: null, dropped_at: null },
}

/** What the database says of them, at once, so that nothing but the work itself keeps others waiting. */
const client = {
  query: async (asked: string | { text: string }) => {
    const text = typeof asked === 'string' ? asked : asked.text
    if (text.includes('title_folded')) return { rows: ids(deals).map((id) => ({ id, ...row })) }
    if (text.includes('alert_matches')) return { rows: [] }
    return {
      rows: ids(alerts).map((id) => ({ id, question: dear(id), target_price: null, time_zone: 'UTC' })),
    }
  },
  // Nothing else of a client is asked for.
} as unknown as Parameters<typeof stillMatches>[0]

test('others have their turn while it is looked whether many alerts still find many deals', async () => {
  let turns = 0
  let isDone = false
  const turn = () => {
    turns += 1
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const found = await stillMatches(
    client,
    ids(deals).map((dealId) => ({ dealId, alertIds: ids(alerts) })),
  )
  isDone = true
  expect(found).toEqual(ids(deals).map(() => false))
  expect(turns).toBeGreaterThan(10)
})
