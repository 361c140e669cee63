import { pino } from 'pino'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import {
  makeDestination,
  queueMatch,
  readDelivery,
  startOutbox,
  testOutbox,
} from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'
import { queueDeals, releaseHeld } from '../actions.ts'

const databases = await testDatabases()
const quietRefusal = (until: Date) => ({ until, waitsFor: 'quiet' as const, reason: 'Not now.' })
const quiet = (until: Date) => ({
  ...{ kind: 'list' as const, until, collectedFor: 'quiet' as const, reason: 'Not now.' },
})
const soon = () => new Date(Date.now() + 3_600_000)

/** An outbox whose time goes on as the test says. */
function outboxAt(given: Parameters<typeof testOutbox>[1] = {}) {
  let ahead = 0
  const outbox = startOutbox(testOutbox(databases, { clock: () => new Date(Date.now() + ahead), ...given }))
  const pass = (ms: number) => {
    ahead += ms
    outbox.wake()
  }
  return { outbox, pass }
}

test('what was held is one list at its time, without what no longer matches or isn’t shown', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const hold = quiet(soon())
  const matches = [
    await queueMatch(databases, destination, { hold }),
    await queueMatch(databases, destination, { hold }),
    await queueMatch(databases, destination, { hold }),
    await queueMatch(databases, destination, { hold }),
  ]
  const [first, second, hidden, raised] = matches
  expect(new Set(matches.map(({ id }) => id)).size).toBe(1)
  await databases.durablePool.query('update deals set hidden_at = now() where id = $1', [hidden?.dealId])
  const { pass } = outboxAt({
    stillMatches: async (_, deals) => deals.map(({ dealId }) => dealId !== raised?.dealId),
  })
  expect(await readDelivery(databases, first?.id ?? 0)).toMatchObject({ state: 'held' })
  pass(3_600_000)
  await expect.poll(() => readDelivery(databases, first?.id ?? 0)).toMatchObject({ state: 'sent' })
  expect(receiver.received).toHaveLength(1)
  expect(receiver.received[0]?.body).toMatchObject({
    ...{ kind: 'list', title: '2 deals while you had quiet hours', more: 0, isDigest: false },
    deals: expect.arrayContaining(
      [first, second].map((match) => ({
        ...{ state: 'live', searches: [] },
        deal: expect.objectContaining({ id: match?.dealId }),
      })),
    ),
  })
  const { rows } = await databases.durablePool.query(
    'select deal_id from delivery_deals where delivery_id = $1',
    [first?.id],
  )
  expect(rows).toHaveLength(2)
})

test('a list of which nothing is left isn’t sent', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const { id, dealId } = await queueMatch(databases, destination, { hold: quiet(soon()) })
  await databases.durablePool.query('update deals set is_over = true where id = $1', [dealId])
  outboxAt().pass(3_600_000)
  await expect
    .poll(() => readDelivery(databases, id))
    .toMatchObject({
      ...{ state: 'skipped', reason: 'None of its deals is shown any more.' },
    })
  expect(receiver.received).toEqual([])
})

test('a list whose deals were all told of alone meanwhile says so', async () => {
  const receiver = await startReceiver()
  const destinationId = await makeDestination(databases, receiver.origin)
  const { id, dealId, episodeId } = await queueMatch(databases, destinationId, { hold: quiet(soon()) })
  const client = await databases.durablePool.connect()
  const match = {
    destinationId,
    dealId,
    episodeId,
    post: 1,
    alertIds: [],
    isUrgent: true,
    price: 9,
    hold: null,
  }
  await queueDeals(client, [match])
  client.release()
  outboxAt().pass(3_600_000)
  await expect
    .poll(() => readDelivery(databases, id))
    .toMatchObject({ state: 'skipped', reason: 'Each of its deals was told of alone meanwhile.' })
  // Both are claimed at once, so the list may be done before the other message is.
  await expect.poll(() => receiver.received).toMatchObject([{ body: { kind: 'deal' } }])
})

test('lists of two times, and digests, are each one message, and a list says how many it doesn’t name', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin, { kind: 'apprise' })
  const [early, late] = [soon(), new Date(Date.now() + 7_200_000)]
  for (let at = 0; at < 12; at += 1) await queueMatch(databases, destination, { hold: quiet(early) })
  await queueMatch(databases, destination, { hold: quiet(late) })
  await queueMatch(databases, destination, {
    hold: { kind: 'digest', until: late, collectedFor: 'daily', reason: 'Later.' },
  })
  const { pass } = outboxAt()
  pass(3_600_000)
  await expect.poll(() => receiver.received.length).toBe(1)
  expect(receiver.received[0]?.body).toMatchObject({ title: '12 deals while you had quiet hours', more: 2 })
  pass(3_600_000)
  await expect
    .poll(() => receiver.received.map(({ body }) => body.title))
    .toEqual([
      ...['12 deals while you had quiet hours', '1 deal while you had quiet hours', '1 deal of the last day'],
    ])
})

