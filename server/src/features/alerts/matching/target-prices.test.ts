import { expect, test } from 'vitest'
import { importRows, makeReader, markSent, readDeliveries, row, steps } from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { matcher } from './matcher.ts'

const clock = () => new Date()

/** A member who is told of lamps, and the ways to put a price on one. */
async function waiting(question = 'lamp') {
  const databases = await testDatabases()
  const { destination } = await makeReader(databases, question)
  const { begin, run } = steps(databases, matcher({ clock }))
  await begin()
  const asin = nextAsin()
  let minutes = 0
  const costs = async (...prices: number[]) => {
    for (const price of prices) {
      minutes += 1
      await importRows(databases, row(asin, price, minutes))
      await run()
      await markSent(databases)
    }
  }
  const waitFor = (price: number) =>
    databases.durablePool.query(
      'insert into alerts (destination_id, deal_id, target_price) select $1, id, $3 from deals where asin = $2',
      [destination, asin, price],
    )
  const told = async () => (await readDeliveries(databases)).map(({ kind, post }) => `${kind} ${post}`)
  return { databases, costs, waitFor, told }
}

test('a target price that is reached is told of once, however little the price has fallen since a search told', async () => {
  const { costs, waitFor, told, databases } = await waiting()
  await costs(100)
  await waitFor(98)
  await costs(99, 98.01)
  expect(await told()).toEqual(['deal 1'])
  await costs(97.9)
  expect(await told()).toEqual(['deal 1', 'deal 2'])
  expect((await readDeliveries(databases))[1]?.alerts).toHaveLength(2)
  // Up and down again, and a little further.
  await costs(99, 97.5, 96)
  expect(await told()).toEqual(['deal 1', 'deal 2'])
  await costs(93)
  expect(await told()).toEqual(['deal 1', 'deal 2', 'deal 3'])
})

test('after the deal’s end it is told of anew, as one message with the search', async () => {
  const { costs, waitFor, told, databases } = await waiting()
  await costs(100)
  await waitFor(98)
  await costs(97.9)
  await databases.durablePool.query('update alert_episodes set closed_at = now()')
  await databases.durablePool.query('update alert_matches set is_matching = false')
  await costs(99, 97.9)
  expect((await told()).slice(2)).toEqual(['deal 1'])
})

test('one that is reached while the deal waits in a list of quiet hours stays in that list', async () => {
  const { costs, waitFor, told, databases } = await waiting()
  await databases.durablePool.query(
    `insert into peace (user_id, time_zone, follows_device, quiet_from, quiet_to, most_an_hour, most_at_once, digest_at, digest_weekday, paused_until)
     select owner_id, 'UTC', false, null, null, 20, 5, '08:00', 1, now() + interval '1 hour' from destinations`,
  )
  await costs(100)
  await waitFor(98)
  await costs(97.9)
  expect(await told()).toEqual(['list 1'])
  expect((await readDeliveries(databases))[0]?.alerts).toHaveLength(2)
})
