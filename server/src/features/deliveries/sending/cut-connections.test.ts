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
/** Fifteen seconds of silence and a look, on a machine that may be busy. */
const takenOver = { timeout: 60_000, interval: 100 }
const twice = 'It may be there twice: nobody knows whether the first one arrived.'

/** An outbox with connections of its own; `cut` ends those that `which` is true of, and returns how many. `warned` has its log. */
function startSending() {
  const url = new URL(databases.url)
  url.searchParams.set('application_name', 'sender')
  const own = openDatabases(url.href, () => undefined)
  whenDone(() => own.close())
  const warned: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => warned.push(line) })
  startOutbox(testOutbox(own, { log }))
  const cut = async (which = 'true') => {
    const { rows } = await databases.durablePool.query<{ cut: number }>(
      `select count(pg_terminate_backend(pid)) as cut from pg_stat_activity
       where datname = current_database() and application_name = 'sender' and ${which}`,
    )
    return rows[0]?.cut ?? 0
  }
  return { cut, warned }
}

test('connections that are cut again and again lose no message, and double none but what the log names', {
  timeout: 120_000,
}, async () => {
  const cuts: Promise<number>[] = []
  const receiver = await startReceiver((_, count) => {
    // Some of them while it waits for this answer, some while it writes down that of another.
    if (count % 5 === 0 && cuts.length < 8) cuts.push(cut())
    return { status: 200, body: { id: `m${count}` } }
  })
  const queued: { id: number }[] = []
  for (let at = 0; at < 10; at += 1) {
    const destination = await makeDestination(databases, receiver.origin)
    for (let message = 0; message < 5; message += 1) queued.push(await queueMatch(databases, destination))
  }
  const { cut, warned } = startSending()
  const rows = () => Promise.all(queued.map(({ id }) => readDelivery(databases, id)))
  await expect
    .poll(async () => (await rows()).filter(({ state }) => state !== 'sent').length, takenOver)
    .toBe(0)
  expect((await Promise.all(cuts)).every((connections) => connections > 0)).toBe(true)
  const posts = Map.groupBy(receiver.received, ({ body }) => body.uid)
  const found = (await rows()).map(({ uid, doubts, reason }) => {
    const count = posts.get(uid)?.length ?? 0
    return { isThere: count > 0, isNamed: count <= 1 + doubts, isSaid: reason === (doubts > 0 ? twice : '') }
  })
  for (const one of found) expect(one).toEqual({ isThere: true, isNamed: true, isSaid: true })
  expect(warned).toHaveLength((await rows()).reduce((sum, { doubts }) => sum + doubts, 0))
  expect(posts.size).toBe(queued.length)
})

test('one whose answer could not be written down is sent once more, and the log says that it may be there twice', {
  timeout: 120_000,
}, async () => {
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
  const { cut, warned } = startSending()
  await expect.poll(() => cut(`wait_event_type = 'Lock'`), takenOver).toBe(1)
  await locks.query('rollback')
  await expect.poll(() => readDelivery(databases, second.id), takenOver).toMatchObject({ state: 'sent' })
  expect(await readDelivery(databases, first.id)).toMatchObject({ state: 'sent', doubts: 1, reason: twice })
  const { uid } = await readDelivery(databases, first.id)
  expect(receiver.received.map(({ body }) => body.uid === uid)).toEqual([true, true, false])
  expect(warned).toEqual([expect.stringContaining('A message is sent once more')])
})
