import { expect, test } from 'vitest'
import { importRows, makeReader, row, steps } from '../../../testing/alerts.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal, nextAsin } from '../../../testing/factories.ts'
import { hasForgettable, stillMatches } from './actions.ts'
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
  expect(await stillMatches(databases.customPlanPool, waiting)).toEqual(new Set([cheap.id]))
  const others = waiting.map(({ dealId }) => ({ dealId, alertIds: alerts.slice(1) }))
  expect(await stillMatches(databases.customPlanPool, others)).toEqual(new Set())
  await databases.durablePool.query('update users set is_active = false where id = $1', [owner])
  expect(await stillMatches(databases.customPlanPool, waiting)).toEqual(new Set())
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
