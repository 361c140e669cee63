import { hash } from 'node:crypto'
import { foldText } from '@dealdeck/query/folding'
import { containsPattern, sortBuckets, titleWords } from '../rules.ts'
import { cursorConditions, type FeedQuery, filterConditions, orderBy, orders, textsIn } from './conditions.ts'
import type { Behind, PagePlan } from './plan.ts'
import type { Value } from './questions.ts'

/** A statement with its values, as pg takes it, and the pool to ask. A name makes a connection parse it only once. */
export type PageStatement = {
  pool: 'customPlanPool' | 'genericPlanPool'
  name: string | undefined
  text: string
  values: unknown[]
}

/** How many deals the screens ask for. A connection keeps each statement with a name, so of the other limits none has. */
const usualLimits = [20, 50]

/** The statement of a page, and for some plans the one to ask if that doesn't fill it. */
export type PageStatements = readonly [PageStatement, toTheEnd?: () => PageStatement]

/** Hashing a text takes longer than finding it. They are few: values stand beside them, and see `hasFewShapes`. */
const names = new Map<string, string>()

/**
 * Whether the statements of such queries are few. Of a question's own conditions, and of several texts, each composition is
 * another one, which connections and `names` would keep for good; of a single text only a few pieces are looked up.
 */
function hasFewShapes(query: FeedQuery): boolean {
  return usualLimits.includes(query.limit) && !query.asked && textsIn(query).length <= 1
}

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `feed ${hash('sha1', text, 'base64url')}`
    names.set(text, name)
  }
  return name
}

/** For these columns of `limit` + 1 deals, the last of which only tells that there are more. */
export function rowStatements(plan: PagePlan, query: FeedQuery, columns: string): PageStatements {
  const { sort, limit } = query
  const { key, direction } = orders[sort]
  const statement = (pool: PageStatement['pool'], textOf: (value: Value) => string): PageStatement => {
    const values: unknown[] = []
    const text = textOf((given) => `$${values.push(given)}`)
    const name = hasFewShapes(query) ? nameOf(text) : undefined
    return { pool, name, text, values }
  }
  const inOrder = (pool: PageStatement['pool']) =>
    statement(pool, (value) => `select ${columns} ${pageOf(query, value)}`)
  // Many deals are compared in vain: their columns are read once it is known which make the page.
  const byIds = (idsOf: (value: Value) => string) =>
    statement(
      'customPlanPool',
      (value) => `select ${columns} from deals where id in (${idsOf(value)}) ${orderBy(query)}`,
    )
  switch (plan.kind) {
    case 'filtered':
      return [inOrder('customPlanPool')]
    case 'sort-scan':
      return [
        plan.isGeneric ? inOrder('genericPlanPool') : byIds((value) => `select id ${pageOf(query, value)}`),
      ]
    case 'postings':
      return [byIds((value) => `select id ${pageOf(query, value, plan.words)}`)]
    case 'windowed': {
      const { behind } = plan
      const windows = statement(plan.isGeneric ? 'genericPlanPool' : 'customPlanPool', (value) => {
        const found = inWindows(plan, query, value, `${columns}, ${key} as sort_key, id as sort_id`)
        return `select ${columns} from (${found} limit ${limit + 1}) as held order by sort_key ${direction}, sort_id ${direction}`
      })
      // Not a part of the first statement: planning it takes as long as searching the windows, mostly for nothing.
      return [windows, behind && (() => byIds((value) => idsToTheEnd(plan, behind, query, value)))]
    }
  }
}

/**
 * `from` to `limit` of one page; with `words`, among the deals that have these, and with `near`, an SQL expression, in
 * these buckets. The limit stands in the text: of one it doesn't know PostgreSQL expects a tenth of all rows.
 */
function pageOf(query: FeedQuery, value: Value, words?: string[][], near?: string): string {
  const { source, conditions } = matching(query, value, words, near)
  conditions.push(...cursorConditions(query, value))
  return `from ${source} where ${conditions.join(' and ')} ${orderBy(query)} limit ${query.limit + 1}`
}

/** Where the deals of a query are looked for and what they have to meet, whatever their order. */
function matching(
  query: FeedQuery,
  value: Value,
  words?: string[][],
  near?: string,
): { source: string; conditions: string[] } {
  const conditions = filterConditions(query, value)
  const texts = textsIn(query)
  let source = 'deals'
  if (words) {
    const holding = words.map((some) => `${titleWords} && ${value(some)}::text[]`)
    if (near !== undefined) holding.push(`${sortBuckets} && ${near}`)
    // A text without a space stands in a title exactly if it stands in one of its words; of several not all are looked up.
    if (texts.length > 1 || texts.some((text) => foldText(text).includes(' ')))
      holding.push(...texts.map((text) => `title_folded like ${value(containsPattern(text))}`))
    // The offset keeps PostgreSQL from walking a sort's index after all, splitting the title of every deal it passes.
    source = `(select * from deals where ${holding.join(' and ')} offset 0) as holding`
  } else {
    // Of this condition PostgreSQL expects a third of all rows, as it should here; of a LIKE it expects next to none.
    conditions.push(...texts.map((text) => `strpos(title_folded, ${value(foldText(text))}) > 0`))
  }
  return { source, conditions }
}

/** Counts the deals of a query, up to `most` and one more; with `words`, among those that have these. */
export function countStatement(query: FeedQuery, words: string[][] | undefined, most: number): PageStatement {
  const values: unknown[] = []
  const { source, conditions } = matching(query, (given) => `$${values.push(given)}`, words)
  const found = `select from ${source} where ${conditions.join(' and ')} limit ${most + 1}`
  const text = `select count(*) as count from (${found}) as found`
  return { pool: 'customPlanPool', name: undefined, text, values }
}

type WindowedPlan = Extract<PagePlan, { kind: 'windowed' }>

/**
 * These columns of the deals in the windows: PostgreSQL takes one after the other and stops when the page is full. They
 * are one value, or every number of windows would be a statement of its own to prepare.
 */
function inWindows(
  { words, windows }: WindowedPlan,
  query: FeedQuery,
  value: Value,
  columns: string,
): string {
  const near = windows.map((buckets) => `{${buckets}}`)
  return `select found.* from unnest(${value(near)}::text[]) as windows (near)
    cross join lateral (select ${columns} ${pageOf(query, value, words, 'near::bigint[]')}) as found`
}

/** The ids of a page from its windows and, where they don't fill it, from what lies behind them. */
function idsToTheEnd(plan: WindowedPlan, behind: Behind, query: FeedQuery, value: Value): string {
  const words = behind.strategy === 'postings' ? plan.words : undefined
  return `select id from (
    ${inWindows(plan, query, value, 'id')}
    union all
    select id from (select id ${pageOf({ ...query, cursor: behind.cursor }, value, words)}) as behind
  ) as ids limit ${query.limit + 1}`
}
