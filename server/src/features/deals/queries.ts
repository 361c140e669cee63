import {
  type Deal,
  type DealCount,
  type DealHiding,
  type DealStats,
  mostCounted,
} from '@dealdeck/contract/deals'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { productLink } from '@dealdeck/marketplace/product-links'
import type pg from 'pg'
import type { CancelSignal } from '../../platform/cancellation.ts'
import { abortableQuery, abortableTexts } from '../../platform/database/abortable-query.ts'
import { type ByteText, bytesOf } from '../../platform/database/byte-rows.ts'
import { AppError } from '../../platform/errors.ts'
import type { FoundDeals } from './memory/deal-index.ts'
import type { DealSearch } from './memory/deal-search.ts'
import type { DealTexts } from './memory/deal-texts.ts'
import { type Cursor, containsPattern, cursorAfter, writeCursor } from './rules.ts'
import { type FeedQuery, filterConditions, isImpossible } from './searching/conditions.ts'
import { isJsonCurrent } from './searching/current-json.ts'
import { type PagePlan, planPage } from './searching/plan.ts'
import type { Value } from './searching/questions.ts'
import { countStatement, type PageStatement, rowStatement } from './searching/statements.ts'
import { readStatistics } from './searching/statistics.ts'

/** Where links of this installation lead. */
export type Shop = { marketplace: Pick<Marketplace, 'domain'>; affiliateTag: string }

/** The columns `dealJson` needs of a row called `page`, when all stored JSON is current and otherwise. */
const currentColumns = 'deal_json, asin, is_sample, verdict'
const jsonColumns = `id, json_version, ${currentColumns}`

/**
 * A deal as JSON, its link leading to the shop with the installation's own tag or none. The table keeps the text but for
 * that link and the verdict behind it: writing the columns out one by one, here or in the database, takes longer than all
 * the rest of a page. Only a text of an older version is made anew, until `refreshDealJson` has done so for all and `isCurrent` says that no row needs
 * a look: looking took a tenth of a page.
 */
function dealJson(shop: Shop, value: Value, isCurrent: boolean): string {
  const [before = '', after = ''] = linkAround(shop)
  const link = `${value(before)}::text || page.asin || ${value(`${after},"verdict":`)}::text`
  const rest = `case when page.is_sample then '' else ${link} || coalesce(page.verdict, 'null') || '}' end`
  if (isCurrent) return `page.deal_json || ${rest}`
  const json = `case when page.json_version = deal_json_version() then page.deal_json
    else (select deal_json_of(stored) from deals stored where stored.id = page.id) end`
  return `${json} || ${rest}`
}

const linksAround = new WeakMap<Shop, string[]>()

/** What stands before and after the ASIN in the JSON of a link to the shop. */
function linkAround(shop: Shop): string[] {
  let around = linksAround.get(shop)
  if (!around) {
    around = JSON.stringify(productLink(' ', shop.marketplace.domain, shop.affiliateTag)).split(' ')
    linksAround.set(shop, around)
  }
  return around
}

/** What stands between two deals of a page; inside of one, JSON has no bare line break. */
const between = ',\n'

/**
 * The statement of a page, with a single row: `found`, at most `limit` + 1, and the deals' JSON in `items`.
 * `isCurrent`: as `isJsonCurrent` says.
 */
export function pageStatement(
  plan: PagePlan,
  query: FeedQuery,
  shop: Shop,
  isCurrent: boolean,
): PageStatement {
  const rows = rowStatement(plan, query, isCurrent ? currentColumns : jsonColumns)
  const values = [...rows.values]
  const deal = dealJson(shop, (given) => `$${values.push(given)}`, isCurrent)
  const text = `select count(*) as found, string_agg(${deal}, e',\\n') as items from (${rows.text}) as page`
  return { pool: rows.pool, name: rows.name && `page ${rows.name}`, text, values }
}

/** Connections to ask for pages; single ones where only one page is asked for at a time. */
export type FeedPools = Record<PageStatement['pool'], pg.Pool | pg.PoolClient>

/** How the page of a query is found, by what the database says now. */
export async function findPlan({ customPlanPool }: FeedPools, query: FeedQuery): Promise<PagePlan> {
  return planPage(query, await readStatistics(customPlanPool, query))
}

/** One page of deals and where the next begins: the JSON of a `DealPage`, as it is sent. Found by `search` where it can. */
export async function writeDealPage(
  pools: FeedPools,
  query: FeedQuery,
  shop: Shop,
  search?: DealSearch,
): Promise<Buffer> {
  if (isImpossible(query)) return pageBytes('')
  const indexed = await search?.find(query)
  const page = indexed && (await listFound(pools.customPlanPool, indexed, query.signal, shop))
  if (page !== undefined) return page
  const { found, items } = await askForPage(pools, query, shop)
  if (items === null || found <= query.limit) return pageBytes(items ?? '')
  const end = items.lastIndexOf(between)
  const last = items.slice(items.lastIndexOf(between, end - 1) + 1, end)
  return pageBytes(items.slice(0, end), cursorAfter(last, query.sort))
}

/** The same as a text. */
export async function listDeals(...asked: Parameters<typeof writeDealPage>): Promise<string> {
  return (await writeDealPage(...asked)).toString()
}

