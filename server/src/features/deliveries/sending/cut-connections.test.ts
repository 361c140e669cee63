import { pino } from 'pino'
import { expect, test } from 'vitest'
import { whenDone } from '../../../../testing/cleanup.ts'
import { testDatabases } from '../../../../testing/database.ts'
import {
  makeDestination,
  queueMatch,
  readDelivery,
  startOutbox,
  testOutbox,
} from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'
import { openDatabases } from '../../../platform/database/database.ts'

const databases = await testDatabases()
/** Fifteen seconds of silence and a look, a few times for one message, on a machine that may be busy. */
const takenOver = { timeout: 150_000, interval: 100 }
const twice = 'It may be there twice: nobody knows whether the first one arrived.'

/** An outbox with connections of its own; `cutWaiting` ends the ones that wait for a lock and returns which. `warned` has its log. */
function startSending() {
  const own = openDatabases(databases.url, () => undefined)
  whenDone(() => own.close())
  const warned: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => warned.push(line) })
  startOutbox(testOutbox(own, { log }))
  const cutWaiting = async () => {
    const { rows } = await databases.durablePool.query<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.map(({ pid }) => pid)
  }
  return { cutWaiting, warned }
}

test.each([
  [1, 'written down over another one', { doubts: 0, reason: '' }],
  [4, 'sent once more, and the log says that it may be there twice', { doubts: 1, reason: twice }],
])(
  'an answer whose connection is cut %i times while it is written down is %s',
  {
    timeout: 180_000,
  },
  async (cuts, _, expected) => {
    const locks = await databases.patientPool.connect()
    whenDone(async () => locks.release())
    const receiver = await startReceiver(async (_, count) => {
      if (count === 1) {
        await locks.query('begin')
        await locks.query('select from deliveries where id = $1 for update', [first.id])
      }
      return { status: 200, body: { id: `m${count}` } }
    })
    const destination = await makeDestination(databases, receiver.origin)
    const first = await queueMatch(databases, destination)
    const second = await queueMatch(databases, destination)
    const { cutWaiting, warned } = startSending()
    // On a busy machine one that was ended is still listed a while: each counts once.
    const cut = new Set<number>()
    await expect
      .poll(async () => {
        for (const pid of await cutWaiting()) cut.add(pid)
        return cut.size
      }, takenOver)
      .toBe(cuts)
    await locks.query('rollback')
    await expect.poll(() => readDelivery(databases, second.id), takenOver).toMatchObject({ state: 'sent' })
    expect(await readDelivery(databases, first.id)).toMatchObject({ state: 'sent', ...expected })
    const { uid } = await readDelivery(databases, first.id)
    const isFirst = receiver.received.map(({ body }) => body.uid === uid)
    expect(isFirst).toEqual(expected.doubts > 0 ? [true, true, false] : [true, false])
    expect(warned.filter((line) => line.includes('A message is sent once more'))).toHaveLength(
      expected.doubts,
    )
  },
)
