import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { importRows, makeReader, markSent, readDeliveries, row, steps } from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { lockAlert, readAlert } from '../keeping/alert-rows.ts'
import { queueMatching } from '../keeping/matching-now.ts'
import { tellReached } from '../keeping/reached-targets.ts'
import { matcher } from './matcher.ts'

const clock = () => new Date()

test('a deal that comes to match while its reader has what matches sent is told of once', async () => {
  const databases = await testDatabases()
  const { owner, alerts } = await makeReader(databases, 'lamp')
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

/** A member who was told of a lamp at 100 by a search, and at 97 by a target price of 98 that it then rose above; it costs 80 now, which nobody has judged yet. */
async function fallingAgain() {
  const databases = await testDatabases()
  const { owner, destination } = await makeReader(databases, 'lamp')
  const { begin, run } = steps(databases, matcher({ clock }))
  await begin()
  const asin = nextAsin()
  let minutes = 0
  const costs = (price: number) => importRows(databases, row(asin, price, ++minutes))
  const told = async () => {
    await run()
    await markSent(databases)
  }
  await costs(100)
  await told()
  const { rows } = await databases.durablePool.query<{ id: number }>(
    'insert into alerts (destination_id, deal_id, target_price) select $1, id, 98 from deals where asin = $2 returning id',
    [destination, asin],
  )
  for (const price of [97, 99]) {
    await costs(price)
    await told()
  }
  await databases.durablePool.query('update alerts set last_matched_at = null')
  await costs(80)
  const client = await databases.durablePool.connect()
  await client.query('begin')
  const alert = await lockAlert(client, { id: owner, isAdministrator: false }, rows[0]?.id ?? 0)
  const kinds = async () => (await readDeliveries(databases)).map(({ kind, post }) => `${kind} ${post}`)
  return { client, alert, run, kinds }
}

test('who changes an alert and the matcher don’t wait for each other: the alert first', async () => {
  const { client, alert, run, kinds } = await fallingAgain()
  const judged = run()
  await sleep(300)
  await tellReached(client, alert, clock())
  await client.query('commit')
  client.release()
  await judged
  expect(await kinds()).toEqual(['deal 1', 'deal 2', 'deal 3'])
})

test('who changes an alert and the matcher don’t wait for each other: the episode first', async () => {
  const { client, alert, run, kinds } = await fallingAgain()
  const query = client.query.bind(client)
  let judged: Promise<void> | undefined
  // As found in another episode, so that it is written what was found in this one.
  await client.query('update alert_matches set episode_id = null')
  await client.query('commit')
  await client.query('begin')
  Object.assign(client, {
    query: async (text: string, values: unknown[]) => {
      if (text.includes('insert into alert_matches')) {
        judged = run()
        await sleep(300)
      }
      return query(text, values)
    },
  })
  await tellReached(client, alert, clock())
  await query('commit')
  client.release(true)
  expect(judged).toBeDefined()
  await judged
  expect(await kinds()).toEqual(['deal 1', 'deal 2', 'deal 3'])
})
