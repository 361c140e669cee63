import { hash } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { abortableQuery } from '../../../platform/database/abortable-query.ts'
import { sortBuckets, titleWords, wordPatterns } from '../rules.ts'
import { readBucketShares } from './bucket-shares.ts'
import { bucketOfPrice, bucketOfTime } from './sort-buckets.ts'
import {
  cursorConditions,
  type FeedQuery,
  type FoundWords,
  filterConditions,
  orderOf,
  orders,
  type Value,
} from './statements.ts'
import { wayOfSearch, windowsFrom } from './windows.ts'

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
  const { words, bucket } = await lookUp(pool, query)
  if (words.length === 0) return undefined
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
  const [{ Plan: plan }] = estimateSchema.parse(rows[0]?.['QUERY PLAN'])
  // A part that can't hold anything, as with a highest price below the lowest, is left out of the plan.
  if (plan.Plans.length < parts.length) return undefined
  const [all = 0, filtered = 0, together = 0, ...each] = plan.Plans.map((part) => part['Plan Rows'])
  const rarest = each.length > 0 ? Math.min(...each) : together
  const windows =
    bucket === undefined
      ? undefined
      : windowsFrom(bucket, query.sort, {
          // A little more than a page, since chance gives some windows less.
          wanted: (1.1 * query.limit * all) / (together * filtered),
          rare: rarest / all,
          shares: await readBucketShares(pool),
          isInside: query.cursor !== undefined || (query.sort === 'price' && query.min_price !== undefined),
          last: lastBucket(query),
        })
  const { way, restWay } = wayOfSearch({
    ...{ all, filtered, together, rarest, share: windows?.share ?? 1 },
    words: words.reduce((sum, some) => sum + some.length, 0),
  })
  if (way === 'look' && windows) return { words, windows, rest: windows.end && restWay }
  return (way === 'look' ? restWay : way) === 'walk' ? undefined : { words }
}

/** The bucket of the last deals that the filters let through, where they stand together in the sort. */
function lastBucket({ sort, max_price, seenSince }: FeedQuery): number | undefined {
  if (sort === 'price' && max_price !== undefined) return bucketOfPrice(max_price)
  if (sort === 'newest' && seenSince !== undefined) return bucketOfTime(seenSince)
  return undefined
}

type FoundWord = { word: string | null; bucket: number | null }

/** For each piece of the text all words that can hold it, and the bucket in which the page's first deal can be. */
async function lookUp(
  pool: pg.Pool | pg.PoolClient,
  query: FeedQuery,
): Promise<{ words: string[][]; bucket: number | undefined }> {
  const words: string[][] = []
  let bucket: number | undefined
  for (const [at, pattern] of wordPatterns(query.search).entries()) {
    const values: unknown[] = [pattern, mostWords + 1]
    const select = 'select word, null::bigint as bucket from title_words where word like $1 limit $2'
    // Asked along with the first words, since a round trip costs more. No index has the hidden deals in order.
    const text =
      at > 0 || query.includeHidden ? select : `(${select}) union all (${firstBucket(query, values)})`
    const name = `feed words ${hash('sha1', text, 'base64url')}`
    const statement = { name, text, values }
    const { rows } = await abortableQuery<FoundWord>(pool, statement, query.signal)
    const some: string[] = []
    for (const row of rows) {
      if (row.word !== null) some.push(row.word)
      else bucket = row.bucket ?? undefined
    }
    if (some.length <= mostWords) words.push(some)
  }
  return { words, bucket }
}

function firstBucket(query: FeedQuery, values: unknown[]): string {
  const value: Value = (given) => `$${values.push(given)}`
  const conditions = ['is_visible', ...cursorConditions(query, value)]
  if (query.sort === 'price' && query.min_price !== undefined)
    conditions.push(`price >= ${value(query.min_price)}`)
  const at = Object.keys(orders).indexOf(query.sort) + 1
  return `select null, (${sortBuckets})[${at}] from deals where ${conditions.join(' and ')} ${orderOf(query)} limit 1`
}

const estimateSchema = z.tuple([
  z.object({ Plan: z.object({ Plans: z.array(z.object({ 'Plan Rows': z.number() })) }) }),
])
