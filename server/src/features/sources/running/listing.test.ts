import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsins } from '../../../../testing/factories.ts'
import { makeSource, rowsOf, runNow, testSources } from '../../../../testing/sources.ts'
import { changeSource } from '../actions.ts'
import type { RunOutcome } from '../kinds/source-kind.ts'

const databases = await testDatabases()
let rows: object[] = []
let outcome: RunOutcome = { state: 'done' }
const deps = testSources(databases, async (context) => {
  await context.hand({ body: rows, isWhole: true, listsAll: true })
  return outcome
})

/** How many deals ended with a list of these. */
async function poll(source: number, listed: readonly string[], more: object[] = []) {
  rows = [...rowsOf(listed), ...more]
  return (await runNow(deps, source)).ended
}
const lastRun = async (source: number) =>
  databases.db
    .selectFrom('source_runs')
    .select('id')
    .where('source_id', '=', source)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
const isVisible = async (asin: string) =>
  (await databases.customPlanPool.query('select is_visible from deals where asin = $1', [asin])).rows[0]
    ?.is_visible

test('a deal that is left out twice in a row ends, and comes back once it is listed again', async () => {
  const source = await makeSource(databases)
  const [first = '', ...others] = nextAsins(5)
  expect(await poll(source, [first, ...others])).toBe(0)
  expect(await poll(source, others)).toBe(0)
  // Listed again in between it was not twice in a row.
  expect(await poll(source, [first, ...others])).toBe(0)
  expect(await poll(source, others)).toBe(0)
  expect(await isVisible(first)).toBe(true)
  expect(await poll(source, others)).toBe(1)
  expect(await isVisible(first)).toBe(false)
  const { rows: points } = await databases.customPlanPool.query(
    'select p.price from price_points p join deals d on d.id = p.deal_id where asin = $1 order by seen_at',
    [first],
  )
  expect(points).toEqual([{ price: 20 }, { price: null }])
  expect(await poll(source, others)).toBe(0)
  await poll(source, [first, ...others])
  expect(await isVisible(first)).toBe(true)
})

test('a list that stays as it is leaves out what it left out', async () => {
  const source = await makeSource(databases)
  const [first = '', ...others] = nextAsins(5)
  await poll(source, [first, ...others])
  await poll(source, others)
  const unchanged = testSources(databases, async () => ({ state: 'unchanged' }))
  // Asked within the hour, it is the same publication, which may be a mistake.
  for (let count = 0; count < 3; count++) expect((await runNow(unchanged, source)).ended).toBe(0)
  await databases.durablePool.query(
    `update sources set baseline = baseline || jsonb_build_object('counted_at', now() - interval '61 minutes') where id = $1`,
    [source],
  )
  expect((await runNow(unchanged, source)).ended).toBe(1)
  expect((await runNow(unchanged, source)).ended).toBe(0)
  expect([await isVisible(first), await isVisible(others[0] ?? '')]).toEqual([false, true])
})

test('a poll that was broken off after it was counted, and is done again, counts once', async () => {
  const source = await makeSource(databases)
  const [first = '', ...others] = nextAsins(5)
  await poll(source, [first, ...others])
  const { id } = await poll(source, others).then(() => lastRun(source))
  // As if its process had been killed before it wrote how it ended.
  await databases.durablePool.query(`update source_runs set state = 'running' where id = $1`, [id])
  await databases.durablePool.query(
    `update sources set running_id = $2, running_at = now() - interval '1 minute' where id = $1`,
    [source, id],
  )
  expect(await poll(source, others)).toBe(0)
  expect(await isVisible(first)).toBe(true)
  expect(await poll(source, others)).toBe(1)
})

test('what is kept for another source is left as it is by further polls', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const [shared = '', ...others] = nextAsins(5)
  for (const source of [one, two]) await poll(source, [shared, ...others])
  const versions: { missed: number; version: string }[] = []
  for (let count = 0; count < 4; count++) {
    await poll(one, others)
    const { rows } = await databases.customPlanPool.query(
      'select missed, xmin::text as version from source_deals where source_id = $1 and asin = $2',
      [one, shared],
    )
    versions.push(rows[0])
  }
  expect(versions.map(({ missed }) => missed)).toEqual([1, 2, 2, 2])
  expect(versions[3]?.version).toBe(versions[1]?.version)
})

test('lists that are empty, failed, short or held end nothing, and are not counted', async () => {
  const source = await makeSource(databases)
  const all = nextAsins(30)
  const [first = ''] = all
  const most = all.slice(1)
  await poll(source, all)
  await poll(source, most)
  expect(await poll(source, [])).toBe(0)
  // Less than half: it waits as a whole, where it says something new.
  expect(await poll(source, all.slice(20))).toBe(0)
  outcome = { state: 'failed', text: 'Broken off.' }
  expect(await poll(source, most)).toBe(0)
  outcome = { state: 'done' }
  // A row that names nothing may be any of them.
  expect(await poll(source, most, [{ asin: 'unreadable', title: 'Lantern', price: 5 }])).toBe(0)
  expect(await isVisible(first)).toBe(true)
  expect(await poll(source, most)).toBe(1)
})

