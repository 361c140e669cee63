import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import {
  makeDestination,
  queueMatch,
  readDelivery,
  startOutbox,
  testOutbox,
} from '../../../../testing/outbox.ts'
import { type Answer, startReceiver } from '../../../../testing/receiver.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { queueDeals, wantEdits } from '../actions.ts'

const databases = await testDatabases()

async function want({ durablePool }: Databases, episodeId: number) {
  const client = await durablePool.connect()
  await wantEdits(client, [episodeId])
  client.release()
}

const setPrice = (id: number, price: number) =>
  databases.durablePool.query('update deals set price = $2 where id = $1', [id, price])

/** A message that was sent, and an outbox whose time goes on as the test says. */
async function sentMessage(
  answer?: (count: number) => Answer | Promise<Answer>,
  kind: 'webhook' | 'apprise' = 'webhook',
) {
  let ahead = 0
  const receiver = await startReceiver(
    async (_, count) => (await answer?.(count)) ?? { status: 200, body: { id: 'm1' } },
  )
  const destination = await makeDestination(databases, receiver.origin, { kind })
  const match = await queueMatch(databases, destination)
  const outbox = startOutbox(testOutbox(databases, { clock: () => new Date(Date.now() + ahead) }))
  const row = () => readDelivery(databases, match.id)
  await expect.poll(row).toMatchObject({ state: 'sent' })
  const pass = (ms: number) => {
    ahead += ms
    outbox.wake()
  }
  return { ...match, receiver, row, pass }
}

test('a new price changes the message, half a minute after it was sent, however often it changed: the newest alone', async () => {
  const { dealId, episodeId, receiver, row, pass } = await sentMessage()
  for (const price of [8, 7, 6]) {
    await setPrice(dealId, price)
    await want(databases, episodeId)
  }
  const sent = await row()
  expect(sent.wanted_version).toBe(4)
  expect(sent.next_at?.getTime()).toBe(sent.updated_at.getTime() + 30_000)
  pass(30_000)
  await expect.poll(row).toMatchObject({ state: 'edited', sent_version: 4, next_at: null, attempts: 1 })
  expect(receiver.paths()).toEqual(['/post', '/edit/m1'])
  expect(receiver.received[1]?.body).toMatchObject({
    ...{ isSilent: true, state: 'live' },
    deal: { price: '$6.00', priceBefore: '$9.99' },
  })
})

test('a message that tells of a deal again says the price that was told of last', async () => {
  const { dealId, episodeId, receiver, row } = await sentMessage()
  const { destination_id: destinationId } = await row()
  await setPrice(dealId, 7)
  const client = await databases.durablePool.connect()
  await queueDeals(client, [
    { destinationId, dealId, episodeId, post: 2, alertIds: [], isUrgent: false, price: 7, hold: null },
  ])
  client.release()
  startOutbox(testOutbox(databases))
  await expect
    .poll(() => receiver.received[1]?.body)
    .toMatchObject({
      deal: { price: '$7.00', priceBefore: '$9.99' },
    })
})

test('a message whose deal ended or isn’t shown any more says so', async () => {
  const { dealId, episodeId, receiver, row, pass } = await sentMessage()
  await databases.durablePool.query('update deals set hidden_at = now() where id = $1', [dealId])
  await want(databases, episodeId)
  pass(30_000)
  await expect.poll(row).toMatchObject({ state: 'edited' })
  expect(receiver.received[1]?.body).toMatchObject({ state: 'gone', deal: { title: '', price: null } })
})

test('a message whose deal is there no more, as samples are once real deals come, says so', async () => {
  const { dealId, episodeId, receiver, row, pass } = await sentMessage()
  await databases.durablePool.query('delete from deals where id = $1', [dealId])
  await want(databases, episodeId)
  pass(30_000)
  await expect.poll(row).toMatchObject({ state: 'edited' })
  expect(receiver.received[1]?.body).toMatchObject({ kind: 'deal', state: 'gone', deal: { title: '' } })
})

test('what says the same as before is not sent', async () => {
  const { dealId, episodeId, receiver, row, pass } = await sentMessage()
  for (const price of [8, 9.99]) {
    await setPrice(dealId, price)
    await want(databases, episodeId)
  }
  pass(30_000)
  await expect.poll(row).toMatchObject({ state: 'sent', sent_version: 3, next_at: null })
  expect(receiver.received).toHaveLength(1)
})

