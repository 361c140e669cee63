import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { pollSources } from '../../../testing/polls.ts'
import { makeSource, rowsOf } from '../../../testing/sources.ts'

const databases = await testDatabases()
const { poll } = pollSources(databases, { listsAll: true })

test('a list that has shrunk says so, and is how it is now after three polls about as long', async () => {
  const source = await makeSource(databases)
  const all = rowsOf(nextAsins(60))
  const short = all.slice(0, 25)
  await poll(source, all)
  const first = await poll(source, short)
  expect(first).toMatchObject({ held: 0, ended: 0 })
  expect(first.text).toBe(
    '25 rows, where there were 60. No row of it waits, and nothing ends for it. 3 polls in a row with about as many rows are taken for how it is now.',
  )
  // Another size begins anew, and one between counts for nothing.
  for (const rows of [all.slice(0, 15), short, all.slice(0, 23)])
    expect(await poll(source, rows)).toMatchObject({
      ended: 0,
      text: expect.stringContaining('where there were 60'),
    })
  const priced = rowsOf(
    short.map(({ asin }) => asin),
    () => 19,
  ).slice(0, 5)
  expect(await poll(source, [...priced, ...short.slice(5)])).toMatchObject({
    text: null,
    held: 0,
    updated: 5,
  })
  // From then on it is a good list as any other, which ends what it leaves out twice.
  expect(await poll(source, short)).toMatchObject({ ended: 0, text: null })
  expect(await poll(source, short)).toMatchObject({ ended: 35, text: null })
})

test('many prices at once wait however often a short list says them', async () => {
  const source = await makeSource(databases)
  const all = nextAsins(60)
  await poll(source, rowsOf(all))
  const changed = rowsOf(all.slice(0, 25), () => 19)
  for (let count = 0; count < 4; count++)
    expect(await poll(source, changed)).toMatchObject({ held: 25, updated: 0 })
})

test('many prices at once are doubted of a new source too, but not after days without a poll, nor where that is trusted', async () => {
  const all = nextAsins(30)
  const list = { listsAll: false }
  const source = await makeSource(databases)
  await poll(source, rowsOf(all), list)
  const fresh = await makeSource(databases)
  const dearer = (price: number) => rowsOf(all, () => price)
  expect(await poll(fresh, dearer(15), list)).toMatchObject({ held: 30, updated: 0 })
  const trusting = await makeSource(databases, { trusted_rules: ['prices_changed'] })
  expect(await poll(trusting, dearer(16), list)).toMatchObject({ held: 0, updated: 30 })
  // Polls that said the same meanwhile are no document.
  const silent = async (days: number) =>
    databases.durablePool.query(
      `update sources set baseline = baseline || jsonb_build_object('read_at', now() - $2 * interval '1 day'), last_success_at = now() where id = $1`,
      [source, days],
    )
  await silent(2.9)
  expect(await poll(source, dearer(17), list)).toMatchObject({ held: 30, updated: 0 })
  await silent(3.1)
  expect(await poll(source, dearer(17), list)).toMatchObject({ held: 0, updated: 30 })
  // From then on it is counted anew.
  expect(await poll(source, dearer(18), list)).toMatchObject({ held: 30, updated: 0 })
})

test('of a trusted rule the next one still holds a document', async () => {
  const source = await makeSource(databases, { trusted_rules: ['shrunk'] })
  const all = nextAsins(60)
  await poll(source, rowsOf(all))
  expect(await poll(source, rowsOf(all.slice(0, 25)))).toMatchObject({ held: 0, text: null })
  const run = await poll(
    source,
    rowsOf(all.slice(0, 25), () => 15),
  )
  expect(run).toMatchObject({ held: 25, text: expect.stringContaining('The prices of 25 of 25') })
})
