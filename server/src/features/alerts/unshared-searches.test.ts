import { expect, test } from 'vitest'
import { importRows, makeAlert, row, steps } from '../../../testing/alerts.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser, nextAsin } from '../../../testing/factories.ts'
import { makeDestination, startOutbox, testOutbox } from '../../../testing/outbox.ts'
import { startReceiver } from '../../../testing/receiver.ts'
import { sendingRules } from './actions.ts'
import { matcher } from './matching/matcher.ts'

test('what a member calls a search that they share no more stands in no later change of a message of the group', async () => {
  const databases = await testDatabases()
  const { id: owner } = await makeUser(databases)
  const receiver = await startReceiver()
  const group = await makeDestination(databases, receiver.origin, { owner_id: null })
  const { searchId } = await makeAlert(databases, { question: 'lamp', destination: group, owner })
  const setSearch = (values: string) =>
    databases.durablePool.query(`update saved_searches set ${values} where id = $1`, [searchId])
  await setSearch("is_shared = true, name = 'Lamps'")
  const { begin, run } = steps(databases, matcher({ clock: () => new Date() }))
  await begin()
  const asin = nextAsin()
  await importRows(databases, row(asin, 10, 0))
  await run()
  let ahead = 0
  const clock = () => new Date(Date.now() + ahead)
  const outbox = startOutbox(testOutbox(databases, { ...sendingRules, clock }))
  const told = () => receiver.received.map(({ body }) => body.searches)
  await expect.poll(told).toEqual([['Lamps']])
  await setSearch("is_shared = false, name = 'For a surprise'")
  await importRows(databases, row(asin, 9.9, 1))
  await run()
  ahead = 30_000
  outbox.wake()
  await expect.poll(told).toEqual([['Lamps'], []])
})
