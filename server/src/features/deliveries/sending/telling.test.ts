import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDestination, queueMatch, readDelivery, testOutbox } from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'
import type { DeliveryChange } from '../live.ts'
import type { OutboxDeps } from './outbox-deps.ts'
import { sendDelivery } from './send-delivery.ts'

const databases = await testDatabases()
const never = new AbortController().signal

test('pages are told of what became of a message once it is written down', async () => {
  const happened: string[] = []
  const deps = testOutbox(databases, { tell: ({ changed }) => happened.push(changed) })
  const { writes } = deps.group
  const store: typeof writes.store = async (storing) => {
    const stored = await writes.store(storing)
    happened.push('stored')
    return stored
  }
  const slow: OutboxDeps = { ...deps, group: { ...deps.group, writes: { ...writes, store } } }
  const answers = [200, 429, 503, 400]
  const receiver = await startReceiver((_, count) => ({ status: answers[count - 1] ?? 200, body: {} }))
  for (const state of ['sent', 'queued', 'queued', 'dead']) {
    const { id } = await queueMatch(databases, await makeDestination(databases, receiver.origin))
    await sendDelivery(slow, id, never)
    expect(await readDelivery(databases, id)).toMatchObject({ state })
    expect(happened.splice(0).filter((what) => what !== 'destinations')).toEqual(['stored', 'log'])
  }
})

test('pages are told of what is put off by quiet hours', async () => {
  const told: DeliveryChange[] = []
  const deps = testOutbox(databases, {
    tell: (change) => told.push(change),
    mayBeSent: () => ({
      ...{ until: new Date(Date.now() + 3_600_000), waitsFor: 'quiet', reason: 'Quiet hours.' },
    }),
  })
  const destination = await makeDestination(databases, 'http://a')
  const { id } = await queueMatch(databases, destination)
  await sendDelivery(deps, id, never)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'skipped' })
  expect(told).toEqual([{ ownerId: null, changed: 'log', destinationId: destination }])
})
