import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsin, nextAsins } from '../../../testing/factories.ts'
import { pollSources } from '../../../testing/polls.ts'
import { kindThat, makeSource, rowsOf, testBox } from '../../../testing/sources.ts'

const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [kindThat(async () => ({ state: 'done' }))], secrets: testBox },
})
const { headers } = await signIn('admin')
const { poll } = pollSources(databases)
const listed = (asin: string, price: number, original_price: number, more: object = {}) =>
  rowsOf([asin], () => price).map((row) => ({ ...row, original_price, ...more }))
const dealOf = async (asin: string) =>
  (await databases.customPlanPool.query('select price, original_price from deals where asin = $1', [asin]))
    .rows[0]
const waiting = async (source: number) =>
  (await app.inject({ url: `/api/quarantine?source=${source}`, headers })).json().items

test.each([
  [4, 99, true],
  [5, 200, true],
  [2, 100, true],
  [0.5, 80, true],
  [1, 500, true],
  [3, 301, true],
  [7.49, 99.99, false],
])('a price of %d beside a list price of %d is held: %s', async (price, original, isHeld) => {
  const source = await makeSource(databases)
  const asin = nextAsin()
  const run = await poll(source, listed(asin, price, original))
  expect(run).toMatchObject({ held: isHeld ? 1 : 0, created: isHeld ? 0 : 1 })
  if (!isHeld) return expect(await dealOf(asin)).toEqual({ price, original_price: original })
  const [row] = await waiting(source)
  expect(row).toMatchObject({ rule: 'list_price', new: { price, original_price: original } })
  // Let through, the price counts; of a list price the importer believes what it ever does.
  const payload = { ids: [row.id] }
  const released = await app.inject({ method: 'POST', url: '/api/quarantine/release', headers, payload })
  expect(released.json()).toMatchObject({ decided: 1, unchanged: 0 })
  expect(await dealOf(asin)).toEqual({ price, original_price: original === 99 ? 99 : null })
})

test('a list price that is not believed is none of a deal, wherever its row comes from', async () => {
  const source = await makeSource(databases, { trusted_rules: ['list_price'] })
  const [trusted, known, filed] = [nextAsin(), nextAsin(), nextAsin()]
  await poll(
    source,
    rowsOf([known], () => 1),
  )
  // As the price of a kilogram, which the title says, it says nothing of the price.
  const unit = nextAsin()
  const ofUnit = { title: 'Saffron threads from Kashmir, 5 g' }
  const other = await makeSource(databases)
  expect(await poll(other, listed(unit, 5.99, 1198, ofUnit))).toMatchObject({ held: 0, created: 1 })
  await poll(source, [...listed(trusted, 1, 500), ...listed(known, 1, 500)])
  const payload = listed(filed, 1, 500)
  await app.inject({ method: 'POST', url: '/api/products/import', headers, payload })
  for (const asin of [trusted, known, filed])
    expect(await dealOf(asin)).toEqual({ price: 1, original_price: null })
})

test('a document that waits as a whole holds nothing for a list price that is not believed', async () => {
  const source = await makeSource(databases)
  const asins = nextAsins(60)
  await poll(
    source,
    asins.flatMap((asin, at) => listed(asin, at + 1, (at + 1) * 2)),
  )
  const same = asins.slice(30).flatMap((asin, at) => listed(asin, at + 31, (at + 31) * 2))
  const changed = asins.slice(0, 25).flatMap((asin, at) => listed(asin, at + 2, (at + 2) * 2))
  const [odd = ''] = asins.slice(29)
  await databases.durablePool.query('update deals set original_price = null where asin = $1', [odd])
  expect(await poll(source, [...same, ...changed, ...listed(odd, 30, 30_000)])).toMatchObject({ held: 25 })
})
