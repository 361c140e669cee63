import { pino } from 'pino'
import { z } from 'zod'
import { sourceRuns } from '../src/features/sources/jobs.ts'
import { keepaKind } from '../src/features/sources/kinds/keepa/keepa.ts'
import { openDatabases } from '../src/platform/database/database.ts'
import { JobRunner } from '../src/platform/jobs/job-runner.ts'
import { LiveBus } from '../src/platform/live/live-bus.ts'
import { rowsOf, testSources } from './sources.ts'

const pageSchema = z.object({ items: z.array(z.string()), next: z.number() })

// A process that asks sources when they are due. Its kind reads pages of items from a server of the test, from where the last run has ended.
// With KEEPA it asks that imitation instead.
const { DATABASE_URL = '', PAGES = '', KEEPA = '' } = process.env
const databases = openDatabases(DATABASE_URL, () => undefined)
const log = pino({ level: 'error' }, process.stderr)
const deps = testSources(databases, async ({ position, hand, savePosition, signal }) => {
  let page = typeof position === 'number' ? position : 1
  for (; page > 0; ) {
    const answer = await fetch(`${PAGES}/${page}`, { signal })
    const { items, next } = pageSchema.parse(await answer.json())
    await hand({ body: rowsOf(items), isWhole: false, listsAll: false })
    page = next
    await savePosition(page)
  }
  return { state: 'done' }
})
if (KEEPA !== '') deps.kinds = [keepaKind({ base: KEEPA })]
const bus = new LiveBus(databases, log)
await bus.start()
new JobRunner(databases, [sourceRuns(deps)], log).start()
process.stdout.write('runs\n')
