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
import type { OutboxDeps } from './outbox-deps.ts'
import { sendDelivery } from './send-delivery.ts'

const databases = await testDatabases()
const never = new AbortController().signal
const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** An outbox whose time goes on as the test says; `sendDue` sends one delivery if it is due by that time. */
function atTime(given: Partial<OutboxDeps> = {}) {
  let now = Date.now()
  const deps = testOutbox(databases, { clock: () => new Date(now), ...given })
  const pass = (ms: number) => {
    now += ms
  }
  return { deps, pass, now: () => now }
}

const answering = (...answers: Answer[]) =>
  startReceiver((_, count) => answers[count - 1] ?? { status: 200, body: { id: `m${count}` } })

const readDestination = (id: number) =>
  databases.db.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('what fails is tried by the plan, and given up after the tenth time; its owner hears of it elsewhere', async () => {
  const receiver = await startReceiver(() => ({ status: 503 }))
  const other = await startReceiver()
  const member = await makeUser(databases)
  const failing = await makeDestination(databases, receiver.origin, { owner_id: member.id, name: 'Old one' })
  await makeDestination(databases, other.origin, { owner_id: member.id })
  const { id } = await queueMatch(databases, failing)
  const { deps, pass, now } = atTime()
  const waits: number[] = []
  for (let tries = 1; tries <= 9; tries += 1) {
    await sendDelivery(deps, id, never)
    const row = await readDelivery(databases, id)
    expect(row).toMatchObject({ state: 'queued', attempts: tries, status: 503, reason: 'It answered 503.' })
    waits.push((row.next_at?.getTime() ?? 0) - now())
    pass(waits.at(-1) ?? 0)
  }
  const plan = [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ]
  for (const [at, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(plan[at] ?? 0)
    expect(wait).toBeLessThanOrEqual((plan[at] ?? 0) * 1.2)
  }
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'dead', attempts: 10, next_at: null })
  expect(await readDestination(failing)).toMatchObject({ state: 'failing', state_text: 'It answered 503.' })
  startOutbox(deps)
  await expect
    .poll(() => other.received.map(({ body }) => body))
    .toMatchObject([
      { kind: 'notice', title: 'A message could not be sent to Old one', text: 'It answered 503.' },
    ])
})

test('a test that fails is tried once', async () => {
  const receiver = await startReceiver(() => ({ status: 503 }))
  const destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  await databases.durablePool.query(`update deliveries set kind = 'test' where id = $1`, [id])
  await sendDelivery(atTime().deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({
    ...{ state: 'dead', attempts: 1, next_at: null, reason: 'It answered 503.' },
  })
})

test('Retry-After costs no attempt, and holds back all of the destination', async () => {
  const receiver = await answering({ status: 429, body: { seconds: 40 } })
  const destination = await makeDestination(databases, receiver.origin)
  const [first, second] = [await queueMatch(databases, destination), await queueMatch(databases, destination)]
  const { deps, pass, now } = atTime()
  const outbox = startOutbox(deps)
  await expect.poll(() => readDelivery(databases, first.id)).toMatchObject({ attempts: 0, status: 429 })
  await expect
    .poll(async () => (await readDestination(destination)).resume_at?.getTime())
    .toBe(now() + 40_000)
  expect(receiver.received).toHaveLength(1)
  pass(40_000)
  outbox.wake()
  await expect.poll(() => readDelivery(databases, second.id)).toMatchObject({ state: 'sent', attempts: 1 })
  const uids = receiver.received.map(({ body }) => body.uid)
  expect(uids).toHaveLength(3)
  expect(uids[0]).toBe(uids[1])
})

test('a first post of which nobody knows whether it arrived is sent once more, and says so', async () => {
  const receiver = await answering('cut')
  const destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  const { deps } = atTime({ log: pino({ level: 'silent' }) })
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'queued', doubts: 1 })
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({
    ...{ state: 'sent', doubts: 1 },
    reason: 'It may be there twice: nobody knows whether the first one arrived.',
  })
  expect(receiver.received).toHaveLength(2)
})

test('it is never sent a third time', async () => {
  const receiver = await startReceiver(() => 'cut')
  const destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  const { deps } = atTime({ log: pino({ level: 'silent' }) })
  await sendDelivery(deps, id, never)
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'dead', next_at: null })
  expect(receiver.received).toHaveLength(2)
})

test('of one whose process ended twice while it was sent its owner hears elsewhere, and it is counted', async () => {
  const [receiver, other] = [await startReceiver(), await startReceiver()]
  const member = await makeUser(databases)
  const destination = await makeDestination(databases, receiver.origin, { owner_id: member.id, name: 'Mine' })
  await makeDestination(databases, other.origin, { owner_id: member.id })
  const { id } = await queueMatch(databases, destination)
  await databases.durablePool.query("update deliveries set state = 'sending', doubts = 1 where id = $1", [id])
  const { deps } = atTime()
  await sendDelivery(deps, id, never)
  const reason = expect.stringContaining('Its process ended twice')
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'dead', doubts: 2, reason })
  expect([...deps.figures.outcomes]).toContainEqual(['webhook', 'dead', 1])
  startOutbox(deps)
  await expect.poll(() => other.received.map(({ body }) => body.text)).toEqual([reason])
  expect(receiver.received).toEqual([])
})