test('what changes while a change is on its way follows half a minute later', async () => {
  let during = async () => {}
  const { dealId, episodeId, receiver, row, pass } = await sentMessage(async () => {
    await during()
    return { status: 200, body: { id: 'm1' } }
  })
  during = async () => {
    await setPrice(dealId, 5)
    await want(databases, episodeId)
    during = async () => {}
  }
  await setPrice(dealId, 8)
  await want(databases, episodeId)
  pass(30_000)
  await expect.poll(row).toMatchObject({ state: 'edited', sent_version: 2, wanted_version: 3 })
  const { next_at, updated_at } = await row()
  expect(next_at?.getTime()).toBe(updated_at.getTime() + 30_000)
  expect(receiver.received.at(-1)?.body).toMatchObject({ deal: { price: '$8.00' } })
  pass(30_000)
  await expect.poll(row).toMatchObject({ sent_version: 3, next_at: null })
  expect(receiver.received.at(-1)?.body).toMatchObject({ deal: { price: '$5.00', priceBefore: '$8.00' } })
})

test('of a kind that can’t change a message nothing is sent, and the row says so once', async () => {
  const { dealId, episodeId, receiver, row, pass } = await sentMessage(undefined, 'apprise')
  for (const price of [8, 7]) {
    await setPrice(dealId, price)
    await want(databases, episodeId)
  }
  expect(await row()).toMatchObject({
    ...{ state: 'sent', next_at: null, wanted_version: 2 },
    reason: 'The deal has changed since; what was sent there can’t be changed.',
  })
  pass(30_000)
  expect(receiver.received).toHaveLength(1)
})

test('a message that is there no more is forgotten, and no other one is sent for a price', async () => {
  const { dealId, episodeId, receiver, row, pass } = await sentMessage((count) =>
    count === 1 ? { status: 200, body: { id: 'm1' } } : { status: 404 },
  )
  await setPrice(dealId, 8)
  await want(databases, episodeId)
  pass(30_000)
  await expect.poll(row).toMatchObject({ state: 'sent', message_id: null, next_at: null })
  await setPrice(dealId, 7)
  await want(databases, episodeId)
  expect((await row()).next_at).toBeNull()
  expect(receiver.paths()).toEqual(['/post', '/edit/m1'])
})

test('a change that fails is tried again and repeats what it says', async () => {
  const { dealId, episodeId, receiver, row, pass } = await sentMessage((count) =>
    count === 2 ? 'cut' : { status: 200, body: { id: 'm1' } },
  )
  await setPrice(dealId, 8)
  await want(databases, episodeId)
  pass(30_000)
  await expect.poll(row).toMatchObject({ state: 'sent', reason: 'The connection ended.', doubts: 0 })
  pass(600_000)
  await expect.poll(row).toMatchObject({ state: 'edited', reason: '' })
  expect(receiver.paths()).toEqual(['/post', '/edit/m1', '/edit/m1'])
})

test('a service that wants a pause when a message is changed is sent no other change meanwhile', async () => {
  let isBusy = false
  const receiver = await startReceiver((_, count) =>
    isBusy ? { status: 429, body: { seconds: 40 } } : { status: 200, body: { id: `m${count}` } },
  )
  const destination = await makeDestination(databases, receiver.origin)
  let ahead = 0
  const outbox = startOutbox(testOutbox(databases, { clock: () => new Date(Date.now() + ahead) }))
  const matches = [await queueMatch(databases, destination), await queueMatch(databases, destination)]
  for (const { id } of matches)
    await expect.poll(() => readDelivery(databases, id)).toMatchObject({ state: 'sent' })
  isBusy = true
  for (const { dealId, episodeId } of matches) {
    await setPrice(dealId, 8)
    await want(databases, episodeId)
  }
  ahead = 30_000
  outbox.wake()
  const resumeAt = async () =>
    (
      await databases.db
        .selectFrom('destinations')
        .select('resume_at')
        .where('id', '=', destination)
        .executeTakeFirstOrThrow()
    ).resume_at
  await expect.poll(resumeAt).not.toBeNull()
  expect(receiver.paths().filter((path) => path.startsWith('/edit'))).toHaveLength(1)
})
