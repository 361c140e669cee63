import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { kindThat, makeSource, rowsOf, runNow, testBox, testSources } from '../../../testing/sources.ts'
import type { RunContext } from '../sources/kinds/source-kind.ts'

let body: object[] = []
// A document that stays the same is imported once, until its source forgets that it was.
const hand = async (context: RunContext) => {
  if (context.position === 'read') return { state: 'unchanged' as const }
  await context.hand({ body, isWhole: true, listsAll: false })
  await context.savePosition('read')
  return { state: 'done' as const }
}
const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [kindThat(hand)], secrets: testBox },
})
const { headers } = await signIn('admin')
const deps = testSources(databases, hand)
const inEuros = (count: number) => rowsOf(nextAsins(count)).map((row) => ({ ...row, currency: 'EUR' }))
const query = async (sql: string, values: unknown[] = []) =>
  (await databases.durablePool.query(sql, values)).rows
const waiting = async (source: number): Promise<number[]> =>
  (
    await query(
      `select id from quarantine where source_id = $1 and state = 'held' and deal <> '{}' order by id`,
      [source],
    )
  ).map(({ id }) => id)
const sourceOf = async (id: number) =>
  databases.db.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const decide = async (what: 'release' | 'refuse', ids: number[]) =>
  (await app.inject({ method: 'POST', url: `/api/quarantine/${what}`, headers, payload: { ids } })).json()

test('what found no room comes once others are decided, also of a document that stays the same', async () => {
  const source = await makeSource(databases)
  body = inEuros(5)
  await query(
    `insert into quarantine (source_id, asin, rule, reason, new, deal)
     select $1, 'Y' || i, 'price_low', '', '{}', '{}' from generate_series(1, 4997) i`,
    [source],
  )
  await runNow(deps, source)
  const [first = 0, ...rest] = await waiting(source)
  expect(rest).toHaveLength(2)
  const planned = (await sourceOf(source)).next_run_at
  // While others wait it is asked as planned, but reads all of it.
  await decide('refuse', [first])
  expect(await sourceOf(source)).toMatchObject({ position: null, next_run_at: planned })
  await query(`delete from quarantine where source_id = $1 and deal = '{}'`, [source])
  await query(`update sources set position = '"read"' where id = $1`, [source])
  await decide('release', rest)
  const { position, next_run_at } = await sourceOf(source)
  expect([position, Number(next_run_at) <= Date.now()]).toEqual([null, true])
  expect(await runNow(deps, source)).toMatchObject({ held: 2, unchanged: 2, refused_before: 1 })
  // All of it is there: from now on it stays where it is.
  const asPlanned = (await sourceOf(source)).next_run_at
  await decide('release', await waiting(source))
  expect(await sourceOf(source)).toMatchObject({ position: 'read', next_run_at: asPlanned })
})

test('what found no room comes at once, also where the others were decided before the run has ended', async () => {
  const source = await makeSource(databases)
  body = inEuros(3)
  await query(
    `insert into quarantine (source_id, asin, rule, reason, new, deal)
     select $1, 'Z' || i, 'price_low', '', '{}', '{}' from generate_series(1, 4998) i`,
    [source],
  )
  const decidedMeanwhile = testSources(databases, async (context) => {
    const outcome = await hand(context)
    await query(`delete from quarantine where source_id = $1 and deal = '{}'`, [source])
    expect(await decide('refuse', await waiting(source))).toMatchObject({ decided: 2 })
    return outcome
  })
  expect(await runNow(decidedMeanwhile, source)).toMatchObject({ state: 'done', held: 3 })
  const { position, next_run_at } = await sourceOf(source)
  expect([position, Number(next_run_at) <= Date.now()]).toEqual([null, true])
  expect(await runNow(deps, source)).toMatchObject({ state: 'done', held: 1, refused_before: 2 })
  // With something that waits it is asked as planned.
  expect((await sourceOf(source)).position).toBe('read')
})

test('rows are all held no longer once the last of them is decided', async () => {
  const source = await makeSource(databases)
  body = inEuros(3)
  const text = /^All 3 rows were held/
  expect((await runNow(deps, source)).text).toMatch(text)
  const [one = 0, two = 0, three = 0] = await waiting(source)
  await decide('release', [one])
  expect(await runNow(deps, source)).toMatchObject({ state: 'unchanged', text: expect.stringMatching(text) })
  // By two at once, of whom each leaves only the other's.
  await Promise.all([decide('refuse', [two]), decide('refuse', [three])])
  expect(await runNow(deps, source)).toMatchObject({ state: 'unchanged', text: null })
})

test('rows that were decided before their run has ended are held no longer either', async () => {
  const source = await makeSource(databases)
  body = inEuros(3)
  const decidedMeanwhile = testSources(databases, async (context) => {
    const outcome = await hand(context)
    await decide('refuse', await waiting(source))
    return outcome
  })
  await runNow(decidedMeanwhile, source)
  expect(await runNow(deps, source)).toMatchObject({ state: 'unchanged', text: null })
})
