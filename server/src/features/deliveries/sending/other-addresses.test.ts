import { pino } from 'pino'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeUser } from '../../../../testing/factories.ts'
import {
  makeDestination,
  queueMatch,
  readDelivery,
  startOutbox,
  testOutbox,
} from '../../../../testing/outbox.ts'
import { type Answer, startReceiver } from '../../../../testing/receiver.ts'
import { sendDelivery } from './send-delivery.ts'

const databases = await testDatabases()
const silent = pino({ level: 'silent' })
const day = 86_400

/** A destination whose owner enters another address while the first one is asked, which answers this then. */
async function changedMeanwhile(answer: Answer, given: Parameters<typeof makeDestination>[2] = {}) {
  const next = await startReceiver()
  let destination = 0
  const old = await startReceiver(async () => {
    await databases.durablePool.query(
      `update destinations set settings = $2, state = 'ok', state_text = '', failing_since = null, resume_at = null
       where id = $1`,
      [destination, { url: next.origin }],
    )
    return answer
  })
  destination = await makeDestination(databases, old.origin, given)
  const read = () =>
    databases.db
      .selectFrom('destinations')
      .selectAll()
      .where('id', '=', destination)
      .executeTakeFirstOrThrow()
  return { destination, old, next, read }
}

const answers: [string, Answer][] = [
  ['wants a pause of a day', { status: 429, body: { seconds: day } }],
  ['fails', { status: 503 }],
  ['refuses it', { status: 400 }],
  ['breaks off', 'cut'],
  ['does not know it', { status: 404 }],
  ['is gone', { status: 410 }],
  ['has moved', { status: 308, body: { url: 'http://127.0.0.1:9' } }],
]
test.each(answers)(
  'an old address %s: nothing of that holds for the one entered meanwhile',
  async (_, said) => {
    const { destination, old, next, read } = await changedMeanwhile(said)
    const [first, second] = [
      await queueMatch(databases, destination),
      await queueMatch(databases, destination),
    ]
    startOutbox(testOutbox(databases, { log: silent }))
    await expect.poll(() => readDelivery(databases, second.id)).toMatchObject({ state: 'sent' })
    await expect.poll(() => readDelivery(databases, first.id)).toMatchObject({ state: 'sent', attempts: 1 })
    expect([old.received.length, next.received.length]).toEqual([1, 2])
    await expect.poll(read).toMatchObject({
      ...{ state: 'ok', state_text: '', is_paused: false, failing_since: null, resume_at: null },
      ...{ busy_by: null, settings: { url: next.origin } },
    })
  },
)

test('the last try at an old address is not the last one, and nobody is told that it was', async () => {
  const other = await startReceiver()
  const member = await makeUser(databases)
  const { destination, next } = await changedMeanwhile({ status: 503 }, { owner_id: member.id })
  await makeDestination(databases, other.origin, { owner_id: member.id })
  const { id } = await queueMatch(databases, destination)
  await databases.durablePool.query('update deliveries set attempts = 9 where id = $1', [id])
  startOutbox(testOutbox(databases))
  await expect.poll(() => readDelivery(databases, id)).toMatchObject({ state: 'sent', attempts: 1 })
  expect([next.received.length, other.received.length]).toEqual([1, 0])
})

test('what an old address has taken is sent, and what waits behind it goes to the new one', async () => {
  const { destination, old, next } = await changedMeanwhile({ status: 200, body: { id: 'm1' } })
  const [first, second] = [await queueMatch(databases, destination), await queueMatch(databases, destination)]
  startOutbox(testOutbox(databases))
  await expect.poll(() => readDelivery(databases, second.id)).toMatchObject({ state: 'sent' })
  expect(await readDelivery(databases, first.id)).toMatchObject({
    state: 'sent',
    message_id: 'm1',
    reason: '',
  })
  expect([old.received.length, next.received.length]).toEqual([1, 1])
})

test('a test of an old address says what became of it there, and ends', async () => {
  const { destination, next, read } = await changedMeanwhile({ status: 503 })
  const { id } = await queueMatch(databases, destination)
  await databases.durablePool.query("update deliveries set kind = 'test' where id = $1", [id])
  await sendDelivery(testOutbox(databases), id, new AbortController().signal)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'dead', reason: 'It answered 503.' })
  expect(await read()).toMatchObject({ state: 'ok', state_text: '', failing_since: null, resume_at: null })
  expect(next.received).toEqual([])
})

test('where the same address is known by another secret, a doubt remains one', async () => {
  let destination = 0
  const receiver = await startReceiver(async (_, count) => {
    if (count > 1) return { status: 200, body: { id: 'm2' } }
    await databases.durablePool.query("update destinations set secrets = 'other' where id = $1", [
      destination,
    ])
    return 'cut'
  })
  destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  const secretBox = { open: async () => '{}' }
  const deps = testOutbox(databases, { log: silent })
  Object.assign(deps.secretBox, secretBox)
  startOutbox(deps)
  await expect
    .poll(() => readDelivery(databases, id))
    .toMatchObject({
      ...{ state: 'sent', doubts: 1, reason: expect.stringContaining('may be there twice') },
    })
})
