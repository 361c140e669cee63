import type { DealListInput, DealSort } from '@dealdeck/contract/deals'
import type { CancelSignal } from '../../../platform/cancellation.ts'
import type { Cursor } from '../rules.ts'
import { type AskedCondition, conditionSql, type Value } from './questions.ts'

/** What a page may be narrowed by beside its text; times are instants, everything else as on the wire. */
type Filters = Pick<
  DealListInput,
  'min_price' | 'max_price' | 'min_discount' | 'min_rating' | 'prime_only'
> & {
  discounted_only?: boolean
  includeHidden?: boolean
  seenSince?: Date | undefined
  updatedSince?: Date | undefined
  /** What a question asks beside. */
  asked?: AskedCondition | undefined
}

export type FilterName = keyof Filters

/** The question a page answers. */
export type FeedQuery = Pick<DealListInput, 'sort' | 'search' | 'limit'> &
  Filters & {
    cursor?: Cursor | undefined
    /** Aborted when nobody waits for the page any more. */
    signal?: CancelSignal | undefined
  }

/** The condition of each filter, as SQL. Which of them a generic plan may hold is listed in `plan.ts`. */
const conditions: Record<FilterName, (filters: Filters, value: Value) => string> = {
  includeHidden: () => 'true',
  min_price: ({ min_price }, value) => `price >= ${value(min_price)}`,
  max_price: ({ max_price }, value) => `price <= ${value(max_price)}`,
  // Without a discount the column says -1.
  min_discount: ({ min_discount }, value) => `discount_order >= ${value(min_discount)}`,
  discounted_only: () => 'discount_order >= 0',
  min_rating: ({ min_rating }, value) => `rating >= ${value(min_rating)}`,
  prime_only: () => 'prime_eligible',
  seenSince: ({ seenSince }, value) => `first_seen >= ${value(seenSince)}`,
  updatedSince: ({ updatedSince }, value) => `last_updated >= ${value(updatedSince)}`,
  asked: ({ asked }, value) => (asked ? conditionSql(asked, value) : 'true'),
}
// The cast holds: these are the keys just written, and TypeScript knows keys as texts only.
const filterNames = Object.keys(conditions) as FilterName[]

/** The filters a query asks for, in the order of their conditions. */
export function filtersIn(query: FeedQuery): FilterName[] {
  return filterNames.filter((name) => query[name] !== undefined && query[name] !== false)
}

/**
 * Whether no deal can meet a query. PostgreSQL expects some between prices that stand the wrong way round, and looks through all
 * deals for them.
 */
export const isImpossible = ({ min_price = 0, max_price = Infinity }: Filters): boolean =>
  min_price > max_price

export function filterConditions(query: FeedQuery, value: Value): string[] {
  const texts = query.includeHidden ? [] : ['is_visible']
  for (const name of filtersIn(query)) texts.push(conditions[name](query, value))
  return texts
}

type Order = { key: string; type: string; direction: 'asc' | 'desc' }

/** Each sort is one index: the key, then the id in the same direction. */
const orders: Record<DealSort, Order> = {
  newest: { key: 'first_seen', type: 'timestamptz', direction: 'desc' },
  discount: { key: 'discount_order', type: 'smallint', direction: 'desc' },
  price: { key: 'price', type: 'numeric', direction: 'asc' },
  discord: { key: 'discord_order', type: 'timestamptz', direction: 'desc' },
  updated: { key: 'last_updated', type: 'timestamptz', direction: 'desc' },
  best: { key: 'best_order', type: 'numeric', direction: 'desc' },
}

export function orderBy({ sort }: FeedQuery): string {
  const { key, direction } = orders[sort]
  return `order by ${key} ${direction}, id ${direction}`
}

export function cursorConditions({ sort, cursor }: FeedQuery, value: Value): string[] {
  if (!cursor) return []
  const { key, type, direction } = orders[sort]
  const comparison = direction === 'desc' ? '<' : '>'
  return [`(${key}, id) ${comparison} (${value(cursor.key)}::${type}, ${value(cursor.id)}::bigint)`]
}
