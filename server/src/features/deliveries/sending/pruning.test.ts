import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDestination, queueMatch } from '../../../../testing/outbox.ts'
import { takeLimits } from './limits.ts'
import { hasOldDeliveries, pruneDeliveries } from './pruning.ts'

const databases = await testDatabases()

test('what was sent a month ago is forgotten with its deals, and limits that nobody asks for; what waits stays, and what can still change', async () => {
  const destination = await makeDestination(databases, 'http://127.0.0.1:1')
  const [old, recent, waiting, running, ended] = [
    await queueMatch(databases, destination),
    await queueMatch(databases, destination),
    await queueMatch(databases, destination),
    await queueMatch(databases, destination),
    await queueMatch(databases, destination),
  ]
  const age = (id: number, days: number, state: string, next: string) =>
    databases.durablePool.query(
      `update deliveries set created_at = now() - $2 * interval '1 day', state = $3, next_at = ${next} where id = $1`,
      [id, days, state],
    )
  await age(old.id, 31, 'sent', 'null')
  await age(recent.id, 29, 'sent', 'null')
  await age(waiting.id, 31, 'queued', 'now()')
  for (const { id } of [running, ended]) await age(id, 31, 'edited', 'null')
  await databases.durablePool.query("update deliveries set message_id = 'm' where state = 'edited'")
  await databases.durablePool.query('update alert_episodes set closed_at = now() where id = $1', [
    ended.episodeId,
  ])
  await takeLimits(databases, [[{ key: 'unused', burst: 1, perSecond: 1 }]])
  await databases.durablePool.query("update delivery_limits set as_of = now() - interval '2 days'")
  await takeLimits(databases, [[{ key: 'in use', burst: 1, perSecond: 1 }]])
  expect(await hasOldDeliveries(databases)).toBe(true)
  await pruneDeliveries(databases, new AbortController().signal)
  const left = async (sql: string) => (await databases.customPlanPool.query(sql)).rows.map(({ it }) => it)
  expect(await left('select id as it from deliveries order by id')).toEqual([
    ...[recent.id, waiting.id, running.id],
  ])
  expect(await left('select delivery_id as it from delivery_deals order by 1')).toEqual([
    ...[recent.id, waiting.id, running.id],
  ])
  expect(await left('select key as it from delivery_limits')).toEqual(['in use'])
  expect(await hasOldDeliveries(databases)).toBe(false)
})
