import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsin, nextAsins } from '../../../testing/factories.ts'
import { pollSources } from '../../../testing/polls.ts'
import { makeSource, rowsOf } from '../../../testing/sources.ts'

const databases = await testDatabases()
const { poll } = pollSources(databases)
const priced = (asin: string, price: number, more: object = {}) =>
  rowsOf([asin], () => price).map((row) => ({ ...row, ...more }))
const query = async (sql: string, values: unknown[]) =>
  (await databases.customPlanPool.query(sql, values)).rows
const waiting = (source: number) =>
  query(`select (new ->> 'price')::float as price from quarantine where source_id = $1 and state = 'held'`, [
    source,
  ])
const priceOf = async (asin: string) =>
  (await query('select price from deals where asin = $1', [asin]))[0]?.price
const overtaken = (count: number) => `Rows left out for another of the same item: ${count}.`
const earlier = { observed_at: new Date(Date.now() - 60_000) }

test('of an item that is listed twice the newer row waits, beside what the older one says', async () => {
  const source = await makeSource(databases)
  const asin = nextAsin()
  await poll(source, priced(asin, 100, { observed_at: new Date(Date.now() - 120_000) }))
  const run = await poll(source, [...priced(asin, 90, earlier), ...priced(asin, 2)])
  expect(run).toMatchObject({ held: 1, text: '1 row went into quarantine.', notes: [] })
  expect([await waiting(source), await priceOf(asin)]).toEqual([[{ price: 2 }], 90])
  // The same again is the same row, and a document without it overtakes it.
  await poll(source, [...priced(asin, 90, earlier), ...priced(asin, 2)])
  expect(await waiting(source)).toEqual([{ price: 2 }])
  await poll(source, priced(asin, 91))
  expect([await waiting(source), await priceOf(asin)]).toEqual([[], 91])
})

test('a doubtful row that a newer one of the same document overtakes waits for nobody', async () => {
  const source = await makeSource(databases)
  const asin = nextAsin()
  await poll(source, priced(asin, 100))
  expect(await poll(source, [...priced(asin, 2), ...priced(asin, 90)])).toMatchObject({
    ...{ received: 2, held: 0, text: null, updated: 1, notes: [overtaken(1)] },
  })
  expect([await waiting(source), await priceOf(asin)]).toEqual([[], 90])
})

test('two doubtful rows of an item are one that waits', async () => {
  const source = await makeSource(databases)
  const asin = nextAsin()
  await poll(source, priced(asin, 100))
  expect(await poll(source, [...priced(asin, 1), ...priced(asin, 2)])).toMatchObject({
    ...{ received: 2, held: 1, text: '1 row went into quarantine.', notes: [overtaken(1)] },
  })
  expect(await waiting(source)).toEqual([{ price: 2 }])
})

test('of rows of other shops the newest of each item waits, and few of many that they name are named', async () => {
  const source = await makeSource(databases)
  const asins = nextAsins(150)
  const rows = asins.flatMap((asin, at) => [
    ...priced(asin, 1, { currency: `Taler ${at}` }),
    ...priced(asin, 2, { currency: `Taler ${at}` }),
  ])
  const run = await poll(source, rows)
  expect(run).toMatchObject({ received: 300, held: 150, created: 0, notes: [overtaken(150)] })
  expect(run.text).toMatch(
    /^Of 300 rows 150 were held: other shops \(50\), another currency: Taler \d+ \(1\), .*; 150 were left out, as a newer row has the same item\. Nothing of it becomes a deal/,
  )
  expect(await waiting(source)).toEqual(asins.map(() => ({ price: 2 })))
})
