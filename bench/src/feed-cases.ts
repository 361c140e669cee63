import type { Deal } from '@dealdeck/contract/deals'
import type pg from 'pg'
import type { Shop } from '../../server/src/features/deals/queries.ts'
import { containsPattern, cursorAfter, writeCursor } from '../../server/src/features/deals/rules.ts'
import type { FeedQuery } from '../../server/src/features/deals/searching/conditions.ts'
import { rowStatement } from '../../server/src/features/deals/searching/statements.ts'
import { TitleMaker } from './made-titles.ts'

/** One question to the feed, without its cursor. */
export type FeedCase = { name: string; query: FeedQuery }

const pageSize = 50
/** Whose links the pages carry. */
export const someShop: Shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
const sorts = ['newest', 'discount', 'price', 'discord'] as const
const plain = { min_price: undefined, max_price: undefined, prime_only: false, search: '', limit: pageSize }

/**
 * Ranks of search words, common ones and rare ones, for when memory can't answer; how many rows each matches is counted
 * and printed, since what counts is a title that contains the letters, not the word.
 */
const searchRanks = [0, 12, 20, 1_500, 3_000, 4_500]

/** Every sort with every filter and search word, words also with a price limit. */
export function feedCases(): FeedCase[] {
  const words = new TitleMaker().commonWords
  const filters: [string, Partial<FeedQuery>][] = [
    ['everything', {}],
    ['max_price 5', { max_price: 5 }],
    ['max_price 30', { max_price: 30 }],
    ['prime_only', { prime_only: true }],
  ]
  for (const rank of searchRanks) {
    const search = words[rank] ?? ''
    filters.push([`search ${search}`, { search }])
    filters.push([`search ${search}, max_price 5`, { search, max_price: 5 }])
    filters.push([`search ${search}, max_price 30`, { search, max_price: 30 }])
  }
  return filters.flatMap(([name, filter]) =>
    sorts.map((sort) => ({ name: `${sort}: ${name}`, query: { ...plain, sort, ...filter } })),
  )
}

const counted = new WeakMap<pg.ClientBase, Map<string, number>>()

/** How many deals a question matches, whatever their order; counted once for all sorts. */
export async function countMatches(client: pg.ClientBase, query: FeedQuery): Promise<number> {
  const values = [query.max_price ?? null, query.prime_only, containsPattern(query.search)]
  const known = counted.get(client) ?? new Map<string, number>()
  counted.set(client, known)
  const key = JSON.stringify(values)
  const count = known.get(key)
  if (count !== undefined) return count
  const { rows } = await client.query<{ n: string | number }>(
    `select count(*) as n from deals where is_visible and ($1::numeric is null or price <= $1)
     and (prime_eligible or not $2::boolean) and title_folded like $3`,
    values,
  )
  const matches = Number(rows[0]?.n ?? 0)
  known.set(key, matches)
  return matches
}

/** The question for page `page`, or for the last full page where there are fewer; `page` says which it became. */
export async function atPage(
  client: pg.ClientBase,
  query: FeedQuery,
  page: number,
  matches: number,
): Promise<{ page: number; query: FeedQuery }> {
  const reached = Math.min(page, Math.floor(matches / pageSize))
  if (reached < 2) return { page: 1, query }
  const passed = (reached - 1) * pageSize
  const statement = rowStatement(
    { kind: 'filtered' },
    { ...query, limit: passed },
    `(deal_json || 'null,"verdict":' || coalesce(verdict, 'null') || '}')::json as deal`,
  )
  const { rows } = await client.query<{ deal: Deal }>(statement)
  const last = rows[passed - 1]
  if (!last) return { page: 1, query }
  return { page: reached, query: { ...query, cursor: cursorAfter(JSON.stringify(last.deal), query.sort) } }
}

/** The same question as a request of the HTTP interface. */
export function toPath({ sort, min_price, max_price, prime_only, search, limit, cursor }: FeedQuery): string {
  const parameters = new URLSearchParams({ sort, limit: String(limit) })
  if (min_price !== undefined) parameters.set('min_price', String(min_price))
  if (max_price !== undefined) parameters.set('max_price', String(max_price))
  if (prime_only) parameters.set('prime_only', 'true')
  if (search !== '') parameters.set('search', search)
  if (cursor) parameters.set('cursor', writeCursor(cursor))
  return `/api/products?${parameters}`
}