test('a destination that is gone is sent nothing more, what waits for it is left out, and its owner hears of it', async () => {
  const receiver = await answering({ status: 410 })
  const other = await startReceiver()
  const member = await makeUser(databases)
  const gone = await makeDestination(databases, receiver.origin, { owner_id: member.id, name: 'Old one' })
  await makeDestination(databases, other.origin, { owner_id: member.id })
  const [first, second] = [await queueMatch(databases, gone), await queueMatch(databases, gone)]
  const told: unknown[] = []
  startOutbox(
    testOutbox(databases, { tell: ({ changed, destinationId }) => told.push([changed, destinationId]) }),
  )
  await expect.poll(() => readDelivery(databases, second.id)).toMatchObject({ state: 'skipped' })
  expect(await readDelivery(databases, first.id)).toMatchObject({ state: 'dead', reason: 'It is gone.' })
  expect(await readDestination(gone)).toMatchObject({ state: 'gone', state_text: 'It is gone.' })
  await expect.poll(() => other.received.length).toBe(1)
  expect(other.received[0]?.body).toMatchObject({ title: 'Nothing can be sent to Old one any more' })
  expect(receiver.received).toHaveLength(1)
  expect(told).toContainEqual(['destinations', gone])
})

test('what an old address answers does not end the one that was entered meanwhile, which gets the message', async () => {
  const better = await startReceiver()
  let destination = 0
  const worse = await startReceiver(async () => {
    await databases.durablePool.query('update destinations set settings = $2 where id = $1', [
      ...[destination, { url: better.origin }],
    ])
    return { status: 410 }
  })
  destination = await makeDestination(databases, worse.origin)
  const { id } = await queueMatch(databases, destination)
  startOutbox(testOutbox(databases))
  await expect.poll(() => readDelivery(databases, id)).toMatchObject({ state: 'sent' })
  expect([worse.received.length, better.received.length]).toEqual([1, 1])
  expect(await readDestination(destination)).toMatchObject({ state: 'ok', state_text: '' })
})

test('the group’s administrators hear of a channel that is gone on one of their own', async () => {
  const receiver = await answering({ status: 410 })
  const other = await startReceiver()
  const admin = await makeUser(databases, { role: 'admin' })
  const channel = await makeDestination(databases, receiver.origin, { kind: 'discord' })
  await makeDestination(databases, other.origin, { owner_id: admin.id })
  await queueMatch(databases, channel)
  startOutbox(testOutbox(databases))
  await expect.poll(() => other.received.map(({ body }) => body.kind)).toEqual(['notice'])
})

test('a destination that has moved is sent to where it is now, at once', async () => {
  const next = await startReceiver()
  const receiver = await startReceiver(() => ({ status: 308, body: { url: next.origin } }))
  const destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  startOutbox(testOutbox(databases))
  await expect.poll(() => readDelivery(databases, id)).toMatchObject({ state: 'sent', message_id: 'm1' })
  expect((await readDestination(destination)).settings).toEqual({ url: next.origin })
  expect([receiver.received.length, next.received.length]).toEqual([1, 1])
})

test('what is refused is given up, and the next one is sent', async () => {
  const receiver = await answering({ status: 400 })
  const destination = await makeDestination(databases, receiver.origin)
  const [first, second] = [await queueMatch(databases, destination), await queueMatch(databases, destination)]
  startOutbox(testOutbox(databases))
  await expect.poll(() => readDelivery(databases, second.id)).toMatchObject({ state: 'sent' })
  expect(await readDelivery(databases, first.id)).toMatchObject({ state: 'dead', reason: 'It is refused.' })
})

test('a destination that fails for a week is paused', async () => {
  const receiver = await startReceiver(() => ({ status: 500 }))
  const destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  const { deps, pass } = atTime()
  await sendDelivery(deps, id, never)
  expect(await readDestination(destination)).toMatchObject({ is_paused: false, state: 'failing' })
  pass(7 * 24 * hour + 1)
  await sendDelivery(deps, id, never)
  expect(await readDestination(destination)).toMatchObject({
    ...{ is_paused: true, state_text: 'It failed for a week: It answered 500.' },
  })
})

test('success ends what was said of failing', async () => {
  const receiver = await answering({ status: 500 })
  const destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  const { deps } = atTime()
  await sendDelivery(deps, id, never)
  await sendDelivery(deps, id, never)
  expect(await readDestination(destination)).toMatchObject({
    state: 'ok',
    state_text: '',
    failing_since: null,
  })
})

test('a failure long after another one is tried again before it counts as a week of them', async () => {
  const receiver = await startReceiver(() => ({ status: 500 }))
  const destination = await makeDestination(databases, receiver.origin)
  const { deps, pass } = atTime()
  // Nothing was sent since, as its deal had ended.
  await sendDelivery(deps, (await queueMatch(databases, destination)).id, never)
  pass(8 * 24 * hour)
  const { id } = await queueMatch(databases, destination)
  await sendDelivery(deps, id, never)
  expect(await readDestination(destination)).toMatchObject({ is_paused: false, state: 'failing' })
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'queued', attempts: 1 })
  await sendDelivery(deps, id, never)
  expect(await readDestination(destination)).toMatchObject({ is_paused: true })
})
