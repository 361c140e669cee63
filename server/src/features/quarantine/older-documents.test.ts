import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { pollSources } from '../../../testing/polls.ts'
import { makeSource, rowsOf } from '../../../testing/sources.ts'

const databases = await testDatabases()
const { poll } = pollSources(databases)
const dated = (asins: string[], at: number, more: object = {}) =>
  rowsOf(asins).map((row) => ({ ...row, observed_at: new Date(at).toISOString(), ...more }))

test('a feed of old entries is no surprise beside a source that has said newer prices', async () => {
  const [feed, list] = [await makeSource(databases), await makeSource(databases)]
  const asins = nextAsins(45)
  const longAgo = Date.now() - 86_400_000
  await poll(feed, dated(asins, longAgo))
  const changed = asins.slice(0, 25)
  // Few at a time, so that they are none either.
  for (let from = 0; from < 25; from += 5)
    await poll(
      list,
      rowsOf(changed.slice(from, from + 5), () => 21),
    )
  const [next = ''] = nextAsins(1)
  expect(await poll(feed, dated([...asins, next], longAgo))).toMatchObject({
    ...{ held: 0, text: null, created: 1, updated: 0 },
  })
  // Newer entries are, as ever.
  expect(await poll(feed, dated(asins, Date.now()))).toMatchObject({ held: 25 })
  // Of a document that waits as a whole, what changes nothing now doesn't wait.
  const rest = asins.slice(25)
  const both = [...dated(changed, longAgo), ...dated(rest, Date.now(), { price: 22 })]
  expect(await poll(feed, both)).toMatchObject({ held: 20, updated: 0 })
})

test('of deals that only another source lists none is ended, however many', { timeout: 60_000 }, async () => {
  const [theirs, own] = [await makeSource(databases), await makeSource(databases)]
  const asins = nextAsins(8_300)
  await poll(theirs, rowsOf(asins))
  await databases.durablePool.query(
    'insert into source_deals (source_id, asin, listed_at) select $1, unnest($2::text[]), now()',
    [theirs, asins],
  )
  // Parts of a document are looked at row by row only.
  const over = rowsOf(asins).map((row) => ({ ...row, deal_state: 'expired' }))
  const run = await poll(own, over, { isWhole: false })
  expect(run).toMatchObject({ held: 8_300, updated: 0 })
  expect(run.text).toBe('5,000 rows went into quarantine. 3,300 rows more found no room there.')
  const { rowCount } = await databases.customPlanPool.query(
    'select from deals where asin = any($1) and is_visible',
    [asins],
  )
  expect(rowCount).toBe(8_300)
})
