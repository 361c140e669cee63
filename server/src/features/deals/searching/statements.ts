import { hash } from 'node:crypto'
import type { DealListInput, DealSort } from '@dealdeck/contract/deals'
import { type Cursor, containsPattern, foldText, sortBuckets, titleWords } from '../rules.ts'
import type { Windows } from './windows.ts'

/** A statement with its values, as pg takes it; a name makes every connection parse it only once. */
export type Statement = { name: string | undefined; text: string; values: unknown[] }

/** What one page asks for; times are instants, everything else as on the wire. */
export type FeedQuery = Pick<
  DealListInput,
  'sort' | 'min_price' | 'max_price' | 'prime_only' | 'search' | 'limit'
> & {
  seenSince?: Date | undefined
  updatedSince?: Date | undefined
  cursor?: Cursor | undefined
  includeHidden?: boolean
  /** Aborted when nobody waits for the page any more. */
  signal?: AbortSignal | undefined
  /** What `findWords` says of the search text. */
  words?: FoundWords | undefined
}

/** How a search finds its deals. */
export type FoundWords = {
  /** For each piece of the text, all words of titles that can hold it. */
  words: string[][]
  /** Where to look for deals with these words before looking at all. */
  windows?: Windows | undefined
  /** How to search behind the windows; without it, a page is what they hold. */
  rest?: 'walk' | 'fetch' | undefined
}

/** How many deals the screens ask for. A connection keeps each statement with a name, so of the other limits none has. */
const usualLimits = [20, 50]

type Order = { key: string; type: string; direction: 'asc' | 'desc' }

/** Each sort is one index: the key, then the id in the same direction. */
export const orders: Record<DealSort, Order> = {
  newest: { key: 'first_seen', type: 'timestamptz', direction: 'desc' },
  discount: { key: 'discount_order', type: 'smallint', direction: 'desc' },
  price: { key: 'price', type: 'numeric', direction: 'asc' },
  discord: { key: 'discord_order', type: 'timestamptz', direction: 'desc' },
}

/** Adds a value to a statement; returns what stands for it in the text. */
export type Value = (given: unknown) => string

export function filterConditions(query: FeedQuery, value: Value): string[] {
  const conditions = query.includeHidden ? ['true'] : ['is_visible']
  if (query.min_price !== undefined) conditions.push(`price >= ${value(query.min_price)}`)
  if (query.max_price !== undefined) conditions.push(`price <= ${value(query.max_price)}`)
  if (query.prime_only) conditions.push('prime_eligible')
  if (query.seenSince) conditions.push(`first_seen >= ${value(query.seenSince)}`)
  if (query.updatedSince) conditions.push(`last_updated >= ${value(query.updatedSince)}`)
  return conditions
}

export function cursorConditions({ sort, cursor }: FeedQuery, value: Value): string[] {
  if (!cursor) return []
  const { key, type, direction } = orders[sort]
  const comparison = direction === 'desc' ? '<' : '>'
  return [`(${key}, id) ${comparison} (${value(cursor.key)}::${type}, ${value(cursor.id)}::bigint)`]
}

/**
 * `from` to `limit` of one page; with `near`, among the deals of some buckets only, an SQL expression. The limit stands
 * in the text: of one it isn't told the planner expects a tenth of all rows.
 */
function pageOf(query: FeedQuery, value: Value, near?: string): string {
  const conditions = filterConditions(query, value)
  let source = 'deals'
  if (query.words) {
    const holding = query.words.words.map((words) => `${titleWords} && ${value(words)}::text[]`)
    if (near !== undefined) holding.push(`${sortBuckets} && ${near}`)
    // A text without a space stands in a title exactly if it stands in one of its words.
    if (foldText(query.search).includes(' '))
      holding.push(`title_folded like ${value(containsPattern(query.search))}`)
    // The offset keeps the planner from walking a sort's index after all, taking every deal's title apart on the way.
    source = `(select * from deals where ${holding.join(' and ')} offset 0) as holding`
  } else if (query.search !== '') {
    // Of this condition the planner expects a third of all rows, as it should here; of a LIKE it expects next to none.
    conditions.push(`strpos(title_folded, ${value(foldText(query.search))}) > 0`)
  }
  conditions.push(...cursorConditions(query, value))
  return `from ${source} where ${conditions.join(' and ')} ${orderOf(query)} limit ${query.limit + 1}`
}

export function orderOf({ sort }: FeedQuery): string {
  const { key, direction } = orders[sort]
  return `order by ${key} ${direction}, id ${direction}`
}

/**
 * These columns of what the windows hold: PostgreSQL takes one after the other and stops when the page is full. They are
 * one value, or every number of windows would be a statement of its own to prepare.
 */
function inWindows({ buckets }: Windows, query: FeedQuery, value: Value, columns: string): string {
  const near = buckets.map((some) => `{${some}}`)
  return `select found.* from unnest(${value(near)}::text[]) as windows (near)
    cross join lateral (select ${columns} ${pageOf(query, value, 'near::bigint[]')}) as found`
}

/** The ids of one page of a search. */
function idsOf(query: FeedQuery, value: Value): string {
  const { words, windows, rest } = query.words ?? {}
  if (!words || !windows?.end) return `select id ${pageOf(query, value)}`
  const behind = { ...query, cursor: windows.end, words: rest === 'walk' ? undefined : { words } }
  return `select id from (
    ${inWindows(windows, query, value, 'id')}
    union all
    select id from (select id ${pageOf(behind, value)}) as behind
  ) as ids limit ${query.limit + 1}`
}

/** The statement of one page: these columns of `limit` + 1 rows, the last of which only tells that there are more. */
export function feedQuery(query: FeedQuery, columns: string): Statement {
  const values: unknown[] = []
  const value: Value = (given) => `$${values.push(given)}`
  const { windows, rest } = query.words ?? {}
  let text = `select ${columns} `
  if (query.search === '') text += pageOf(query, value)
  else if (windows && !rest) {
    const { key, direction } = orders[query.sort]
    const held = inWindows(windows, query, value, `${columns}, ${key} as sort_key, id as sort_id`)
    text += `from (${held} limit ${query.limit + 1}) as held order by sort_key ${direction}, sort_id ${direction}`
  } else {
    // Many rows are passed by: they are fetched and written out once it is known which make the page.
    text += `from deals where id in (${idsOf(query, value)}) ${orderOf(query)}`
  }
  const isUsual = usualLimits.includes(query.limit)
  return { name: isUsual ? `feed ${hash('sha1', text, 'base64url')}` : undefined, text, values }
}
