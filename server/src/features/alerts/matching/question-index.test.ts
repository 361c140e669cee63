import type { DealFacts } from '@dealdeck/query/facts'
import { matcherOf } from '@dealdeck/query/matching'
import { parseQuestion } from '@dealdeck/query/parsing'
import type { Condition } from '@dealdeck/query/question'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { questions } from '../../../../../query/testing/questions.ts'
import { makeAskedDeals, moment, readAskedFacts, values } from '../../../../testing/asked-deals.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { QuestionIndex } from './question-index.ts'

test('with many questions a deal meets those, and only those, that it meets one by one', async () => {
  const databases = await testDatabases()
  await makeAskedDeals(databases, 150)
  const deals = [...(await readAskedFacts(databases)).values()]
  const asked = questions(values).map(({ condition }) => condition)
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 40 }), (conditions) => {
      const index = new QuestionIndex<number>()
      for (const [at, condition] of conditions.entries()) index.add(condition, at)
      const matchers = conditions.map(matcherOf)
      for (const deal of deals) {
        const each = matchers.flatMap((matches, at) => (matches(deal, moment) ? [at] : []))
        const candidates = [...index.candidates(deal)]
        expect(new Set(candidates).size).toBe(candidates.length)
        const found = candidates.filter((at) => matchers[at]?.(deal, moment))
        expect(found.toSorted((one, other) => one - other)).toEqual(each)
      }
    }),
    { numRuns: 100 },
  )
})

async function someDeal(): Promise<DealFacts> {
  const databases = await testDatabases()
  await makeAskedDeals(databases, 1)
  const [deal] = (await readAskedFacts(databases)).values()
  if (!deal) throw new Error('There is no deal')
  return deal
}

test('a deal is tried with few of the questions that ask for something else', async () => {
  const deal = await someDeal()
  const index = new QuestionIndex<string>()
  const asked = [
    ...['kettle', 'brand:casio', 'brand:"=casio"', 'category:"garden tools"', 'asin:B0ABCDEFGH', 'price:<3'],
    ...['off:>=95', 'kettle OR teapot price:<100', 'watch -strap', '(kettle steel) OR pans'],
  ]
  for (const question of asked) index.add(conditionOf(question), question)
  const other = { ...deal, title: 'folding lamp', brand: 'philips', category: 'home', asin: 'B000000001' }
  expect([...index.candidates({ ...other, price: 20, off: 10 })]).toEqual([])
  expect([...index.candidates({ ...other, price: 2, off: 99 })].toSorted()).toEqual(['off:>=95', 'price:<3'])
})

test('what many ask for is looked for by what fewer of them ask for', async () => {
  const deal = await someDeal()
  const index = new QuestionIndex<number>()
  for (let n = 0; n < 2_000; n += 1) index.add(conditionOf(`earbuds brand:b${1_000 + n}`), n)
  const earbuds = { ...deal, title: 'wireless earbuds', brand: 'b2000', category: null, asin: 'B000000001' }
  const candidates = index.candidates(earbuds)
  expect(candidates).toContain(1_000)
  expect(candidates.length).toBeLessThan(500)
})

const conditionOf = (question: string): Condition | null => parseQuestion(question).question.condition
