import { pino } from 'pino'
import { Outbox } from '../src/features/deliveries/sending/outbox.ts'
import { openDatabases } from '../src/platform/database/database.ts'
import { LiveBus } from '../src/platform/live/live-bus.ts'
import { testOutbox } from './outbox.ts'

// A process that sends what is due, to receivers of the test.
const { DATABASE_URL = '' } = process.env
const databases = openDatabases(DATABASE_URL, () => undefined)
const log = pino({ level: 'warn' }, process.stdout)
const bus = new LiveBus(databases, log)
const outbox = new Outbox(testOutbox(databases, { log }), bus)
await bus.start()
outbox.start()
process.stdout.write('sends\n')
process.once('SIGTERM', async () => {
  await outbox.stop()
  process.exit(0)
})
