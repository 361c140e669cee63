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
const query = async (sql: string, values: unknown[]) => (await databases.durablePool.query(sql, values)).rows
async function refuseAll(source: number) {
  const rows = await query(`select id from quarantine where source_id = $1 and state = 'held'`, [source])
  const payload = { ids: rows.map(({ id }) => id) }
  return (await app.inject({ method: 'POST', url: '/api/quarantine/refuse', headers, payload })).json()
}
const priced = (asin: string, price: number, more: object = {}) =>
  rowsOf([asin], () => price).map((row) => ({ ...row, ...more }))
const dealOf = async (asin: string) =>
  (await query('select price, title, is_visible from deals where asin = $1', [asin]))[0]

test('what was refused of a whole document stays out when a later one is no surprise', async () => {
  const source = await makeSource(databases)
  const asins = nextAsins(40)
  await poll(source, rowsOf(asins))
  const changed = rowsOf(asins, (at) => (at < 20 ? 19 : 20))
  expect(await poll(source, changed)).toMatchObject({ held: 20, updated: 0 })
  expect(await refuseAll(source)).toMatchObject({ decided: 20 })
  // Of one no rule would hold anything by now, nor of all of them: somebody has decided.
  const later = changed.slice(1)
  expect(await poll(source, later)).toMatchObject({ refused_before: 19, updated: 0, held: 0, text: null })
  expect(await poll(source, [...changed, ...rowsOf(nextAsins(1))])).toMatchObject({
    ...{ refused_before: 20, updated: 0, created: 1, held: 0, text: null },
  })
  const [first = ''] = asins
  expect(await dealOf(first)).toMatchObject({ price: 20 })
  // At another price it is another thing to say.
  expect(await poll(source, [...priced(first, 18), ...rowsOf(asins.slice(1))])).toMatchObject({
    ...{ refused_before: 0, updated: 1 },
  })
  // Nobody has refused what another source says.
  expect(await poll(await makeSource(databases), priced(first, 19))).toMatchObject({ updated: 1 })
})

test('who trusts a source for a rule wants what was refused for it', async () => {
  const source = await makeSource(databases)
  const asins = nextAsins(40)
  await poll(source, rowsOf(asins))
  const changed = rowsOf(asins, (at) => (at < 20 ? 19 : 20))
  await poll(source, changed)
  await refuseAll(source)
  await query(`update sources set trusted_rules = '{prices_changed}' where id = $1`, [source])
  expect(await poll(source, changed)).toMatchObject({ refused_before: 0, updated: 20 })
})

test('a title that was refused leaves the right one at the same price in', async () => {
  const source = await makeSource(databases)
  const asin = nextAsin()
  await poll(source, priced(asin, 20))
  const wrong = { title: 'Garden hose with brass nozzle' }
  expect(await poll(source, priced(asin, 15, wrong))).toMatchObject({ held: 1 })
  await refuseAll(source)
  expect(await poll(source, priced(asin, 15, wrong))).toMatchObject({ refused_before: 1, updated: 0 })
  expect(await poll(source, priced(asin, 15))).toMatchObject({ refused_before: 0, updated: 1 })
})

test.each([
  ['over', { deal_state: 'expired' }],
  ['past its end', { ends_at: '2026-01-02T00:00:00Z' }],
  ['without availability', { availability: '' }],
])('an end that was refused, %s, leaves the same price in where it goes on', async (_, ending) => {
  const source = await makeSource(databases)
  const asins = nextAsins(25)
  const [first = ''] = asins
  await poll(source, rowsOf(asins))
  const ended = rowsOf(asins, () => 19).map((row) => ({ ...row, ...ending }))
  expect(await poll(source, ended)).toMatchObject({ held: 25 })
  await refuseAll(source)
  expect(await poll(source, ended)).toMatchObject({ refused_before: 25, held: 0, updated: 0 })
  expect(await dealOf(first)).toMatchObject({ price: 20, is_visible: true })
  const goingOn = [...priced(first, 19), ...rowsOf(asins.slice(1))]
  expect(await poll(source, goingOn)).toMatchObject({ refused_before: 0, updated: 1 })
  expect(await dealOf(first)).toMatchObject({ price: 19, is_visible: true })
})
