import type pg from 'pg'
import { z } from 'zod'
import { abortableQuery } from '../../../platform/database/abortable-query.ts'
import { titleWords, wordPatterns } from '../rules.ts'
import { type FeedQuery, filterConditions } from './conditions.ts'
import { type RowEstimates, readsPrices, type Statistics } from './plan.ts'
import { readPriceSpread } from './price-shares.ts'
import type { Value } from './questions.ts'

/** With more words than this, looking each up takes as long as walking the sort's index until a page is full. */
const mostWords = 1_500

/** What `planPage` goes by. Without a text hardly ever a statement; with one, one for each piece and one for estimates. */
export async function readStatistics(pool: pg.Pool | pg.PoolClient, query: FeedQuery): Promise<Statistics> {
  if (query.search === '') return readsPrices(query) ? { prices: await readPriceSpread(pool) } : {}
  const words = await lookUp(pool, query)
  const rows = words.length === 0 ? undefined : await estimateRows(pool, query, words)
  return rows ? { search: { words, rows } } : {}
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

/** For each piece of the text all words that can hold it. */
async function lookUp(pool: pg.Pool | pg.PoolClient, query: FeedQuery): Promise<string[][]> {
  const words: string[][] = []
  for (const pattern of wordPatterns(query.search)) {
    const { rows } = await abortableQuery<{ word: string }>(
      pool,
      {
        name: 'feed words',
        text: 'select word from title_words where word like $1 limit $2',
        values: [pattern, mostWords + 1],
      },
      query.signal,
    )
    if (rows.length <= mostWords) words.push(rows.map(({ word }) => word))
  }
  return words
}
