import { expect, test } from 'vitest'
import { importRows, makeAlert, makeReader, row, steps } from '../../../testing/alerts.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal, makeUser, nextAsin } from '../../../testing/factories.ts'
import {
  makeDestination,
  queueMatch,
  readDelivery,
  startOutbox,
  testOutbox,
} from '../../../testing/outbox.ts'
import { startReceiver } from '../../../testing/receiver.ts'
import { sendDelivery } from '../deliveries/sending/send-delivery.ts'
import { hasForgettable, sendingRules, stillMatches } from './actions.ts'
import { matchForgetting } from './jobs.ts'
import { matcher } from './matching/matcher.ts'

test('of what waited only that is left which somebody still asks for, and may see', async () => {
  const databases = await testDatabases()
  const { alerts, owner } = await makeReader(databases, 'lamp price:<20', 'kettle')
  const [cheap, dear, hidden] = [
    await makeDeal(databases, { title: 'Lamp', price: 10 }),
    await makeDeal(databases, { title: 'Lamp', price: 30 }),
    await makeDeal(databases, { title: 'Lamp', price: 10, availability: null }),
  ]
  const waiting = [cheap, dear, hidden].map(({ id }) => ({ dealId: id, alertIds: alerts }))
  expect(await stillMatches(databases.customPlanPool, waiting)).toEqual([true, false, false])
  const others = waiting.map(({ dealId }) => ({ dealId, alertIds: alerts.slice(1) }))
  expect(await stillMatches(databases.customPlanPool, others)).toEqual([false, false, false])
  await databases.durablePool.query('update users set is_active = false where id = $1', [owner])
  expect(await stillMatches(databases.customPlanPool, waiting)).toEqual([false, false, false])
})

test('how long ago something was is asked as of when the deal was found, also by an alert made anew', async () => {
  const databases = await testDatabases()
  const minutes = (count: number) => new Date(Date.now() + count * 60_000)
  const deal = await makeDeal(databases, { title: 'Lamp', ends_at: minutes(10 * 24 * 60) })
  const times = ['first_seen', 'observed_at', 'last_updated'].map((name) => `${name} = $2`)
  await databases.durablePool.query(`update deals set ${times} where id = $1`, [deal.id, minutes(-180)])
  const questions = ['new:<4h', 'new:1h..1d', 'checked:<4h', 'updated:<4h', '-new:>4h']
  const { alerts, destination } = await makeReader(
    databases,
    ...questions,
    'new:<2h',
    'kettle new:<4h',
    'ends:>9d',
  )
  const asked = { dealId: deal.id, alertIds: alerts.slice(0, 1) }
  const nextWeek = () => minutes(7 * 24 * 60)
  const still = async (alertIds: readonly number[]) =>
    (await stillMatches(databases.customPlanPool, [{ ...asked, alertIds }], nextWeek))[0]
  expect(await Promise.all(alerts.map((id) => still([id])))).not.toContain(true)
  await databases.durablePool.query(
    'insert into alert_episodes (destination_id, deal_id, price, opened_at) values ($1, $2, 1, $3)',
    [destination, deal.id, minutes(-30)],
  )
  const expected = [...questions.map(() => true), false, false, false]
  expect(await Promise.all(alerts.map((id) => still([id])))).toEqual(expected)
  // Found by an earlier time of its own; what happened since is no older for that.
  await databases.durablePool.query(
    `insert into alert_matches (alert_id, deal_id, is_matching, price, matched_at)
     select a.id, $1, true, 1, $2 from alerts a where a.destination_id = $3`,
    [deal.id, minutes(-100), destination],
  )
  expect(await Promise.all(alerts.map((id) => still([id])))).toEqual([
    ...questions.map(() => true),
    true,
    // When it ends lies ahead, and counts as of now.
    ...[false, false],
  ])
  await databases.durablePool.query('update deals set observed_at = $2 where id = $1', [deal.id, minutes(0)])
  expect(await still(alerts.slice(2, 3))).toBe(true)
})

