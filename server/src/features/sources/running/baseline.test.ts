import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsins } from '../../../../testing/factories.ts'
import { makeSource, rowsOf, runNow, testSources } from '../../../../testing/sources.ts'
import { releaseRows } from '../../quarantine/actions.ts'
import { readBaseline } from './baseline.ts'

const databases = await testDatabases()
let body: object[] = []
let meanwhile = async () => {}
const deps = testSources(databases, async (context) => {
  await meanwhile()
  await context.hand({ body, isWhole: true, listsAll: false })
  return { state: 'done' }
})
const poll = (source: number, rows: object[]) => {
  body = rows
  return runNow(deps, source)
}
const baselineOf = async (id: number) => {
  const { rows } = await databases.durablePool.query('select baseline from sources where id = $1', [id])
  return readBaseline(rows[0]?.baseline)
}

test('what somebody decides while a run is under way is not overwritten by its end', async () => {
  const source = await makeSource(databases)
  const all = nextAsins(100)
  await poll(source, rowsOf(all))
  await poll(
    source,
    rowsOf(all.slice(0, 40), () => 15),
  )
  meanwhile = async () => {
    const { rows } = await databases.durablePool.query<{ id: number }>(
      `select id from quarantine where source_id = $1 and state = 'held'`,
      [source],
    )
    const { MARKETPLACE: marketplace } = deps.settings
    const actor = { id: 1, username: 'somebody' }
    const quarantine = { databases, clock: deps.clock, marketplace }
    await releaseRows(quarantine, { ids: rows.map(({ id }) => id), trust: false }, actor)
    expect(await baselineOf(source)).toMatchObject({ sizes: [100, 40] })
  }
  await poll(
    source,
    rowsOf(all.slice(0, 90), (at) => (at < 40 ? 15 : 20)),
  )
  meanwhile = async () => {}
  expect(await baselineOf(source)).toMatchObject({ sizes: [100, 40, 90], shrunken: null })
})

test('a size that was counted before other rules were trusted is no measure', async () => {
  const source = await makeSource(databases)
  meanwhile = async () => {
    await databases.durablePool.query(
      `update sources set trusted_rules = '{currency}', baseline = baseline - '{sizes,shrunken}'::text[] where id = $1`,
      [source],
    )
  }
  await poll(source, rowsOf(nextAsins(30)))
  meanwhile = async () => {}
  expect(await baselineOf(source)).toMatchObject({ sizes: [], is_doubtful: false })
  for (let count = 0; count < 12; count++) await poll(source, rowsOf(nextAsins(30 + count)))
  expect((await baselineOf(source)).sizes).toEqual(Array.from({ length: 10 }, (_, at) => 32 + at))
})

test('what another version has written of one thing costs nothing of the rest', () => {
  expect(readBaseline(null)).toMatchObject({ sizes: [], shrunken: null, lists_all: false })
  expect(readBaseline('nonsense')).toEqual(readBaseline(null))
  const old = { sizes: [5, 6], shrunken: { items: 3, polls: 2 }, lists_all: 'yes', all_held: 'All 3 were.' }
  expect(readBaseline(old)).toMatchObject({
    ...{ sizes: [5, 6], shrunken: { items: 3, most: 3, polls: 2 } },
    ...{ lists_all: false, all_held: 'All 3 were.' },
  })
})