test('a row that is refused, or waits, is listed all the same', async () => {
  const source = await makeSource(databases)
  const [free = '', odd = '', ...others] = nextAsins(30)
  await poll(source, [free, odd, ...others])
  const more = [
    { ...rowsOf([free])[0], price: 'none' },
    { ...rowsOf([odd])[0], price: 0.1 },
  ]
  for (let count = 0; count < 3; count++) expect(await poll(source, others, more)).toBe(0)
  expect([await isVisible(free), await isVisible(odd)]).toEqual([true, true])
})

test('what another source lists goes on, until that leaves it out as well', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const [shared = '', ...others] = nextAsins(5)
  await poll(one, [shared, ...others])
  await poll(two, [shared, ...others])
  for (let count = 0; count < 3; count++) expect(await poll(one, others)).toBe(0)
  expect(await poll(two, others)).toBe(0)
  expect(await poll(two, others)).toBe(1)
  expect(await isVisible(shared)).toBe(false)
})

test('what only a source lists that has not answered for long, or is paused, ends', async () => {
  for (const change of [`last_success_at = now() - interval '200 days'`, 'is_paused = true']) {
    const [one, two] = [await makeSource(databases), await makeSource(databases)]
    const [shared = '', ...others] = nextAsins(5)
    for (const source of [one, two]) await poll(source, [shared, ...others])
    for (let count = 0; count < 2; count++) await poll(one, others)
    // An answer that says nothing new is one.
    await databases.durablePool.query(
      `update source_deals set listed_at = now() - interval '200 days' where source_id = $1`,
      [two],
    )
    expect(await poll(one, others)).toBe(0)
    await databases.durablePool.query(`update sources set ${change} where id = $1`, [two])
    expect(await poll(one, others)).toBe(1)
  }
})

test('what was seen elsewhere after the poll began stays', async () => {
  const source = await makeSource(databases)
  const [first = '', ...others] = nextAsins(5)
  await poll(source, [first, ...others])
  await poll(source, others)
  await databases.durablePool.query(
    `update deals set observed_at = now() + interval '1 minute' where asin = $1`,
    [first],
  )
  expect(await poll(source, others)).toBe(0)
  expect(await isVisible(first)).toBe(true)
})

test('what a clock that was ahead saw ends once that time has come', async () => {
  const source = await makeSource(databases)
  const [first = '', ...others] = nextAsins(5)
  await poll(source, [first, ...others])
  const seen = (minutes: number) =>
    databases.durablePool.query(
      `update deals set observed_at = now() + $2 * interval '1 minute' where asin = $1`,
      [first, minutes],
    )
  await seen(60)
  for (let count = 0; count < 3; count++) expect(await poll(source, others)).toBe(0)
  await seen(-1)
  expect(await poll(source, others)).toBe(1)
})

test('with other settings a source has left out nothing, whatever it listed before', async () => {
  const somebody = { id: 1, username: 'somebody' }
  const unchanged = testSources(databases, async () => ({ state: 'unchanged' }))
  const source = await makeSource(databases)
  const [first = '', ...others] = nextAsins(60)
  await poll(source, [first, ...others])
  await poll(source, others)
  await changeSource(deps, source, { settings: { url: 'https://deals.example/other' } }, somebody)
  const [other = ''] = nextAsins(1)
  expect([await poll(source, [other]), await poll(source, [other])]).toEqual([0, 0])
  expect((await runNow(unchanged, source)).ended).toBe(0)
  expect([await isVisible(first), await isVisible(others[0] ?? '')]).toEqual([true, true])
})

test('a list that no longer lists everything leaves nothing out', async () => {
  let listsAll = true
  const some = testSources(databases, async (context) => {
    if (rows.length === 0) return { state: 'unchanged' }
    await context.hand({ body: rows, isWhole: true, listsAll })
    return { state: 'done' }
  })
  const source = await makeSource(databases)
  const [first = '', ...others] = nextAsins(5)
  for (const listed of [[first, ...others], others]) {
    rows = rowsOf(listed)
    await runNow(some, source)
  }
  listsAll = false
  await runNow(some, source)
  rows = []
  expect((await runNow(some, source)).ended).toBe(0)
  expect(await isVisible(first)).toBe(true)
})

test('a list that stays as it is leaves nothing out where it gave reason to doubt it', async () => {
  const unchanged = testSources(databases, async () => ({ state: 'unchanged' }))
  const source = await makeSource(databases)
  const [first = '', ...others] = nextAsins(5)
  await poll(source, [first, ...others])
  await poll(source, others)
  await poll(source, others, [{ asin: 'unreadable', title: 'Lantern', price: 5 }])
  await databases.durablePool.query(`update sources set baseline = baseline - 'counted_at' where id = $1`, [
    source,
  ])
  expect((await runNow(unchanged, source)).ended).toBe(0)
  expect(await isVisible(first)).toBe(true)
})
