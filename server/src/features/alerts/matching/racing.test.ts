import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { importRows, makeReader, readDeliveries, row, steps } from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { readAlert } from '../keeping/alert-rows.ts'
import { queueMatching } from '../keeping/matching-now.ts'
import { matcher } from './matcher.ts'

test('a deal that comes to match while its reader has what matches sent is told of once', async () => {
  const databases = await testDatabases()
  const { owner, alerts } = await makeReader(databases, 'lamp')
  const clock = () => new Date()
  const { begin, run } = steps(databases, matcher({ clock }))
  await begin()
  await importRows(databases, row(nextAsin(), 10, 0))
  const { rows } = await databases.durablePool.query<{ id: number; price: number }>(
    'select id, price from deals',
  )
  const client = await databases.durablePool.connect()
  await client.query('begin')
  const alert = await readAlert(client, { id: owner, isAdministrator: false }, alerts[0] ?? 0)
  await queueMatching(client, alert, rows, clock())
  // Judges the deal as new, and waits for the other to end.
  const judged = run()
  await sleep(300)
  await client.query('commit')
  client.release()
  await judged
  expect((await readDeliveries(databases)).map(({ kind }) => kind)).toEqual(['list'])
})

test('what matched already and was asked for counts as no burst: the next match is told at once', async () => {
  const databases = await testDatabases()
  const { owner, alerts } = await makeReader(databases, 'lamp')
  const clock = () => new Date()
  const { begin, run } = steps(databases, matcher({ clock }))
  await importRows(databases, ...Array.from({ length: 6 }, () => row(nextAsin(), 10, 0)))
  await begin()
  const { rows } = await databases.durablePool.query<{ id: number; price: number }>(
    'select id, price from deals',
  )
  const client = await databases.durablePool.connect()
  const alert = await readAlert(client, { id: owner, isAdministrator: false }, alerts[0] ?? 0)
  await queueMatching(client, alert, rows, clock())
  client.release()
  await importRows(databases, row(nextAsin(), 10, 1))
  await run()
  expect((await readDeliveries(databases)).at(-1)).toMatchObject({ kind: 'deal', state: 'queued' })
})
