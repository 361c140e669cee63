import { parseQuestion } from '@dealdeck/query/parsing'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { expectedPerDay } from './expecting.ts'

const expected = (databases: Databases, question: string) =>
  expectedPerDay(databases, parseQuestion(question).question.condition, { now: new Date(), zone: 'UTC' })

/** The first import was so many days ago. */
const begin = ({ durablePool }: Databases, daysAgo: number) =>
  durablePool.query(
    "insert into imports (source, started_at) values ('test', now() - $1 * interval '1 day' - interval '2 hours')",
    [daysAgo],
  )

/** A deal with the prices seen of it, by how many days ago; null is a gap. */
async function seen(databases: Databases, title: string, prices: [daysAgo: number, price: number | null][]) {
  const { id } = await makeDeal(databases, { title, price: prices.at(-1)?.[1] ?? 1 })
  for (const [daysAgo, price] of prices)
    await databases.durablePool.query(
      "insert into price_points (deal_id, seen_at, price) values ($1, now() - $2 * interval '1 day', $3)",
      [id, daysAgo, price],
    )
  return id
}

test('by what was seen of prices it is told how many messages a day an alert would have brought', async () => {
  const databases = await testDatabases()
  await begin(databases, 20)
  await seen(databases, 'Folding lamp', [
    [10, 30],
    [6, 19],
    [5, 30],
    [4, 18.5],
    [3, 18],
    [2, null],
    [1, 18],
  ])
  await seen(databases, 'Desk lamp', [
    [10, 15],
    [1, 14.9],
  ])
  await seen(databases, 'Kettle', [[1, 5]])
  // At 19, at 18 and after the gap.
  expect(await expected(databases, 'lamp price:<20')).toEqual({ perDay: 3 / 7, days: 7 })
  expect(await expected(databases, 'kettle price:<20')).toEqual({ perDay: 1 / 7, days: 7 })
  expect(await expected(databases, 'teapot')).toEqual({ perDay: 0, days: 7 })
})

test('deals that are over by now count, those that were hidden don’t', async () => {
  const databases = await testDatabases()
  await begin(databases, 3)
  const over = await seen(databases, 'Lamp one', [[1, 5]])
  const hidden = await seen(databases, 'Lamp two', [[1, 5]])
  await databases.durablePool.query('update deals set is_over = true where id = $1', [over])
  await databases.durablePool.query('update deals set hidden_at = now() where id = $1', [hidden])
  expect(await expected(databases, 'lamp')).toEqual({ perDay: 1 / 3, days: 3 })
})

test('nothing is said of less than a day', async () => {
  const databases = await testDatabases()
  await seen(databases, 'Lamp', [[0.1, 5]])
  expect(await expected(databases, 'lamp')).toEqual({ perDay: null, days: 0 })
  await begin(databases, 0.5)
  expect(await expected(databases, 'lamp')).toEqual({ perDay: null, days: 0 })
})

test('of a question that most deals meet some stand for all', async () => {
  const databases = await testDatabases()
  await begin(databases, 20)
  await databases.durablePool.query(
    `with made as (
       insert into deals (asin, title, title_folded, price, product_url, availability)
       select 'C' || lpad(n::text, 9, '0'), 'Lamp ' || n, 'lamp ' || n, 5, '', 'In stock' from generate_series(1, 4000) n returning id
     ) insert into price_points (deal_id, seen_at, price) select id, now() - interval '1 day', 5 from made`,
  )
  const { perDay } = await expected(databases, 'lamp price:<20')
  expect(perDay).toBeGreaterThan((0.8 * 4000) / 7)
  expect(perDay).toBeLessThan((1.2 * 4000) / 7)
})

test('nothing is said where none of so many deals is among those that are drawn', async () => {
  const databases = await testDatabases()
  await begin(databases, 20)
  // As far from each other as numbers that are given out and not used leave them, only more surely so.
  await databases.durablePool.query(
    `insert into deals (id, asin, title, title_folded, price, product_url, availability) overriding system value
     select n::bigint * 1000000000, 'D' || lpad(n::text, 9, '0'), 'Lamp ' || n, 'lamp ' || n, 5, '', 'In stock' from generate_series(1, 2100) n`,
  )
  expect(await expected(databases, 'lamp price:<20')).toEqual({ perDay: null, days: 0 })
})
