import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal, makeUser } from '../../../../testing/factories.ts'
import {
  makeDestination,
  queueMatch,
  readDelivery,
  startOutbox,
  testOutbox,
} from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'
import { claimDestinations } from './claims.ts'
import { sendDelivery } from './send-delivery.ts'

const databases = await testDatabases()
const never = new AbortController().signal
const stateOf = async (id: number) => {
  const { state, reason } = await readDelivery(databases, id)
  return { state, reason }
}

test('what is queued is sent once, in its order, with what is true of the deal', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const deal = await makeDeal(databases, { title: 'Blue\u202E\nmug', price: 4, original_price: 10 })
  const first = await queueMatch(databases, destination, { dealId: deal.id })
  const others = [await queueMatch(databases, destination), await queueMatch(databases, destination)]
  startOutbox(testOutbox(databases))
  await expect.poll(() => receiver.received.length).toBe(3)
  expect(receiver.paths()).toEqual(['/post', '/post', '/post'])
  await expect.poll(() => stateOf(others[1]?.id ?? 0)).toEqual({ state: 'sent', reason: '' })
  const rows = await Promise.all([first, ...others].map(({ id }) => readDelivery(databases, id)))
  expect(receiver.received.map(({ body }) => body.uid)).toEqual(rows.map(({ uid }) => uid))
  expect(receiver.received[0]?.body).toMatchObject({
    ...{ kind: 'deal', state: 'live', isSilent: false, settingsUrl: 'https://deals.example/alerts' },
    deal: {
      ...{
        title: 'Blue mug',
        price: '$4.00',
        amount: 4,
        originalPrice: '$10.00',
        off: 60,
        priceBefore: null,
      },
      ...{
        pageUrl: `https://deals.example/deals/${deal.asin}`,
        shopUrl: `https://www.amazon.com/dp/${deal.asin}`,
      },
    },
  })
  expect(rows[0]).toMatchObject({ attempts: 1, message_id: 'm1', next_at: null, status: 200, doubts: 0 })
  const { rows: all } = await databases.db
    .selectFrom('destinations')
    .selectAll()
    .where('id', '=', destination)
    .execute()
    .then((found) => ({ rows: found }))
  expect(all[0]?.last_sent_at).not.toBeNull()
})

test('a deal hidden, ended or no longer matching between its match and its message is left out, and it says why', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const hidden = await queueMatch(databases, destination)
  const ended = await queueMatch(databases, destination)
  const raised = await queueMatch(databases, destination)
  await databases.durablePool.query('update deals set hidden_at = now() where id = $1', [hidden.dealId])
  await databases.durablePool.query('update deals set is_over = true where id = $1', [ended.dealId])
  const deps = testOutbox(databases, {
    stillMatches: async (_, deals) => deals.map(({ dealId }) => dealId !== raised.dealId),
  })
  for (const { id } of [hidden, ended, raised]) await sendDelivery(deps, id, never)
  expect(receiver.received).toEqual([])
  expect(await Promise.all([hidden, ended, raised].map(({ id }) => stateOf(id)))).toEqual([
    { state: 'skipped', reason: 'The deal isn’t shown any more.' },
    { state: 'skipped', reason: 'The deal ended before it was sent.' },
    { state: 'skipped', reason: 'It no longer matches.' },
  ])
})

test('nothing that waits is sent for a member who was deactivated, or to a destination that is paused', async () => {
  const receiver = await startReceiver()
  const member = await makeUser(databases)
  const theirs = await makeDestination(databases, receiver.origin, { owner_id: member.id })
  const paused = await makeDestination(databases, receiver.origin, { is_paused: true })
  const later = {
    kind: 'digest' as const,
    until: new Date(Date.now() + 3_600_000),
    ...{ collectedFor: 'daily' as const, reason: 'Part of the daily digest.' },
  }
  const [due, held, other] = [
    await queueMatch(databases, theirs),
    await queueMatch(databases, theirs, { hold: later }),
    await queueMatch(databases, paused),
  ]
  await databases.durablePool.query('update users set is_active = false where id = $1', [member.id])
  startOutbox(testOutbox(databases))
  const reason = 'The member may not use Dealdeck any more.'
  await expect.poll(() => stateOf(due.id)).toEqual({ state: 'skipped', reason })
  await expect.poll(() => stateOf(held.id)).toEqual({ state: 'skipped', reason })
  await expect
    .poll(() => stateOf(other.id))
    .toEqual({ state: 'skipped', reason: 'The destination is paused.' })
  expect(receiver.received).toEqual([])
})

test('a member who is deactivated while a message is being made is sent nothing', async () => {
  const receiver = await startReceiver()
  const member = await makeUser(databases)
  const destination = await makeDestination(databases, receiver.origin, { owner_id: member.id })
  const { id } = await queueMatch(databases, destination)
  const deps = testOutbox(databases, {
    stillMatches: async (_, deals) => {
      await databases.durablePool.query('update users set is_active = false where id = $1', [member.id])
      return deals.map(() => true)
    },
  })
  startOutbox(deps)
  await expect.poll(() => stateOf(id)).toMatchObject({ state: 'skipped' })
  expect(receiver.received).toEqual([])
})

test('two that send send nothing twice', async () => {
  const receiver = await startReceiver()
  const queued: { id: number }[] = []
  for (let at = 0; at < 20; at += 1) {
    const destination = await makeDestination(databases, receiver.origin)
    queued.push(await queueMatch(databases, destination), await queueMatch(databases, destination))
  }
  startOutbox(testOutbox(databases))
  startOutbox(testOutbox(databases))
  const states = async () =>
    (await Promise.all(queued.map(({ id }) => stateOf(id)))).filter(({ state }) => state === 'sent').length
  await expect.poll(states).toBe(queued.length)
  expect(new Set(receiver.received.map(({ body }) => body.uid)).size).toBe(queued.length)
  expect(receiver.received).toHaveLength(queued.length)
})

test('what the matcher writes for a destination meanwhile keeps no message waiting', async () => {
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin)
  const { id } = await queueMatch(databases, destination)
  const { id: dealId } = await makeDeal(databases)
  const matcher = await databases.durablePool.connect()
  await matcher.query('begin')
  await matcher.query('insert into alert_episodes (destination_id, deal_id, price) values ($1, $2, 1)', [
    ...[destination, dealId],
  ])
  const [claimed] = await claimDestinations(databases, [destination], new Date())
  expect(claimed?.id).toBe(destination)
  await matcher.query('rollback')
  matcher.release()
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'queued' })
})