test('what was found long ago and is found no more is forgotten', async () => {
  const databases = await testDatabases()
  await makeReader(databases, 'lamp')
  const { begin, run } = steps(databases, matcher({ clock: () => new Date() }))
  await begin()
  const [ended, open] = [nextAsin(), nextAsin()]
  await importRows(databases, row(ended, 10, 0), row(open, 10, 0))
  await run()
  await importRows(databases, row(ended, 10, 1, { availability: null }))
  await run()
  await importRows(databases, row(ended, 10, 2))
  await importRows(databases, row(ended, 10, 3, { availability: null }))
  await run()
  const job = matchForgetting({ databases })
  expect(await job.due()).toEqual([])
  await databases.durablePool.query(`update alert_episodes set opened_at = opened_at - interval '31 days',
    closed_at = closed_at - interval '31 days'`)
  await databases.durablePool.query("update alert_matches set matched_at = matched_at - interval '31 days'")
  expect(await job.due()).toEqual([{}])
  await job.run({}, new AbortController().signal)
  expect(await hasForgettable(databases)).toBe(false)
  const { rows } = await databases.durablePool.query(
    'select d.asin, e.closed_at from alert_episodes e join deals d on d.id = e.deal_id join alert_matches m on m.episode_id = e.id',
  )
  expect(rows).toEqual([{ asin: open, closed_at: null }])
})

test('what matched no more when its message was due is told of as new once it matches again', async () => {
  const databases = await testDatabases()
  const { id: owner } = await makeUser(databases)
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin, { owner_id: owner })
  await makeAlert(databases, { question: 'lamp price:<20', destination, owner })
  const { begin, run } = steps(databases, matcher({ clock: () => new Date() }))
  await begin()
  const asin = nextAsin()
  const see = async (price: number, minute: number) => {
    await importRows(databases, row(asin, price, minute))
    await run()
  }
  const states = async () => {
    const { rows } = await databases.durablePool.query('select state from deliveries order by id')
    return rows.map(({ state }) => state)
  }
  await see(10, 0)
  await see(30, 1)
  startOutbox(testOutbox(databases, sendingRules))
  await expect.poll(states).toEqual(['skipped'])
  await see(10, 2)
  await expect.poll(states).toEqual(['skipped', 'sent'])
  expect(receiver.received).toMatchObject([{ body: { deal: { amount: 10 } } }])
  // By now it was told, so that the same again is nothing new.
  await see(30, 3)
  await see(10, 4)
  expect(await states()).toEqual(['skipped', 'sent'])
})

test('what its alerts are in the way of says so, not that it matches no more', async () => {
  const databases = await testDatabases()
  const receiver = await startReceiver()
  const { id: owner } = await makeUser(databases)
  const destination = await makeDestination(databases, receiver.origin, { owner_id: owner })
  const deps = testOutbox(databases, sendingRules)
  const pause = 'update alerts set is_paused = true where id = $1'
  const remove = 'delete from alerts where id = $1'
  const search = (values: string) =>
    `update saved_searches set ${values} where id = (select search_id from alerts where id = $1)`
  const { id: other } = await makeUser(databases)
  const reasonOf = async (question: string, ...changes: string[]) => {
    const alerts: number[] = []
    for (const _ of changes) alerts.push((await makeAlert(databases, { question, destination, owner })).id)
    const deal = await makeDeal(databases, { title: 'Lamp' })
    const { id } = await queueMatch(databases, destination, { dealId: deal.id, alertIds: alerts })
    for (const [at, change] of changes.entries())
      if (change) await databases.durablePool.query(change, [alerts[at]])
    await sendDelivery(deps, id, new AbortController().signal)
    return (await readDelivery(databases, id)).reason
  }
  expect(await reasonOf('kettle', '')).toBe('It no longer matches.')
  expect(await reasonOf('lamp', pause)).toBe('Its alert is paused.')
  expect(await reasonOf('lamp', remove)).toBe('Its alert was removed.')
  expect(await reasonOf('lamp', search('deleted_at = now()'))).toBe('Its search was deleted.')
  expect(await reasonOf('lamp', search(`owner_id = ${other}`))).toBe('Its search isn’t shared any more.')
  expect(await reasonOf('lamp', pause, remove)).toBe('Its alerts were paused or removed.')
  expect(await reasonOf('kettle', pause, '')).toBe('It no longer matches.')
  expect(receiver.received).toEqual([])
})
