import { hash } from 'node:crypto'
import type { Deal, DealListInput, DealSort, DealStats, PricePoint } from '@dealdeck/contract/deals'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { productLink } from '@dealdeck/marketplace/product-links'
import type pg from 'pg'
import { z } from 'zod'
import { AppError } from '../../platform/errors.ts'
import {
  type Cursor,
  containsPattern,
  cursorAfter,
  dealPlaces,
  foldText,
  titleWords,
  type Windows,
  wayOfSearch,
  windowsFrom,
  wordPatterns,
  writeCursor,
} from './rules.ts'

/** A statement with its values, as pg takes it; a name makes every connection parse it only once. */
export type Statement = { name: string; text: string; values: unknown[] }

/** What one page asks for; times are instants, everything else as on the wire. */
export type FeedQuery = Pick<
  DealListInput,
  'sort' | 'min_price' | 'max_price' | 'prime_only' | 'search' | 'limit'
> & {
  seenSince?: Date | undefined
  updatedSince?: Date | undefined
  cursor?: Cursor | undefined
  includeHidden?: boolean
  /** What `findWords` says of the search text. */
  words?: FoundWords | undefined
}

/** How a search finds its deals. */
export type FoundWords = {
  /** For each piece of the text, all words of titles that can hold it. */
  words: string[][]
  /** Where to look for deals with these words before looking at all. */
  windows?: Windows | undefined
  /** Whether what lies behind the windows is walked through, rather than fetched by its words. */
  isRestWalked?: boolean
}

/** Where links of this installation lead. */
export type Shop = { marketplace: Pick<Marketplace, 'domain'>; affiliateTag: string }

type Order = { key: string; type: string; direction: 'asc' | 'desc' }

/** Each sort is one index: the key, then the id in the same direction. */
const orders: Record<DealSort, Order> = {
  newest: { key: 'first_seen', type: 'timestamptz', direction: 'desc' },
  discount: { key: 'discount_order', type: 'smallint', direction: 'desc' },
  price: { key: 'price', type: 'numeric', direction: 'asc' },
  discord: { key: 'discord_order', type: 'timestamptz', direction: 'desc' },
}

type Value = (given: unknown) => string

function filterConditions(query: FeedQuery, value: Value): string[] {
  const conditions = query.includeHidden ? ['true'] : ['is_visible']
  if (query.min_price !== undefined) conditions.push(`price >= ${value(query.min_price)}`)
  if (query.max_price !== undefined) conditions.push(`price <= ${value(query.max_price)}`)
  if (query.prime_only) conditions.push('prime_eligible')
  if (query.seenSince) conditions.push(`first_seen >= ${value(query.seenSince)}`)
  if (query.updatedSince) conditions.push(`last_updated >= ${value(query.updatedSince)}`)
  return conditions
}

function cursorConditions({ sort, cursor }: FeedQuery, value: Value): string[] {
  if (!cursor) return []
  const { key, type, direction } = orders[sort]
  const comparison = direction === 'desc' ? '<' : '>'
  return [`(${key}, id) ${comparison} (${value(cursor.key)}::${type}, ${value(cursor.id)}::bigint)`]
}

