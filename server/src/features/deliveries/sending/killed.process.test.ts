import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { DealdeckProcess } from '../../../../testing/dealdeck-process.ts'
import { makeDestination, queueMatch, readDelivery } from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'

const databases = await testDatabases()
/** Fifteen seconds of silence and a look, on a machine that may be busy. */
const takenOver = { timeout: 60_000, interval: 250 }

function startSending(): DealdeckProcess {
  const sender = new DealdeckProcess('../testing/outbox-process.ts', [], { DATABASE_URL: databases.url })
  onTestFinished(async () => {
    sender.kill('SIGKILL')
    await sender.ended()
  })
  return sender
}

test('what a killed process was sending is sent once more by another one, which says that it may be there twice', {
  timeout: 120_000,
}, async () => {
  let isSilent = true
  const receiver = await startReceiver((_, count) =>
    isSilent ? 'silent' : { status: 200, body: { id: `m${count}` } },
  )
  const destination = await makeDestination(databases, receiver.origin)
  const killed = startSending()
  await killed.says(/sends/)
  const half = await queueMatch(databases, destination)
  const next = await queueMatch(databases, destination)
  await expect.poll(() => receiver.received.length, takenOver).toBe(1)
  expect(await readDelivery(databases, half.id)).toMatchObject({ state: 'sending' })
  isSilent = false
  killed.kill('SIGKILL')
  await killed.ended()
  const other = startSending()
  await expect
    .poll(() => readDelivery(databases, next.id), takenOver)
    .toMatchObject({
      ...{ state: 'sent', doubts: 0, reason: '' },
    })
  expect(await readDelivery(databases, half.id)).toMatchObject({
    ...{ state: 'sent', doubts: 1 },
    reason: 'It may be there twice: nobody knows whether the first one arrived.',
  })
  expect(other.output).toContain('A message is sent once more')
  const uids = receiver.received.map(({ body }) => body.uid)
  expect(uids).toHaveLength(3)
  expect(uids[0]).toBe(uids[1])
})

test('a process that ends finishes what it was sending', async () => {
  let answer = () => {}
  const receiver = await startReceiver(
    (_, count) =>
      new Promise((resolve) => {
        answer = () => resolve({ status: 200, body: { id: `m${count}` } })
      }),
  )
  const ending = startSending()
  await ending.says(/sends/)
  const { id } = await queueMatch(databases, await makeDestination(databases, receiver.origin))
  await expect.poll(() => receiver.received.length, takenOver).toBe(1)
  ending.kill('SIGTERM')
  answer()
  expect(await ending.ended()).toBe(0)
  expect(await readDelivery(databases, id)).toMatchObject({ state: 'sent', doubts: 0 })
})
