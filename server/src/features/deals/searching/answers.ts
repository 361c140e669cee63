import type { Deal, DealCount, DealPage, DealSort } from '@dealdeck/contract/deals'
import type { Moment } from '@dealdeck/query/matching'
import type { Condition } from '@dealdeck/query/question'
import type { CancelSignal } from '../../../platform/cancellation.ts'
import type { Databases } from '../../../platform/database/database.ts'
import type { DealSearch } from '../memory/deal-search.ts'
import { countDeals, listDeals, type Shop } from '../queries.ts'
import { narrowed } from './asking.ts'

type Asked = {
  condition: Condition | null
  moment: Moment
  sort: DealSort
  limit: number
  signal: CancelSignal
}

/** Answers the first deals that meet a condition, as the feed lists them. */
export type AskDeals = (asked: Asked) => Promise<Deal[]>

/** Makes that of what the feed asks itself. */
export function dealAsker(databases: Databases, shop: Shop, search: DealSearch): AskDeals {
  return async ({ condition, moment, sort, limit, signal }) => {
    const all = { search: '', min_price: undefined, max_price: undefined, prime_only: false }
    const query = narrowed({ ...all, sort, limit }, condition, moment)
    const page = await listDeals(databases, { ...query, signal }, shop, search)
    // The cast holds: it is the JSON of a page.
    return (JSON.parse(page) as DealPage).items
  }
}

/** Counts the visible deals that meet a condition, up to what the feed counts. */
export type CountDeals = (asked: Omit<Asked, 'sort' | 'limit'>) => Promise<DealCount>

/** Makes that of what the feed counts itself. */
export function dealCounter(databases: Databases, search: DealSearch): CountDeals {
  return ({ condition, moment, signal }) => {
    const all = { search: '', min_price: undefined, max_price: undefined, prime_only: false }
    const query = narrowed({ ...all, sort: 'newest', limit: 1 }, condition, moment)
    return countDeals(databases.customPlanPool, { ...query, signal }, search)
  }
}