/** `from` to `limit` of one page; with `near`, among the deals of some places only, an SQL expression. */
function pageOf(query: FeedQuery, value: Value, near?: string): string {
  const conditions = filterConditions(query, value)
  let source = 'deals'
  if (query.words) {
    const holding = query.words.words.map((words) => `${titleWords} && ${value(words)}::text[]`)
    if (near !== undefined) holding.push(`${dealPlaces} && ${near}`)
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
  return `from ${source} where ${conditions.join(' and ')} ${orderOf(query)} limit ${value(query.limit + 1)}`
}

function orderOf({ sort }: FeedQuery): string {
  const { key, direction } = orders[sort]
  return `order by ${key} ${direction}, id ${direction}`
}

/** The ids of one page of a search. */
function idsOf(query: FeedQuery, value: Value): string {
  if (!query.words?.windows) return `select id ${pageOf(query, value)}`
  const { words, windows, isRestWalked } = query.words
  const near = windows.places.map((places) => `(${value(places)}::bigint[])`).join(', ')
  const rest = { ...query, cursor: windows.edge, words: isRestWalked ? undefined : { words } }
  // Nothing here is sorted across windows, so PostgreSQL takes one after the other and stops when the page is full.
  return `select id from (
    select id from (values ${near}) as windows (near)
      cross join lateral (select id ${pageOf(query, value, 'near')}) as found
    union all
    select id from (select id ${pageOf(rest, value)}) as rest
  ) as ids limit ${value(query.limit + 1)}`
}

/** The statement of one page: these columns of `limit` + 1 rows, the last of which only tells that there are more. */
export function feedQuery(query: FeedQuery, columns: string): Statement {
  const values: unknown[] = []
  const value: Value = (given) => `$${values.push(given)}`
  const row = `select ${columns}`
  // A search passes many rows by: they are fetched and written out once it is known which make the page.
  const text =
    query.search === ''
      ? `${row} ${pageOf(query, value)}`
      : `${row} from deals where id in (${idsOf(query, value)}) ${orderOf(query)}`
  return { name: `feed ${hash('sha1', text, 'base64url')}`, text, values }
}

/** More words than this are as slow to look up one by one as the index of a sort is to walk until it has met them. */
const mostWords = 1_500

/**
 * The way to a page of a search: its words, and the windows in which to look for them; undefined when the text stands
 * in so many deals that walking the sort's index finds the page soonest. The planner knows how common words are, so it
 * is asked; a wrong guess of it costs time, never a deal.
 */
export async function findWords(
  pool: pg.Pool | pg.PoolClient,
  query: FeedQuery,
): Promise<FoundWords | undefined> {
  const { words, place } = await lookUp(pool, query)
  if (words.length === 0) return undefined
  const values: unknown[] = []
  const value: Value = (given) => `$${values.push(given)}`
  const windows = place === undefined ? undefined : windowsFrom(place, query.sort)
  const holding = words.map((some) => `${titleWords} && ${value(some)}::text[]`)
  // Walking by price passes no deal of another price.
  const passed = query.sort === 'price' ? { ...query, min_price: undefined, max_price: undefined } : query
  const parts = [
    'true',
    filterConditions(passed, value).join(' and '),
    `${dealPlaces} && ${value(windows?.places[0] ?? [])}::bigint[]`,
    holding.join(' and '),
    ...(holding.length > 1 ? holding : []),
  ]
  const { rows } = await pool.query<{ 'QUERY PLAN': unknown }>(
    `explain (format json) ${parts.map((part) => `select from deals where ${part}`).join(' union all ')}`,
    values,
  )
  const [{ Plan: plan }] = estimateSchema.parse(rows[0]?.['QUERY PLAN'])
  const [all = 0, filtered = 0, near = 0, together = 0, ...each] = plan.Plans.map((part) => part['Plan Rows'])
  const { way, restWay } = wayOfSearch({
    ...{ all, filtered, near, together, sort: query.sort },
    rarest: each.length > 0 ? Math.min(...each) : together,
    words: words.reduce((sum, some) => sum + some.length, 0),
  })
  if (way === 'look' && windows) return { words, windows, isRestWalked: restWay === 'walk' }
  return (way === 'look' ? restWay : way) === 'walk' ? undefined : { words }
}

/** For each piece of the text all words that can hold it, and the place of a sort where the page's first deal can be. */
async function lookUp(
  pool: pg.Pool | pg.PoolClient,
  query: FeedQuery,
): Promise<{ words: string[][]; place: number | undefined }> {
  const words: string[][] = []
  let place: number | undefined
  for (const [at, pattern] of wordPatterns(query.search).entries()) {
    const values: unknown[] = [pattern, mostWords + 1]
    const select = 'select word, null::bigint as place from title_words where word like $1 limit $2'
    // Asked along with the first words, since a round trip costs more. No index has the hidden deals in order.
    const text =
      at > 0 || query.includeHidden ? select : `(${select}) union all (${firstPlace(query, values)})`
    const name = `feed words ${hash('sha1', text, 'base64url')}`
    const { rows } = await pool.query<{ word: string | null; place: number | null }>({ name, text, values })
    const some: string[] = []
    for (const row of rows) {
      if (row.word !== null) some.push(row.word)
      else place = row.place ?? undefined
    }
    if (some.length <= mostWords) words.push(some)
  }
  return { words, place }
}

function firstPlace(query: FeedQuery, values: unknown[]): string {
  const value: Value = (given) => `$${values.push(given)}`
  const conditions = ['is_visible', ...cursorConditions(query, value)]
  if (query.sort === 'price' && query.min_price !== undefined)
    conditions.push(`price >= ${value(query.min_price)}`)
  const at = Object.keys(orders).indexOf(query.sort) + 1
  return `select null, (${dealPlaces})[${at}] from deals where ${conditions.join(' and ')} ${orderOf(query)} limit 1`
}

const estimateSchema = z.tuple([
  z.object({ Plan: z.object({ Plans: z.array(z.object({ 'Plan Rows': z.number() })) }) }),
])

/**
 * A deal as JSON, its link leading to the shop with the installation's own tag or none. The table keeps the text but for
 * that link: writing the columns out one by one, here or in the database, takes longer than all the rest of a page.
 */
function dealJson(shop: Shop, value: Value): string {
  const [before = '', after = ''] = JSON.stringify(
    productLink(' ', shop.marketplace.domain, shop.affiliateTag),
  ).split(' ')
  const link = `${value(before)}::text || asin || ${value(`${after}}`)}::text`
  return `case when is_sample then deal_json else deal_json || ${link} end`
}

