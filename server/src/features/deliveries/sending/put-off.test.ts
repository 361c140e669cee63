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
import { startReceiver } from '../../../../testing/receiver.ts'
import { wantEdits } from '../actions.ts'
import { retryDeliveries } from './retrying.ts'
import { sendDelivery } from './send-delivery.ts'

const databases = await testDatabases()
const never = new AbortController().signal
const daySeconds = 86_400
const reason = 'It had to wait for three days: Too many.'

/** A service that always wants everything a day later, and time that goes on as the test says. */
async function puttingOff() {
  let now = Date.now()
  const deps = testOutbox(databases, { clock: () => new Date(now) })
  const receiver = await startReceiver(() => ({ status: 429, body: { seconds: daySeconds } }))
  const pass = (days: number) => {
    now += days * daySeconds * 1_000
  }
  return { deps, receiver, pass, now: () => now }
}

test('what a service always wants later is given up after as long as all tries take, with those behind it', async () => {
  const { deps, receiver, pass, now } = await puttingOff()
  const other = await startReceiver()
  const member = await makeUser(databases)
  const busy = await makeDestination(databases, receiver.origin, { owner_id: member.id, name: 'Busy' })
  await makeDestination(databases, other.origin, { owner_id: member.id })
  const first = await queueMatch(databases, busy)
  const behind = await queueMatch(databases, busy)
  // Later than both were due by the database's clock.
  pass(0.01)
  for (let day = 0; day <= 3; day += 1) {
    await sendDelivery(deps, first.id, never)
    expect(await readDelivery(databases, first.id)).toMatchObject({
      ...{ state: 'queued', attempts: 0, reason: 'Too many.', status: 429 },
      next_at: new Date(now() + daySeconds * 1_000),
    })
    pass(1)
  }
  const fresh = await queueMatch(databases, busy)
  await databases.durablePool.query('update deliveries set next_at = $2 where id = $1', [
    ...[fresh.id, new Date(now())],
  ])
  await sendDelivery(deps, first.id, never)
  for (const { id } of [first, behind])
    expect(await readDelivery(databases, id)).toMatchObject({ state: 'dead', reason, next_at: null })
  expect(await readDelivery(databases, fresh.id)).toMatchObject({ state: 'queued', next_at: new Date(now()) })
  expect([...deps.figures.outcomes]).toContainEqual(['webhook', 'dead', 2])
  // Of both its owner is told once.
  startOutbox(deps)
  await expect
    .poll(() => other.received.map(({ body }) => [body.title, body.text]))
    .toEqual([['A message could not be sent to Busy', reason]])
})

test('what is begun anew by hand may wait as long once more', async () => {
  const { deps, receiver, pass } = await puttingOff()
  const { id } = await queueMatch(databases, await makeDestination(databases, receiver.origin))
  await sendDelivery(deps, id, never)
  pass(4)
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'dead' })
  await retryDeliveries(databases, [id])
  pass(-4)
  await sendDelivery(deps, id, never)
  pass(3)
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'queued', reason: 'Too many.' })
})

test('a change that a service always wants later is left as it is, and the message stays sent', async () => {
  const { deps, receiver, pass } = await puttingOff()
  const destination = await makeDestination(databases, receiver.origin)
  const { id, episodeId, dealId } = await queueMatch(databases, destination)
  await databases.durablePool.query(
    "update deliveries set state = 'sent', next_at = null, message_id = 'm1', sent_version = 1, sent_at = now() where id = $1",
    [id],
  )
  await databases.durablePool.query('update deals set price = price - 1 where id = $1', [dealId])
  const client = await databases.durablePool.connect()
  await wantEdits(client, [episodeId])
  client.release()
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'sent', reason: 'Too many.' })
  pass(4)
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({
    ...{ state: 'sent', reason, next_at: null, sent_version: 2 },
  })
})

test('a message that alone has to wait is given up alone, and nothing for having waited for us', async () => {
  const { deps, receiver, pass } = await puttingOff()
  const [kind] = deps.kinds
  if (!kind) throw new Error('There is no kind')
  const ofOne: typeof kind = {
    ...kind,
    bind: (settings) => {
      const bound = kind.bind(settings)
      return {
        ...bound,
        send: async (...args) => {
          const outcome = await bound.send(...args)
          return outcome.result === 'later' ? { ...outcome, isOfOneMessage: true } : outcome
        },
      }
    },
  }
  const destination = await makeDestination(databases, receiver.origin)
  const [first, second] = [await queueMatch(databases, destination), await queueMatch(databases, destination)]
  for (const found of [
    { state: 'queued', reason: 'Too many.' },
    { state: 'dead', reason },
  ]) {
    pass(4)
    await sendDelivery({ ...deps, kinds: [ofOne] }, first.id, never)
    expect(await readDelivery(databases, first.id)).toMatchObject(found)
  }
  expect(await readDelivery(databases, second.id)).toMatchObject({ state: 'queued', reason: '' })
})
