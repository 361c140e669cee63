import { hash } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { abortableQuery } from '../../../platform/database/abortable-query.ts'
import { bucketedSorts, sortBuckets, titleWords, wordPatterns } from '../rules.ts'
import { readBucketShares } from './bucket-shares.ts'
import { cursorConditions, type FeedQuery, filterConditions, orderBy, textsIn } from './conditions.ts'
import { type RowEstimates, readsShares, type SearchStatistics, type Statistics } from './plan.ts'
import type { Value } from './questions.ts'
import type { BucketShares } from './sort-buckets.ts'

/** With more words than this, looking each up takes as long as walking the sort's index until a page is full. */
const mostWords = 1_500
const noShares: BucketShares = new Map()

/** What `planPage` goes by. Without a text hardly ever a statement; with one, one for each piece and one for estimates. */
export async function readStatistics(pool: pg.Pool | pg.PoolClient, query: FeedQuery): Promise<Statistics> {
  if (textsIn(query).length === 0)
    return { shares: readsShares(query) ? await readBucketShares(pool) : noShares }
  const { words, firstBucket } = await lookUp(pool, query)
  const rows = words.length === 0 ? undefined : await estimateRows(pool, query, words)
  if (!rows) return { shares: noShares }
  const search: SearchStatistics = { words, firstBucket, rows }
  // Only windows are made by shares.
  return { shares: firstBucket === undefined ? noShares : await readBucketShares(pool), search }
}

/** What PostgreSQL expects, which knows how common each word is; undefined where it knows that no deal can pass. */
async function estimateRows(
  pool: pg.Pool | pg.PoolClient,
  query: FeedQuery,
  words: string[][],
): Promise<RowEstimates | undefined> {
  const values: unknown[] = []
  const value: Value = (given) => `$${values.push(given)}`
  const holding = words.map((some) => `${titleWords} && ${value(some)}::text[]`)
  // Walking by price passes no deal of another price.
  const passed = query.sort === 'price' ? { ...query, min_price: undefined, max_price: undefined } : query
  const parts = [
    'true',
    filterConditions(passed, value).join(' and '),
    holding.join(' and '),
    ...(holding.length > 1 ? holding : []),
  ]
  const text = `explain (format json) ${parts.map((part) => `select from deals where ${part}`).join(' union all ')}`
  const { rows } = await abortableQuery<{ 'QUERY PLAN': unknown }>(pool, { text, values }, query.signal)
  const [{ Plan: plan }] = explainSchema.parse(rows[0]?.['QUERY PLAN'])
  // A part that can't hold anything, as with a highest price below the lowest, is left out of the plan.
  if (plan.Plans.length < parts.length) return undefined
  const [all = 0, filtered = 0, together = 0, ...each] = plan.Plans.map((part) => part['Plan Rows'])
  return { all, filtered, together, rarest: each.length > 0 ? Math.min(...each) : together }
}

const explainSchema = z.tuple([
  z.object({ Plan: z.object({ Plans: z.array(z.object({ 'Plan Rows': z.number() })) }) }),
])

type FoundWord = { word: string | null; bucket: number | null }

/** For each piece of the text all words that can hold it, and the bucket in which the page's first deal can be. */
async function lookUp(
  pool: pg.Pool | pg.PoolClient,
  query: FeedQuery,
): Promise<Pick<SearchStatistics, 'words' | 'firstBucket'>> {
  const words: string[][] = []
  let firstBucket: number | undefined
  for (const [at, pattern] of wordPatterns(...textsIn(query)).entries()) {
    const values: unknown[] = [pattern, mostWords + 1]
    const select = 'select word, null::bigint as bucket from title_words where word like $1 limit $2'
    // Asked along with the first words, since a round trip costs more. No index has the hidden deals in order.
    const text =
      at > 0 || query.includeHidden || !bucketedSorts.includes(query.sort)
        ? select
        : `(${select}) union all (${selectFirstBucket(query, values)})`
    const name = `feed words ${hash('sha1', text, 'base64url')}`
    const { rows } = await abortableQuery<FoundWord>(pool, { name, text, values }, query.signal)
    const some: string[] = []
    for (const row of rows) {
      if (row.word !== null) some.push(row.word)
      else firstBucket = row.bucket ?? undefined
    }
    if (some.length <= mostWords) words.push(some)
  }
  return { words, firstBucket }
}

function selectFirstBucket(query: FeedQuery, values: unknown[]): string {
  const value: Value = (given) => `$${values.push(given)}`
  const conditions = ['is_visible', ...cursorConditions(query, value)]
  if (query.sort === 'price' && query.min_price !== undefined)
    conditions.push(`price >= ${value(query.min_price)}`)
  const at = bucketedSorts.indexOf(query.sort) + 1
  return `select null, (${sortBuckets})[${at}] from deals where ${conditions.join(' and ')} ${orderBy(query)} limit 1`
}
