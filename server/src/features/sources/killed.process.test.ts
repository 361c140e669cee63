import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { DealdeckProcess } from '../../../testing/dealdeck-process.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { makeSource } from '../../../testing/sources.ts'
import { startWebServer } from '../../../testing/web-server.ts'

const pages = Array.from({ length: 3 }, () => nextAsins(20))
/** Fifteen seconds of silence and two beats, on a machine that may be busy. */
const takenOver = { timeout: 60_000, interval: 250 }

test('a source whose process is killed in the middle is taken up where it was, and no row is lost or there twice', {
  timeout: 120_000,
}, async () => {
  const databases = await testDatabases()
  let holds = true
  const server = await startWebServer((request, response) => {
    const page = Number(request.url?.slice(1))
    // The second page keeps whoever asks first waiting until it is killed.
    if (page === 2 && holds) return
    response.end(JSON.stringify({ items: pages[page - 1], next: (page + 1) % 4 }))
  })
  const start = () => {
    const runner = new DealdeckProcess('../testing/source-process.ts', [], {
      ...{ DATABASE_URL: databases.url, PAGES: server.origin },
    })
    onTestFinished(async () => {
      runner.kill('SIGKILL')
      await runner.ended()
    })
    return runner
  }
  const id = await makeSource(databases)
  const asked = () => server.asked.map(({ url }) => url)
  const killed = start()
  await expect.poll(asked, takenOver).toEqual(['/1', '/2'])
  // Of four, one goes on.
  const others = [start(), start(), start()]
  await Promise.all(others.map((runner) => runner.says(/runs/)))
  holds = false
  killed.kill('SIGKILL')
  await killed.ended()
  const runs = async () =>
    (
      await databases.customPlanPool.query(
        'select state, received, created from source_runs where source_id = $1 order by id',
        [id],
      )
    ).rows
  await expect.poll(runs, takenOver).toEqual([
    { state: 'failed', received: 20, created: 20 },
    { state: 'done', received: 40, created: 40 },
  ])
  expect(asked()).toEqual(['/1', '/2', '/2', '/3'])
  const { rows } = await databases.customPlanPool.query(
    `select (select count(*) from deals) as deals, (select count(*) from price_points) as points,
       (select failures from sources) as failures, (select state from sources) as state`,
  )
  expect(rows).toEqual([{ deals: 60, points: 60, failures: 0, state: 'ok' }])
})
