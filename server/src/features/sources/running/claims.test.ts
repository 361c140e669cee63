import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { makeSource, rowsOf, testSources } from '../../../../testing/sources.ts'
import { removeSource } from '../actions.ts'
import { readSource } from '../queries.ts'
import { ClaimLostError, claimSource, endLeftBehind } from './claims.ts'
import { rememberFresh, rememberListed } from './listing.ts'
import { runSource } from './run.ts'

const databases = await testDatabases()
const deps = testSources(databases, async () => ({ state: 'done' }))

/** A source with a run whose process was last heard of so many seconds ago. */
async function makeRunning(seconds: number, isPaused: boolean): Promise<number> {
  const id = await makeSource(databases)
  await databases.durablePool.query(
    `with run as (insert into source_runs (source_id, state) values ($1, 'running') returning id)
     update sources set running_id = run.id, running_at = now() - $2 * interval '1 second', is_paused = $3 from run where sources.id = $1`,
    [id, seconds, isPaused],
  )
  return id
}

test('a run whose process is gone is not under way, and ends where nobody takes it up', async () => {
  const [alive, gone] = [await makeRunning(5, true), await makeRunning(90, true)]
  const other = await makeRunning(90, false)
  const shown = async (id: number) => {
    const { state, last_run } = await readSource(databases.db, deps, id)
    return [state, last_run?.state]
  }
  expect(await shown(gone)).toEqual(['paused', 'running'])
  expect(await shown(other)).toEqual(['new', 'running'])
  await endLeftBehind(databases)
  expect(await shown(gone)).toEqual(['paused', 'failed'])
  // Whoever is due is taken up by the next run.
  expect(await shown(other)).toEqual(['new', 'running'])
  expect(await shown(alive)).toEqual(['running', 'running'])
  const { last_run } = await readSource(databases.db, deps, gone)
  expect(last_run).toMatchObject({
    finished_at: expect.any(String),
    text: expect.stringContaining('Broken off'),
  })
})

test('a run of a source that was removed meanwhile stores nothing more', async () => {
  const [early, late] = [nextAsin(), nextAsin()]
  const actor = { id: 1, username: 'somebody' }
  const removing = testSources(databases, async (context) => {
    await context.hand({ body: rowsOf([early]), isWhole: false, listsAll: true })
    await removeSource(deps, id, actor)
    await context.hand({ body: rowsOf([late]), isWhole: false, listsAll: false })
    return { state: 'done' }
  })
  const id = await makeSource(databases)
  expect(await runSource(removing, id, new AbortController().signal)).toBeUndefined()
  const { rows } = await databases.customPlanPool.query('select asin from deals where asin = any($1)', [
    [early, late],
  ])
  expect(rows).toEqual([{ asin: early }])
  const listed = await databases.customPlanPool.query('select from source_deals where source_id = $1', [id])
  expect(listed.rowCount).toBe(0)
})

test('a run that can not say that it goes on has lost its source after twelve seconds, and stores nothing more', {
  timeout: 60_000,
}, async () => {
  const [early, late] = [nextAsin(), nextAsin()]
  let isSilent = false
  // The database answers no more to whoever says that they are at work.
  const reservedPool = Object.assign(Object.create(databases.reservedPool), {
    query: async (...given: unknown[]) => {
      if (isSilent && String(given[0]).startsWith('update sources set running_at'))
        await new Promise(() => {})
      return Reflect.apply(databases.reservedPool.query, databases.reservedPool, given)
    },
  })
  let begun = 0
  let lost = 0
  const cut = testSources({ ...databases, reservedPool }, async ({ hand, signal }) => {
    await hand({ body: rowsOf([early]), isWhole: false, listsAll: false })
    isSilent = true
    begun = performance.now()
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    lost = performance.now()
    await hand({ body: rowsOf([late]), isWhole: false, listsAll: false })
    return { state: 'done' }
  })
  const id = await makeSource(databases)
  const run = runSource(cut, id, new AbortController().signal)
  // Nobody else has it before that.
  await expect.poll(() => begun, { timeout: 10_000 }).toBeGreaterThan(0)
  await databases.durablePool.query(
    `update sources set next_run_at = now() - interval '1 second' where id = $1`,
    [id],
  )
  expect(await claimSource(databases, id)).toBeUndefined()
  expect(await run).toBeUndefined()
  // Before anybody else could take it, after fifteen.
  expect((lost - begun) / 1_000).toBeGreaterThan(6)
  expect((lost - begun) / 1_000).toBeLessThan(15)
  const { rows } = await databases.customPlanPool.query('select asin from deals where asin = any($1)', [
    [early, late],
  ])
  expect(rows).toEqual([{ asin: early }])
  await expect.poll(() => claimSource(databases, id), { timeout: 20_000 }).toBeDefined()
})

test('what a source lists is not remembered once it is another’s', async () => {
  const id = await makeSource(databases)
  const claim = await claimSource(databases, id)
  if (!claim) throw new Error('It is another’s')
  const client = await databases.durablePool.connect()
  try {
    await client.query(`create temporary table listed as select 'B0LISTED01' as asin`)
    const staged = {
      parts: [{ client, table: 'listed', count: 1 }],
      refused: { list: [], unnamed: 0 },
      otherShops: 0,
    }
    await rememberListed(staged, claim)
    const other = { ...claim, runId: claim.runId + 1 }
    await expect(rememberListed(staged, other)).rejects.toThrow(ClaimLostError)
    await expect(rememberFresh(staged, other, 24)).rejects.toThrow(ClaimLostError)
  } finally {
    client.release(true)
  }
})

test('the newest 500 runs of a source are kept', async () => {
  const id = await makeSource(databases)
  await databases.durablePool.query(
    `insert into source_runs (source_id, state) select $1, 'done' from generate_series(1, 600)`,
    [id],
  )
  await runSource(deps, id, new AbortController().signal)
  const { rows } = await databases.customPlanPool.query(
    'select count(*) as runs, max(id) - min(id) as span from source_runs where source_id = $1',
    [id],
  )
  expect(rows).toEqual([{ runs: 500, span: 499 }])
})
