import { expect, test } from 'vitest'
import { importRows, makeAlert, row, steps } from '../../../testing/alerts.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser, nextAsin } from '../../../testing/factories.ts'
import { makeDestination, testOutbox } from '../../../testing/outbox.ts'
import { startReceiver } from '../../../testing/receiver.ts'
import { sendDelivery } from '../deliveries/sending/send-delivery.ts'
import { sendingRules } from './actions.ts'
import { matcher } from './matching/matcher.ts'

/** A deal whose destination is told of it again when it has fallen by 5 %, and whose messages wait until the test sends them. */
async function start(answer?: Parameters<typeof startReceiver>[0]) {
  const databases = await testDatabases()
  const { id: owner } = await makeUser(databases)
  const receiver = await startReceiver(answer)
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
    leaveOut: () => ask("update deliveries set state = 'skipped', next_at = null where state = 'queued'"),
  }
}

test('how far a price has fallen is measured from what was told, not from what it was when the message was written', async () => {
  const { see, sendFirst, waiting, told } = await start()
  await see(10, 12)
  await sendFirst()
  await see(11.5)
  expect(await waiting()).toBe(0)
  await see(11.3)
  expect(await waiting()).toBe(1)
  await see(11)
  await sendFirst()
  expect(told()).toEqual([12, 11])
  // By more than 5 % from what it was when that was written, by less from what was told.
  await see(10.6)
  expect(await waiting()).toBe(0)
  await see(10.4)
  expect(await waiting()).toBe(1)
})

test('a further message that said more than it was written for leaves the lowest that was said', async () => {
  const { see, sendFirst, waiting, told } = await start()
  await see(10)
  await sendFirst()
  await see(9, 9.8)
  await sendFirst()
  expect(told()).toEqual([10, 9.8])
  await see(9.4)
  expect(await waiting()).toBe(0)
  await see(9.1)
  await sendFirst()
  await see(9.7, 8.9)
  expect([told(), await waiting()]).toEqual([[10, 9.8, 9.1], 0])
})

test('a further message that was left out has told of nothing', async () => {
  const { see, sendFirst, leaveOut, waiting, told } = await start()
  await see(10)
  await sendFirst()
  await see(9)
  await leaveOut()
  await see(9.6)
  expect(await waiting()).toBe(0)
  await see(9.2)
  await sendFirst()
  expect(told()).toEqual([10, 9.2])
})

test('while a message waits the next fall is measured from what that was written for', async () => {
  const { see, sendFirst, waiting, told } = await start()
  await see(10, 9, 12)
  expect(await waiting()).toBe(2)
  await sendFirst()
  await see(8.8)
  expect([told(), await waiting()]).toEqual([[12], 1])
  await sendFirst()
  expect(told()).toEqual([12, 8.8])
})

test('what an earlier version has written down counts as the price of its episode', async () => {
  const { databases, see, sendFirst, waiting } = await start()
  await see(10)
  await sendFirst()
  await databases.durablePool.query('update delivery_deals set price = null')
  await see(9.6)
  expect(await waiting()).toBe(0)
  await see(9.4)
  expect(await waiting()).toBe(1)
})

test('a try that failed has told of nothing: the price that the message was written down for stays', async () => {
  let isDown = true
  const { see, sendFirst, waiting, told } = await start(() => ({ status: isDown ? 500 : 200 }))
  await see(10, 20)
  await sendFirst()
  await see(10)
  isDown = false
  expect(await waiting()).toBe(1)
  await sendFirst()
  expect([told(), await waiting()]).toEqual([[20, 10], 0])
})
