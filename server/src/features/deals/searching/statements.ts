import { hash } from 'node:crypto'
import { foldText } from '@dealdeck/query/folding'
import { containsPattern, titleWords } from '../rules.ts'
import { cursorConditions, type FeedQuery, filterConditions, orderBy } from './conditions.ts'
import type { PagePlan } from './plan.ts'
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

/** Hashing a text takes longer than finding it. They are few: values stand beside them, and see `hasFewShapes`. */
const names = new Map<string, string>()

/**
 * Whether the statements of such queries are few. Of a question's own conditions each composition is another one, which
 * connections and `names` would keep for good; of a text only a few pieces are looked up.
 */
function hasFewShapes(query: FeedQuery): boolean {
  return usualLimits.includes(query.limit) && !query.asked
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
export function rowStatement(plan: PagePlan, query: FeedQuery, columns: string): PageStatement {
  const statement = (pool: PageStatement['pool'], textOf: (value: Value) => string): PageStatement => {
    const values: unknown[] = []
    const text = textOf((given) => `$${values.push(given)}`)
    const name = hasFewShapes(query) ? nameOf(text) : undefined
    return { pool, name, text, values }
  }
  const inOrder = (pool: PageStatement['pool']) =>
    statement(pool, (value) => `select ${columns} ${pageOf(query, value)}`)
  // Many deals are compared in vain: their columns are read once it is known which make the page.
  const byIds = (words?: string[][]) =>
    statement(
      'customPlanPool',
      (value) =>
        `select ${columns} from deals where id in (select id ${pageOf(query, value, words)}) ${orderBy(query)}`,
    )
  switch (plan.kind) {
    case 'filtered':
      return inOrder('customPlanPool')
    case 'hidden':
      // Its connections never read a whole table.
      return inOrder('genericPlanPool')
    case 'sort-scan':
      return plan.isGeneric ? inOrder('genericPlanPool') : byIds()
    case 'postings':
      return byIds(plan.words)
  }
}

/**
 * `from` to `limit` of one page; with `words`, among the deals that have these. The limit stands in the text: of one it
 * doesn't know PostgreSQL expects a tenth of all rows.
 */
function pageOf(query: FeedQuery, value: Value, words?: string[][]): string {
  const { source, conditions } = matching(query, value, words)
  conditions.push(...cursorConditions(query, value))
  return `from ${source} where ${conditions.join(' and ')} ${orderBy(query)} limit ${query.limit + 1}`
}

/** Where the deals of a query are looked for and what they have to meet, whatever their order. */
function matching(
  query: FeedQuery,
  value: Value,
  words?: string[][],
): { source: string; conditions: string[] } {
  const conditions = filterConditions(query, value)
  const { search } = query
  let source = 'deals'
  if (words) {
    const holding = words.map((some) => `${titleWords} && ${value(some)}::text[]`)
    // A text without a space stands in a title exactly if it stands in one of its words.
    if (foldText(search).includes(' ')) holding.push(`title_folded like ${value(containsPattern(search))}`)
    // The offset keeps PostgreSQL from walking a sort's index after all, splitting the title of every deal it passes.
    source = `(select * from deals where ${holding.join(' and ')} offset 0) as holding`
  } else if (search !== '') {
    // Of this condition PostgreSQL expects a third of all rows, as it should here; of a LIKE it expects next to none.
    conditions.push(`strpos(title_folded, ${value(foldText(search))}) > 0`)
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
