import { dealSchema } from '@dealdeck/contract/deals'
import type { DealFacts } from '@dealdeck/query/facts'
import { fieldNames, type Sort, sortNames } from '@dealdeck/query/fields'
import { plainSigns, plainText } from '@dealdeck/query/folding'
import { matcherOf } from '@dealdeck/query/matching'
import { parseQuestion } from '@dealdeck/query/parsing'
import { asksForHidden, type Condition, combine } from '@dealdeck/query/question'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { conditions, fieldConditions, typedTexts } from '../../../../../query/testing/questions.ts'
import { makeAskedDeals, moment, plain, readAskedFacts, values } from '../../../../testing/asked-deals.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { countDeals, findPlan, listDeals, pageStatement } from '../queries.ts'
import { narrowed } from './asking.ts'
import { conditionSql } from './questions.ts'
import { countStatement } from './statements.ts'

const databases = await testDatabases()
const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
let facts = new Map<number, DealFacts>()

beforeAll(async () => {
  await makeAskedDeals(databases, 120)
  facts = await readAskedFacts(databases)
})

const inMemory = (condition: Condition | null) => {
  const matches = matcherOf(condition)
  return [...facts].filter(([, deal]) => matches(deal, moment)).map(([id]) => id)
}

async function inSql(condition: Condition): Promise<number[]> {
  const given: unknown[] = []
  const sql = conditionSql({ condition, moment }, (one) => `$${given.push(one)}`)
  const visible = asksForHidden(condition) ? 'true' : 'is_visible'
  const { rows } = await databases.customPlanPool.query<{ id: number }>(
    `select id from deals where ${visible} and ${sql} order by id limit 1000`,
    given,
  )
  return rows.map(({ id }) => id)
}

/** The ids on the page of a question, as the feed plans and finds it. */
async function onPage(condition: Condition | null, sort: Sort = 'newest'): Promise<number[]> {
  const query = narrowed({ ...plain, sort }, condition, moment)
  const page = JSON.parse(await listDeals(databases, query, shop))
  return dealSchema
    .pick({ id: true })
    .array()
    .parse(page.items)
    .map(({ id }) => id)
    .toSorted((a, b) => a - b)
}

test('SQL and memory find the same of 120 deals for each of 200 questions', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(conditions(values), async (condition) => {
      const expected = inMemory(condition)
      found += expected.length
      expect(await inSql(condition)).toEqual(expected)
    }),
    { numRuns: 200 },
  )
  expect(found).toBeGreaterThan(0)
})

test.each(fieldNames)('both agree about %s, and about its opposite', async (name) => {
  await fc.assert(
    fc.asyncProperty(fieldConditions(name, values), async (condition) => {
      const opposite: Condition = { kind: 'not', of: condition }
      expect(await inSql(condition)).toEqual(inMemory(condition))
      expect(await inSql(opposite)).toEqual(inMemory(opposite))
      expect(await onPage(condition)).toEqual(inMemory(condition))
    }),
    { numRuns: 25 },
  )
})

test('a list of names is compared with one folding of the name and one parameter', () => {
  const sqlOf = (text: string) => {
    const given: unknown[] = []
    const { condition } = parseQuestion(text).question
    return condition && [conditionSql({ condition, moment }, (one) => `$${given.push(one)}`), given.slice(2)]
  }
  expect(sqlOf('brand:=Casio,=seiko')).toEqual([
    expect.stringMatching(/^\(case (?!.*case ).* end = any\(\$3::text\[\]\)\)$/),
    [['casio', 'seiko']],
  ])
  expect(sqlOf('category:watches,=50%,a_b\\c')).toEqual([
    expect.stringMatching(/^\(case (?!.*case ).* end like any \(\$3::text\[\]\)\)$/),
    [['%watches%', '50\\%', '%a\\_b\\\\c%']],
  ])
})

test('alternatives of a name, and what is not to be in one, are compared like a list', () => {
  const sqlOf = (text: string) => {
    const { condition } = parseQuestion(text).question
    return condition && conditionSql({ condition, moment }, () => '?')
  }
  expect(sqlOf('brand:a OR prime:no OR brand:=b')).toBe(`(((not prime_eligible)) or ${sqlOf('brand:a,=b')})`)
  expect(sqlOf('-brand:a prime:no -brand:b,c')).toBe(`(((not prime_eligible)) and ${sqlOf('-brand:a,b,c')})`)
})

test('a page as it is planned holds what memory finds, and so many are counted', async () => {
  const several = fc
    .array(conditions(values), { minLength: 1, maxLength: 3 })
    .map((some) => combine('all', some))
  await fc.assert(
    fc.asyncProperty(several, async (condition) => {
      const expected = inMemory(condition)
      expect(await onPage(condition)).toEqual(expected)
      const { count } = await countDeals(databases.customPlanPool, narrowed(plain, condition, moment))
      expect(count).toBe(expected.length)
    }),
    { numRuns: 150 },
  )
})

test('nothing that could be typed makes a statement fail, and no member finds hidden deals', async () => {
  await fc.assert(
    fc.asyncProperty(typedTexts, fc.constantFrom(...sortNames), async (text, sort) => {
      const { condition } = parseQuestion(text).question
      const found = await onPage(condition, sort)
      expect(found.filter((id) => facts.get(id)?.isVisible !== true)).toEqual([])
    }),
    { numRuns: 400 },
  )
})

test('no statement that a question leads to is without a limit', async () => {
  await fc.assert(
    fc.asyncProperty(typedTexts, fc.constantFrom(...sortNames), async (text, sort) => {
      const { condition } = parseQuestion(text).question
      const query = narrowed({ ...plain, sort, limit: 20 }, condition, moment)
      const page = pageStatement(await findPlan(databases, query), query, shop, true)
      for (const statement of [page, countStatement(query, undefined, 100)])
        expect(statement.text).toMatch(/ limit (?:21|101)\b/)
    }),
    { numRuns: 200 },
  )
})

test('PostgreSQL makes of every sign of a name what memory makes of it', async () => {
  const all = Array.from({ length: 0xd800 - 1 }, (_, at) => at + 1)
    .concat(Array.from({ length: 0x103ff - 0xe000 }, (_, at) => at + 0xe000))
    .map((code) => `x${String.fromCodePoint(code)}`)
  const { from, to } = plainSigns()
  const { rows } = await databases.customPlanPool.query<{ text: string; plain: string }>(
    `select text, translate(lower(text collate "C"), $2, $3) as plain from unnest($1::text[]) as all_of (text)`,
    [all, from, to],
  )
  expect(rows.filter(({ text, plain: made }) => made !== plainText(text))).toEqual([])
})
