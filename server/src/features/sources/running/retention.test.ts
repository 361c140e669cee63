import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin, nextAsins } from '../../../../testing/factories.ts'
import { kindThat, makeSource, rowsOf, runNow, testSources } from '../../../../testing/sources.ts'
import { removeSource } from '../actions.ts'
import { hasStaleDeals, hideStaleDeals } from './listing.ts'

const databases = await testDatabases()
const { signal } = new AbortController()
let rows: object[] = []
const hand = async (context: Parameters<Parameters<typeof kindThat>[0]>[0]) => {
  await context.hand({ body: rows, isWhole: false, listsAll: false })
  return { state: 'done' as const }
}
const retention = { history: false, hiddenAfterHours: 24, refreshAfterHours: 1 }
const fleeting = testSources(databases, hand, { kinds: [kindThat(hand, retention)] })
const lasting = testSources(databases, hand)

const isVisible = async (asin: string) =>
  (await databases.customPlanPool.query('select is_visible from deals where asin = $1', [asin])).rows[0]
    ?.is_visible
/** As if so many hours had gone by. */
const pass = (hours: number) =>
  databases.durablePool.query(
    `with aged as (update deals set observed_at = observed_at - $1 * interval '1 hour')
     update source_deals set listed_at = listed_at - $1 * interval '1 hour', hide_at = hide_at - $1 * interval '1 hour'`,
    [hours],
  )

test('what a service says is no history, and is hidden once it is too old, unless somebody saw it since', async () => {
  const [source, other] = [await makeSource(databases), await makeSource(databases)]
  const [old = '', fresh = '', seen = ''] = nextAsins(3)
  rows = rowsOf([old, fresh, seen])
  await runNow(fleeting, source)
  expect((await databases.customPlanPool.query('select from price_points')).rowCount).toBe(0)
  await pass(20)
  rows = rowsOf([fresh])
  await runNow(fleeting, source)
  rows = rowsOf([seen])
  await runNow(lasting, other)
  expect(await hasStaleDeals(databases)).toBe(false)
  await pass(5)
  expect(await hasStaleDeals(databases)).toBe(true)
  await hideStaleDeals(databases, signal)
  expect([await isVisible(old), await isVisible(fresh), await isVisible(seen)]).toEqual([false, true, true])
  // Removing the source doesn't make its deals last.
  await removeSource(fleeting, source, { id: 1, username: 'somebody' })
  await pass(20)
  await hideStaleDeals(databases, signal)
  expect([await isVisible(fresh), await hasStaleDeals(databases)]).toEqual([false, false])
  rows = rowsOf([old])
  await runNow(lasting, other)
  expect(await isVisible(old)).toBe(true)
})

test('a price that was fetched before its deal was hidden shows it again', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = [nextAsin()]
  let meanwhile = async () => {}
  const racing = async (context: Parameters<typeof hand>[0]) => {
    const body = rowsOf([asin]).map((row) => ({ ...row, observed_at: new Date().toISOString() }))
    await meanwhile()
    await context.hand({ body, isWhole: false, listsAll: false })
    return { state: 'done' as const }
  }
  const deps = testSources(databases, racing, { kinds: [kindThat(racing, retention)] })
  await runNow(deps, source)
  await pass(25)
  meanwhile = async () => {
    await hideStaleDeals(databases, signal)
    expect(await isVisible(asin)).toBe(false)
  }
  await runNow(deps, source)
  expect(await isVisible(asin)).toBe(true)
})

test('what may be shown for a while only is asked for again in time, though nothing new comes', async () => {
  const deps = testSources(databases, hand, {
    kinds: [kindThat(async () => ({ state: 'unchanged' }), retention)],
  })
  const next = async (interval_from: number) => {
    const id = await makeSource(databases, { interval_from })
    await databases.durablePool.query(
      `update sources set interval_to = 100000, created_at = now() - interval '1 year' where id = $1`,
      [id],
    )
    await runNow(deps, id)
    const { next_run_at } = await databases.db
      .selectFrom('sources')
      .select('next_run_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return ((next_run_at?.getTime() ?? 0) - Date.now()) / 3_600_000
  }
  expect(await next(15)).toBeLessThan(1.2)
  expect(await next(100_000)).toBeLessThan(13.3)
})
