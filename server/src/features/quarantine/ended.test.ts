import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { pollSources } from '../../../testing/polls.ts'
import { makeSource, rowsOf } from '../../../testing/sources.ts'

const databases = await testDatabases()
const { poll } = pollSources(databases)
const shownOf = async (asins: string[]) =>
  (await databases.customPlanPool.query('select from deals where asin = any($1) and is_visible', [asins]))
    .rowCount

test.each<[string, object]>([
  ['says that it is over', { deal_state: 'expired' }],
  ['is past its end', { ends_at: '2026-01-02T00:00:00Z' }],
])('a document of which every row %s waits as a whole', async (_, more) => {
  const source = await makeSource(databases)
  const asins = nextAsins(25)
  await poll(source, rowsOf(asins))
  const run = await poll(
    source,
    rowsOf(asins).map((row) => ({ ...row, ...more })),
  )
  expect(run.held).toBe(25)
  expect(run.text).toContain('It ends or hides 25 of 25 deals at once.')
  expect(await shownOf(asins)).toBe(25)
})

test('deals that only another source lists are ended by no document unseen', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const [theirs, own] = [nextAsins(6), nextAsins(30)]
  await poll(one, rowsOf(theirs))
  await databases.durablePool.query(
    'insert into source_deals (source_id, asin, listed_at) select $1, unnest($2::text[]), now() on conflict do nothing',
    [one, theirs],
  )
  await poll(two, rowsOf(own))
  const ending = rowsOf(theirs).map((row) => ({ ...row, deal_state: 'expired' }))
  const run = await poll(two, [...rowsOf(own), ...ending])
  expect(run.text).toContain('It ends or hides 6 deals that only other sources list.')
  expect(await shownOf(theirs)).toBe(6)
})

test.each([
  ['expired', { deal_state: 'expired' }],
  ['without availability', { availability: '' }],
])(
  'a single deal that only another source lists waits where it comes %s, and ends where it is the source’s own too',
  async (_, more) => {
    const [one, two] = [await makeSource(databases), await makeSource(databases)]
    const [[theirs = ''], [shared = ''], own] = [nextAsins(1), nextAsins(1), nextAsins(3)]
    const list = (source: number, asins: string[]) =>
      databases.durablePool.query(
        'insert into source_deals (source_id, asin, listed_at) select $1, unnest($2::text[]), now()',
        [source, asins],
      )
    await poll(one, rowsOf([theirs, shared]))
    await list(one, [theirs, shared])
    await list(two, [shared])
    const ending = rowsOf([theirs, shared]).map((row) => ({ ...row, ...more }))
    expect(await poll(two, [...rowsOf(own), ...ending], { isWhole: false })).toMatchObject({
      ...{ held: 1, created: 3 },
    })
    expect(await poll(two, [...rowsOf(own), ...ending])).toMatchObject({ held: 1 })
    expect([await shownOf([theirs]), await shownOf([shared])]).toEqual([1, 0])
    // Once the other says so too, nothing is left to ask.
    await poll(one, ending)
    await poll(two, [...rowsOf(own), ...ending])
    const { rowCount } = await databases.customPlanPool.query('select from quarantine where asin = $1', [
      theirs,
    ])
    expect([await shownOf([theirs]), rowCount]).toEqual([0, 0])
  },
)

test('a list whose deals all have their end at the same time holds none of them at that time', async () => {
  const source = await makeSource(databases)
  const asins = nextAsins(25)
  const ending = (ends_at: Date) => rowsOf(asins).map((row) => ({ ...row, ends_at: ends_at.toISOString() }))
  const soon = new Date(Date.now() + 1_500)
  await poll(source, ending(soon))
  await expect.poll(() => Date.now()).toBeGreaterThan(soon.getTime())
  expect(await poll(source, ending(soon))).toMatchObject({ held: 0 })
})

test('a document that waits as a whole puts no deal back that has ended', async () => {
  const source = await makeSource(databases)
  const [own, ended] = [nextAsins(30), nextAsins(60)]
  await poll(source, rowsOf(own))
  const isOver = rowsOf(ended).map((row) => ({ ...row, deal_state: 'expired' }))
  for (const rows of [rowsOf(ended), isOver]) await poll(source, rows, { isWhole: false })
  expect(await shownOf(ended)).toBe(0)
  for (let count = 0; count < 3; count++) await poll(source, rowsOf(own))
  const run = await poll(source, rowsOf([...own, ...ended]))
  expect(run).toMatchObject({ updated: 0, held: 60 })
  expect(run.text).toContain('90 rows, where there were 30.')
  expect(await shownOf(ended)).toBe(0)
  // What says of them that they are over says nothing new.
  const over = rowsOf(ended).map((row) => ({ ...row, deal_state: 'expired' }))
  expect(await poll(source, [...rowsOf(own), ...over])).toMatchObject({ updated: 0, held: 0 })
})
