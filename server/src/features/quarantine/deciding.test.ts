import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsin } from '../../../testing/factories.ts'
import { kindThat, makeSource, rowsOf, runNow, testBox, testSources } from '../../../testing/sources.ts'
import type { RunContext, SourceDocument } from '../sources/kinds/source-kind.ts'
import { hideStaleDeals } from '../sources/running/listing.ts'

let document: SourceDocument = { body: [], isWhole: true, listsAll: false }
const hand = async (context: RunContext) => {
  await context.hand(document)
  return { state: 'done' as const }
}
const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [kindThat(hand)], secrets: testBox },
})
const { headers } = await signIn('admin')
const lasting = testSources(databases, hand)
const retention = {
  ...{ history: false, hiddenAfterHours: 24, refreshAfterHours: 1 },
  ...{ asOf: 'as of {time}', disclaimer: '' },
}
const fleeting = testSources(databases, hand, { kinds: [kindThat(hand, retention)] })
const items = (count: number) => Array.from({ length: count }, nextAsin)

/** What became of a list that a source had at this time. */
async function poll(source: number, rows: object[], deps = lasting) {
  document = { body: rows, isWhole: true, listsAll: false }
  return runNow(deps, source)
}
const priced = (asin: string, price: number, more: object = {}) =>
  rowsOf([asin], () => price).map((row) => ({ ...row, ...more }))
const waiting = async (source: number): Promise<{ id: number; new: { price: number } }[]> =>
  (await app.inject({ url: `/api/quarantine?source=${source}&limit=200`, headers })).json().items
const decide = async (what: 'release' | 'refuse', rows: { id: number }[], more: object = {}) => {
  const payload = { ids: rows.map(({ id }) => id), ...more }
  return (await app.inject({ method: 'POST', url: `/api/quarantine/${what}`, headers, payload })).json()
}
const query = async (sql: string, values: unknown[] = []) =>
  (await databases.durablePool.query(sql, values)).rows
const priceOf = async (asin: string) =>
  (await query('select price from deals where asin = $1', [asin]))[0]?.price

test('nobody lets through, or trusts, what they were not shown', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = items(1)
  await poll(source, priced(asin, 100))
  await poll(source, priced(asin, 4))
  const shown = await waiting(source)
  // Seen again as it was, it is what was shown.
  await poll(source, priced(asin, 4))
  expect((await waiting(source)).map(({ id }) => id)).toEqual(shown.map(({ id }) => id))
  await poll(source, priced(asin, 0.02))
  expect(await decide('release', shown, { trust: true })).toMatchObject({ decided: 0, gone: 1 })
  expect(await decide('refuse', shown)).toMatchObject({ decided: 0, gone: 1 })
  expect([await priceOf(asin), (await waiting(source)).map(({ new: { price } }) => price)]).toEqual([
    100,
    [0.02],
  ])
  expect(await query('select trusted_rules from sources where id = $1', [source])).toEqual([
    { trusted_rules: [] },
  ])
  // What isn't compared side by side is let through too.
  const newest = await waiting(source)
  await poll(source, priced(asin, 0.02, { image_url: 'https://m.media-amazon.com/images/I/41abc.jpg' }))
  expect(await decide('release', newest)).toMatchObject({ decided: 0, gone: 1 })
})