test('what is due in quiet hours that began meanwhile joins the list of their end, unless it is urgent', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const until = soon()
  const [first, second] = [await queueMatch(databases, destination), await queueMatch(databases, destination)]
  const urgent = await queueMatch(databases, destination, { isUrgent: true })
  const { pass } = outboxAt({
    mayBeSent: (_, now, isUrgent) => (isUrgent || now >= until ? null : quietRefusal(until)),
  })
  await expect.poll(() => readDelivery(databases, urgent.id)).toMatchObject({ state: 'sent' })
  await expect
    .poll(() => readDelivery(databases, second.id))
    .toMatchObject({
      ...{ state: 'skipped', reason: 'Part of a list that is sent later. Not now.' },
    })
  expect(await readDelivery(databases, first.id)).toMatchObject({ state: 'skipped' })
  expect(receiver.received).toHaveLength(1)
  pass(3_600_000)
  await expect
    .poll(() => receiver.received[1]?.body)
    .toMatchObject({ title: '2 deals while you had quiet hours' })
})

/** Says that quiet hours, or a pause, of the group are others now. */
async function release() {
  const client = await databases.durablePool.connect()
  await releaseHeld(client, null)
  client.release()
}

test('a list that is looked at anew in quiet hours, or comes due in them, goes on as the one list of their end', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const until = soon()
  const hold = quiet(until)
  const first = await queueMatch(databases, destination, { hold })
  const burst = await queueMatch(databases, destination, {
    hold: { kind: 'list', until: new Date(), collectedFor: 'burst', reason: 'Many.' },
  })
  const { pass } = outboxAt({
    mayBeSent: (_, now) => (now >= until ? null : quietRefusal(until)),
  })
  const moved = { state: 'skipped', reason: 'Part of a list that is sent later. Not now.' }
  await expect.poll(() => readDelivery(databases, burst.id)).toMatchObject(moved)
  await release()
  await expect.poll(() => readDelivery(databases, first.id)).toMatchObject(moved)
  await queueMatch(databases, destination, { hold })
  pass(3_600_000)
  await expect.poll(() => receiver.received.length).toBe(1)
  expect(receiver.received[0]?.body).toMatchObject({ title: '3 deals while you had quiet hours' })
})

test('a list names ten deals to people and counts the others, and names all to a program', async () => {
  const hold = { kind: 'list' as const, until: new Date(), collectedFor: 'burst' as const, reason: 'Many.' }
  const listOf = async (kind: 'apprise' | 'webhook') => {
    const receiver = await startReceiver()
    const destination = await makeDestination(databases, receiver.origin, { kind })
    for (let count = 0; count < 14; count += 1) await queueMatch(databases, destination, { hold })
    return receiver
  }
  const [people, program] = [await listOf('apprise'), await listOf('webhook')]
  outboxAt()
  for (const [{ received }, named] of [
    [people, 10],
    [program, 14],
  ] as const) {
    await expect.poll(() => received.length).toBe(1)
    const deals = Array.from({ length: named }, () => expect.anything())
    expect(received[0]?.body).toMatchObject({ deals, more: 14 - named })
  }
})

test('what came due in a pause is sent once the pause is ended early', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const due = { until: new Date(), reason: 'Later.' }
  const digest = await queueMatch(databases, destination, {
    hold: { kind: 'digest', collectedFor: 'daily', ...due },
  })
  const burst = await queueMatch(databases, destination, {
    hold: { kind: 'list', collectedFor: 'burst', ...due },
  })
  let until = soon()
  outboxAt({ mayBeSent: (_, now) => (now >= until ? null : { until, waitsFor: 'pause', reason: 'Later.' }) })
  await expect.poll(() => readDelivery(databases, digest.id)).toMatchObject({ waits_for: 'pause' })
  await expect.poll(() => readDelivery(databases, burst.id)).toMatchObject({ state: 'skipped' })
  until = new Date()
  await release()
  await expect
    .poll(() => receiver.received.map(({ body }) => body.title).toSorted())
    .toEqual(['1 deal of the last day', '1 deal while messages were paused'])
})

test('what may have arrived before quiet hours began is not told as new at their end', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  await databases.durablePool.query("update deliveries set state = 'sending' where id = $1", [id])
  const until = soon()
  const { pass } = outboxAt({
    // It is logged that it is sent once more.
    log: pino({ level: 'silent' }),
    mayBeSent: (_, now) => (now >= until ? null : quietRefusal(until)),
  })
  const row = () => readDelivery(databases, id)
  await expect.poll(row).toMatchObject({ state: 'queued', doubts: 1, next_at: until })
  pass(3_600_000)
  await expect.poll(row).toMatchObject({ state: 'sent', reason: expect.stringContaining('twice') })
  expect(receiver.received).toMatchObject([{ body: { kind: 'deal' } }])
})