function pageBytes(items: ByteText, next?: Cursor): Buffer {
  return bytesOf(`{"items":[${items}],"next_cursor":${next ? `"${writeCursor(next)}"` : null}}`)
}

/** The deals that were found, as they are now or were then; undefined when none of them is visible any more. */
async function listFound(
  pool: pg.Pool | pg.PoolClient,
  { ids, versions, next, texts }: FoundDeals & { texts: DealTexts },
  signal: CancelSignal | undefined,
  shop: Shop,
): Promise<Buffer | undefined> {
  if (ids.length === 0) return pageBytes('')
  const known = ids.map((id, at) => texts.get(id, versions[at] ?? 0))
  const missing = ids.filter((_, at) => known[at] === undefined)
  if (missing.length > 0) {
    const values: unknown[] = [missing]
    const deal = dealJson(shop, (given) => `$${values.push(given)}`, false)
    const text = `select id, ${deal} from deals page where id = any($1::bigint[]) and is_visible`
    const rows = await abortableTexts(pool, { name: 'found deals', text, values }, signal)
    const read = new Map(rows.map(([id, json]) => [Number(id), json ?? undefined]))
    for (const [at, id] of ids.entries()) {
      if (known[at] !== undefined) continue
      const json = read.get(id)
      known[at] = json
      if (json !== undefined) texts.set(id, versions[at] ?? 0, json)
    }
  }
  const items = known.filter((json) => json !== undefined)
  if (items.length === 0) return undefined
  return pageBytes(items.join(between), next)
}

/** These deals, in this order, as far as they meet the query's conditions, all on one page: the JSON of a `DealPage`. */
export async function listDealsById(
  pool: pg.Pool,
  ids: readonly number[],
  query: FeedQuery,
  shop: Shop,
): Promise<string> {
  const values: unknown[] = [ids]
  const value = (given: unknown) => `$${values.push(given)}`
  const conditions = filterConditions(query, value)
  if (query.search !== '') conditions.push(`title_folded like ${value(containsPattern(query.search))}`)
  const text = `select string_agg(${dealJson(shop, value, false)}, e',\\n' order by position) as items
    from unnest($1::bigint[]) with ordinality as asked (asked_id, position) join deals page on page.id = asked_id
    where ${conditions.join(' and ')}`
  const { rows } = await abortableQuery<{ items: string | null }>(pool, { text, values }, query.signal)
  return `{"items":[${rows[0]?.items ?? ''}],"next_cursor":null}`
}

/** How many deals meet a query's conditions, counted up to `mostCounted`. */
export async function countDeals(pool: pg.Pool, query: FeedQuery, index?: DealSearch): Promise<DealCount> {
  if (isImpossible(query)) return { count: 0, has_more: false }
  const indexed = await index?.count(query, mostCounted + 1)
  if (indexed !== undefined) return { count: Math.min(indexed, mostCounted), has_more: indexed > mostCounted }
  const { search } = await readStatistics(pool, query)
  const { text, values } = countStatement(query, search?.words, mostCounted)
  const { rows } = await abortableQuery<{ count: number }>(pool, { text, values }, query.signal)
  const count = rows[0]?.count ?? 0
  return { count: Math.min(count, mostCounted), has_more: count > mostCounted }
}

type FoundPage = { found: number; items: ByteText | null }

async function askForPage(pools: FeedPools, query: FeedQuery, shop: Shop): Promise<FoundPage> {
  const plan = await findPlan(pools, query)
  const isCurrent = isJsonCurrent(pools.customPlanPool)
  const { pool, name, text, values } = pageStatement(
    plan,
    query,
    shop,
    typeof isCurrent === 'boolean' ? isCurrent : await isCurrent,
  )
  const [row] = await abortableTexts(pools[pool], { name, text, values }, query.signal)
  return { found: Number(row?.[0] ?? 0), items: row?.[1] ?? null }
}

/** One deal, by its id or its ASIN; NOT_FOUND when it isn't there or hidden from this caller. */
export async function findDeal(
  pool: pg.Pool,
  key: { id: number } | { asin: string },
  includeHidden: boolean,
  shop: Shop,
): Promise<Deal> {
  const [column, asked] = 'id' in key ? ['id', key.id] : ['asin', key.asin]
  const values: unknown[] = [asked, includeHidden]
  const deal = dealJson(shop, (given) => `$${values.push(given)}`, false)
  const { rows } = await pool.query<{ deal: Deal }>({
    text: `select (${deal})::json as deal from deals page where ${column} = $1 and (is_visible or $2) limit 1`,
    values,
  })
  if (!rows[0]) throw new AppError('NOT_FOUND', 'This deal is no longer available.')
  return rows[0].deal
}

/** Whether an administrator hides a deal; NOT_FOUND when it isn't there. */
export async function findHiding(pool: pg.Pool, id: number): Promise<DealHiding> {
  const { rows } = await pool.query<{ hidden_at: Date | null }>('select hidden_at from deals where id = $1', [
    id,
  ])
  if (!rows[0]) throw new AppError('NOT_FOUND', 'There is no such deal.')
  const { hidden_at } = rows[0]
  return { is_hidden: hidden_at !== null, hidden_at: hidden_at?.toISOString() ?? null }
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
