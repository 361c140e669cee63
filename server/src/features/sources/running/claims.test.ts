import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeSource, testSources } from '../../../../testing/sources.ts'
import { readSource } from '../queries.ts'
import { endLeftBehind } from './claims.ts'

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
  expect(last_run).toMatchObject({ finished_at: expect.any(String), text: expect.stringContaining('Broken off') })
})
