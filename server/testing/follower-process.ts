import { pino } from 'pino'
import { follow } from '../src/features/deals/following/follower.ts'
import { openDatabases } from '../src/platform/database/database.ts'
import { LiveBus } from '../src/platform/live/live-bus.ts'

// A process that follows the changes of deals and writes down what it is told. Told to hang, it says so in the middle of
// its transaction, after it has written, and goes no further until it is killed.
const { DATABASE_URL = '', HANGS = '' } = process.env
const databases = openDatabases(DATABASE_URL, () => undefined)
const bus = new LiveBus(databases, pino({ level: 'error' }))
follow({ databases, bus, log: pino({ level: 'error' }) }, 'written down', async (told, client) => {
  for (const { revision, changes } of told.revisions)
    for (const { deal_id } of changes)
      await client.query('insert into told (revision, deal_id) values ($1, $2)', [revision, deal_id])
  if (HANGS === '') return () => process.stdout.write(`committed ${told.through}\n`)
  process.stdout.write(`hangs before ${told.through}\n`)
  for (;;) await client.query('select pg_sleep(1)')
})
await bus.start()
process.stdout.write('follows\n')