/** What stands between two deals of a page; inside of one, JSON has no bare line break. */
const between = ',\n'

/** The statement of one page as a single row: `found`, at most `limit` + 1, and the deals' JSON in `items`. */
export function pageQuery(query: FeedQuery, shop: Shop): Statement {
  const rows = feedQuery(query, 'deal_json, asin, is_sample')
  const values = [...rows.values]
  const deal = dealJson(shop, (given) => `$${values.push(given)}`)
  const text = `select count(*) as found, string_agg(${deal}, e',\\n') as items from (${rows.text}) as page`
  return { name: `page ${rows.name}`, text, values }
}

/** One page of deals and where the next begins: the JSON of a `DealPage`. */
export async function listDeals(pool: pg.Pool, query: FeedQuery, shop: Shop): Promise<string> {
  const words = query.search === '' ? undefined : await findWords(pool, query)
  const { rows } = await pool.query<{ found: number; items: string | null }>(
    pageQuery({ ...query, words }, shop),
  )
  const [{ found, items } = { found: 0, items: '' }] = rows
  if (items === null || found <= query.limit) return `{"items":[${items ?? ''}],"next_cursor":null}`
  const page = items.slice(0, items.lastIndexOf(between))
  // The cast holds: this is what the table makes of each deal.
  const last = JSON.parse(page.slice(page.lastIndexOf(between) + 1)) as Deal
  return `{"items":[${page}],"next_cursor":"${writeCursor(cursorAfter(last, query.sort))}"}`
}

/** One deal; NOT_FOUND when it isn't there or hidden from this caller. */
export async function findDeal(pool: pg.Pool, id: number, includeHidden: boolean, shop: Shop): Promise<Deal> {
  const values: unknown[] = [id, includeHidden]
  const deal = dealJson(shop, (given) => `$${values.push(given)}`)
  const { rows } = await pool.query<{ deal: Deal }>({
    text: `select (${deal})::json as deal from deals where id = $1 and (is_visible or $2) limit 1`,
    values,
  })
  if (!rows[0]) throw new AppError('NOT_FOUND', 'This deal is no longer available.')
  return rows[0].deal
}

/** The observed prices of a deal, oldest first, the newest 1,000 of them; NOT_FOUND as for the deal itself. */
export async function listPrices(
  pool: pg.Pool,
  id: number,
  includeHidden: boolean,
  shop: Shop,
): Promise<PricePoint[]> {
  await findDeal(pool, id, includeHidden, shop)
  const { rows } = await pool.query<PricePoint>({
    text: `select price, original_price, to_char(seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as seen_at
           from price_points where deal_id = $1 order by price_points.seen_at desc limit 1000`,
    values: [id],
  })
  return rows.reverse()
}

/** Figures over all visible deals. */
export async function readStats(pool: pg.Pool): Promise<DealStats> {
  const { rows } = await pool.query<DealStats>(
    `select count(*) as total_deals,
            count(*) filter (where prime_eligible) as prime_eligible,
            count(*) filter (where discount_order >= 0) as with_discounts,
            round(avg(price), 2) as average_price,
            (select count(*) from deals where is_sample and is_visible) as sample_deals
     from deals where is_visible`,
  )
  const stats = rows[0]
  if (!stats) throw new Error('an aggregate always answers with one row')
  return stats
}
