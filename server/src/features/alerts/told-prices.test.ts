import { expect, test } from 'vitest'
import { importRows, makeAlert, row, steps } from '../../../testing/alerts.ts'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser, nextAsin } from '../../../testing/factories.ts'
import { makeDestination, testOutbox } from '../../../testing/outbox.ts'
import { startReceiver } from '../../../testing/receiver.ts'
import { sendDelivery } from '../deliveries/sending/send-delivery.ts'
import { sendingRules } from './actions.ts'
import { matcher } from './matching/matcher.ts'

/** A deal whose destination is told of it again when it has fallen by 5 %, and whose messages wait until the test sends them. */
async function start() {
  const databases = await testDatabases()
  const { id: owner } = await makeUser(databases)
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin, { owner_id: owner })
  await makeAlert(databases, { question: 'lamp', destination, owner })
  const { begin, run } = steps(databases, matcher({ clock: () => new Date() }))
  await begin()
  const asin = nextAsin()
  let minute = 0
  const deps = testOutbox(databases, sendingRules)
  const ask = async (text: string) => (await databases.durablePool.query(text)).rows
  return {
    databases,
    told: () => receiver.received.map(({ body }) => Object(body.deal).amount),
    see: async (...prices: number[]) => {
      for (const price of prices) {
        minute += 1
        await importRows(databases, row(asin, price, minute))
        await run()
      }
    },
    waiting: async () => (await ask("select id from deliveries where state = 'queued' order by id")).length,
    sendFirst: async () => {
      const [first] = await ask("select id from deliveries where state = 'queued' order by id limit 1")
      await sendDelivery(deps, first.id, new AbortController().signal)
    },
    noted: async () => (await ask('select price from alert_episodes'))[0].price,
  }
}

test('how far a price has fallen is measured from what was told, not from what it was when the message was written', async () => {
  const { see, sendFirst, waiting, told, noted } = await start()
  await see(10, 12)
  await sendFirst()
  expect([told(), await noted()]).toEqual([[12], 12])
  await see(11.5)
  expect(await waiting()).toBe(0)
  await see(11.3)
  expect(await waiting()).toBe(1)
  await see(11)
  await sendFirst()
  expect([told(), await noted()]).toEqual([[12, 11], 11])
  // By more than 5 % from what it was when that was written, by less from what was told.
  await see(10.6)
  expect(await waiting()).toBe(0)
  await see(10.4)
  expect(await waiting()).toBe(1)
})

test('a price that was told once isn’t told again for another message that said more', async () => {
  const { see, sendFirst, waiting, told, noted } = await start()
  await see(10)
  await sendFirst()
  await see(9, 9.8)
  await sendFirst()
  expect([told(), await noted()]).toEqual([[10, 9.8], 9])
  await see(9.1)
  expect(await waiting()).toBe(0)
})

test('the price of a message that waits, or is being written, stays', async () => {
  const { databases, see, sendFirst, waiting, told, noted } = await start()
  await see(10, 9, 12)
  expect(await waiting()).toBe(2)
  await sendFirst()
  expect([told(), await noted()]).toEqual([[12], 9])
  const other = await databases.patientPool.connect()
  whenDone(async () => other.release(true))
  await other.query('begin')
  await other.query('update alert_episodes set price = 8')
  await sendFirst()
  await other.query('commit')
  expect(await noted()).toBe(8)
})
