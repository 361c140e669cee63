import { type DealFacts, timeOf } from '@dealdeck/query/facts'
import { plainText, plainTitle } from '@dealdeck/query/folding'
import type pg from 'pg'
import type { DealChange } from './changes.ts'

const times = ['first_seen', 'observed_at', 'last_updated', 'ends_at', 'dropped_at'] as const

const factsOf = `select id, title_folded, asin, brand, category, condition, price, discount_percentage, rating,
    review_count, prime_eligible, original_price is not null as has_list_price, is_sample,
    verdict_kind, under_typical, low_days, price_drop,
    ${times.map((name) => `extract(epoch from ${name}) * 1000 as ${name}`).join(', ')}
  from deals where id = any($1)`

type FactRow = {
  id: number
  title_folded: string
  asin: string
  brand: string | null
  category: string | null
  condition: string | null
  price: number
  discount_percentage: number | null
  rating: number | null
  review_count: number | null
  prime_eligible: boolean
  has_list_price: boolean
  is_sample: boolean
  verdict_kind: string | null
  under_typical: number | null
  low_days: number | null
  price_drop: number | null
  ends_at: number | null
  dropped_at: number | null
} & { [Name in Exclude<(typeof times)[number], 'ends_at' | 'dropped_at'>]: number }

/**
 * What questions ask of these deals, as far as they are visible, or meet another condition in SQL; times in milliseconds since
 * 1970. All count as visible.
 */
export async function readFacts(
  database: Pick<pg.ClientBase, 'query'>,
  ids: readonly number[],
  condition = 'is_visible',
): Promise<Map<number, DealFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await database.query<FactRow>(`${factsOf} and ${condition}`, [ids])
  return new Map(
    rows.map((row) => [
      row.id,
      {
        title: plainText(row.title_folded),
        asin: row.asin,
        brand: row.brand === null ? null : plainText(row.brand),
        category: row.category === null ? null : plainText(row.category),
        condition: row.condition,
        price: row.price,
        off: row.discount_percentage,
        rating: row.rating,
        reviews: row.review_count,
        isPrime: row.prime_eligible,
        hasListPrice: row.has_list_price,
        firstSeen: row.first_seen,
        lastChecked: row.observed_at,
        lastUpdated: row.last_updated,
        endsAt: row.ends_at,
        verdict: row.verdict_kind,
        underTypical: row.under_typical,
        lowDays: row.low_days,
        drop: row.price_drop,
        droppedAt: row.dropped_at,
        isSample: row.is_sample,
        isVisible: true,
      },
    ]),
  )
}

/** What questions asked of a deal before a change, by what they ask of it behind the change. */
export function factsBefore(facts: DealFacts, { before, old_facts: old }: DealChange): DealFacts {
  if (!before) return { ...facts, isVisible: false }
  const { price, original_price, is_visible: isVisible } = before
  const off = percentOff(price, original_price)
  const found = { ...facts, price, off, hasListPrice: original_price !== null, isVisible }
  if (!old) return found
  const text = (value: string | null) => (value === null ? null : plainText(value))
  const time = (value: string | null) => (value === null ? null : timeOf(value))
  return {
    ...found,
    ...(old.title !== undefined && { title: plainTitle(old.title) }),
    ...(old.brand !== undefined && { brand: text(old.brand) }),
    ...(old.category !== undefined && { category: text(old.category) }),
    ...(old.condition !== undefined && { condition: old.condition }),
    ...(old.rating !== undefined && { rating: old.rating }),
    ...(old.review_count !== undefined && { reviews: old.review_count }),
    ...(old.prime_eligible !== undefined && { isPrime: old.prime_eligible }),
    ...(old.first_seen !== undefined && { firstSeen: timeOf(old.first_seen) }),
    ...(old.ends_at !== undefined && { endsAt: time(old.ends_at) }),
    ...(old.observed_at !== undefined && { lastChecked: timeOf(old.observed_at) }),
    ...(old.last_updated !== undefined && { lastUpdated: timeOf(old.last_updated) }),
    ...(old.verdict_kind !== undefined && { verdict: old.verdict_kind }),
    ...(old.under_typical !== undefined && { underTypical: old.under_typical }),
    ...(old.low_days !== undefined && { lowDays: old.low_days }),
    ...(old.price_drop !== undefined && { drop: old.price_drop }),
    ...(old.dropped_at !== undefined && { droppedAt: time(old.dropped_at) }),
  }
}

/** As the table has it: a whole percentage, null without an original price above the price. */
export function percentOff(price: number, original: number | null): number | null {
  if (original === null || original <= price) return null
  const [low, high] = [Math.round(price * 100), Math.round(original * 100)]
  return Math.round(((high - low) * 100) / high)
}
