import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { makeSource, rowsOf, runNow, testSources } from '../../../testing/sources.ts'
import { systemClock } from '../../platform/clock.ts'
import { changeSource } from '../sources/actions.ts'
import { releaseRows } from './actions.ts'

let body: object[] = []
let meanwhile = async () => {}
const databases = await testDatabases()
const deps = testSources(databases, async ({ hand }) => {
  await meanwhile()
  await hand({ body, isWhole: true, listsAll: false })
  return { state: 'done' }
})
async function poll(source: number, rows: object[]) {
  body = rows
  return runNow(deps, source)
}
const priced = (asin: string, price: number, more: object = {}) =>
  rowsOf([asin], () => price).map((row) => ({ ...row, ...more }))
const query = async (sql: string, values: unknown[] = []) =>
  (await databases.durablePool.query(sql, values)).rows
async function letThrough(source: number): Promise<void> {
  const marketplace = marketplaceByDomain('amazon.com')
  if (!marketplace) throw new Error('There is no such marketplace')
  const rows = await query(`select id from quarantine where source_id = $1 and state = 'held'`, [source])
  const ids = rows.map(({ id }) => id)
  await releaseRows(
    { databases, marketplace, clock: systemClock },
    { ids, trust: false },
    { id: 1, username: 'somebody' },
  )
}

test('two sources in two languages hold nothing of each other, and each its own, also where both say it from now on', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const [asin = ''] = nextAsins(1)
  const inEnglish = { title: 'Stainless steel water bottle, insulated' }
  const inGerman = { title: 'Edelstahl Trinkflasche doppelwandig isoliert' }
  const another = { title: 'Garden hose with brass nozzle' }
  let price = 30
  const says = (source: number, more: object) => poll(source, priced(asin, price--, more))
  const titleOf = async () => (await query('select title from deals where asin = $1', [asin]))[0]
  for (const [source, title] of [
    [one, inEnglish],
    [two, inGerman],
  ] as const)
    expect(await says(source, title)).toMatchObject({ held: 0, rejected: 0 })
  // What the first one says is another thing, and so is what the other says.
  expect(await says(one, another)).toMatchObject({ held: 1 })
  expect(await says(two, another)).toMatchObject({ held: 1 })
  expect(await titleOf()).toEqual(inGerman)
  for (const [source, title] of [
    [one, inEnglish],
    [two, inGerman],
    [one, { title: 'Insulated water bottle' }],
  ] as const)
    expect(await says(source, title)).toMatchObject({ held: 0 })
  // Let through it is what that source says, whatever the other one goes on to say.
  expect(await says(two, inEnglish)).toMatchObject({ held: 1 })
  await letThrough(two)
  expect(await titleOf()).toEqual(inEnglish)
  expect(await says(two, inEnglish)).toMatchObject({ held: 0 })
  expect(await says(one, another)).toMatchObject({ held: 1 })
})

test('a source that another list shares a deal with is held to its own title', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const [asin = ''] = nextAsins(1)
  await query(`insert into source_deals (source_id, asin, listed_at) values ($1, $2, now())`, [two, asin])
  const say = (title: string) => poll(one, priced(asin, 20, { title }))
  await say('Stainless steel water bottle')
  expect(await say('Edelstahl Trinkflasche isoliert')).toMatchObject({ held: 0 })
  expect(await say('Garden hose with brass nozzle')).toMatchObject({ held: 1 })
})

test('a price that creeps away by halves waits before it is a ninth of the first one, while no typical price is known', async () => {
  const source = await makeSource(databases)
  const [low = '', high = ''] = nextAsins(2)
  for (const [down, up] of [
    [100, 1],
    [50, 2],
    [25, 4],
    [12, 8],
  ] as const)
    expect(await poll(source, [...priced(low, down), ...priced(high, up)])).toMatchObject({ held: 0 })
  await query('delete from price_verdicts')
  const run = await poll(source, [...priced(low, 6), ...priced(high, 16)])
  expect(run).toMatchObject({ held: 2 })
  const reasons = await query('select reason from quarantine where source_id = $1 order by id', [source])
  expect(reasons.map(({ reason }) => reason).sort()).toEqual([
    '$16.00 is more than 9 times the first price seen, $1.00.',
    '$6.00 is less than a ninth of the first price seen, $100.00.',
  ])
})

test('a first price that is marked as wrong holds none of the right ones', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(source, priced(asin, 3))
  await query(
    'update price_points set is_wrong = true where deal_id = (select id from deals where asin = $1)',
    [asin],
  )
  await query('delete from price_verdicts')
  for (const price of [20, 28]) expect(await poll(source, priced(asin, price))).toMatchObject({ held: 0 })
})

test('a price that was let through lets none come to nothing by halves, of whichever source', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const [asin = ''] = nextAsins(1)
  await poll(one, priced(asin, 100))
  await poll(one, priced(asin, 9))
  await letThrough(one)
  expect(await poll(two, priced(asin, 4.6))).toMatchObject({ held: 0, updated: 1 })
  expect(await poll(two, priced(asin, 2.4))).toMatchObject({ held: 1, updated: 0 })
  expect(await poll(one, priced(asin, 2.4))).toMatchObject({ held: 1, updated: 0 })
  expect(await poll(one, priced(asin, 8))).toMatchObject({ held: 0, updated: 1 })
  // With a document that waited as a whole, too.
  const [three, whole] = [await makeSource(databases), nextAsins(40)]
  await poll(
    three,
    rowsOf(whole, () => 100),
  )
  await poll(
    three,
    rowsOf(whole, (at) => (at < 20 ? 9 : 100)),
  )
  expect(
    await query(`select distinct rule from quarantine where source_id = $1 and state = 'held'`, [three]),
  ).toEqual([{ rule: 'prices_changed' }])
  await letThrough(three)
  const half = (price: number) => [
    ...priced(whole[0] ?? '', price),
    ...rowsOf(whole.slice(1), (at) => (at < 19 ? 9 : 100)),
  ]
  expect(await poll(three, half(4.6))).toMatchObject({ held: 0, updated: 1 })
  expect(await poll(three, half(2.4))).toMatchObject({ held: 1, updated: 0 })
})

test('a source that is renamed, however often, is held to its own title', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  const called = (title: string) => priced(asin, 20, { title })
  const rename = (name: string) => changeSource(deps, source, { name }, { id: 1, username: 'somebody' })
  await poll(source, called('Stainless steel water bottle'))
  for (const name of ['A water shop', 'Another name', 'A water shop'] as const) {
    await rename(name)
    expect(await poll(source, called('Garden hose with brass nozzle'))).toMatchObject({ held: 1 })
  }
  // Also where it is renamed while it says its first price of a thing.
  const [other = ''] = nextAsins(1)
  meanwhile = async () => {
    await rename('Renamed in the middle')
  }
  await poll(source, priced(other, 20, { title: 'Stainless steel water bottle' }))
  meanwhile = async () => {}
  expect(await poll(source, priced(other, 20, { title: 'Garden hose with brass nozzle' }))).toMatchObject({
    held: 1,
  })
})
