import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser } from '../../../testing/factories.ts'
import { sessionSweeping } from './jobs.ts'

const dayMs = 86_400_000

test('sessions that are over are deleted, and no other by a machine whose clock is far ahead', async () => {
  const databases = await testDatabases()
  const { id } = await makeUser(databases)
  await databases.durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at) values
       ('over', $1, now() - interval '1 minute'), ('open', $1, now() + interval '1 day')`,
    [id],
  )
  const left = async () =>
    (
      await databases.customPlanPool.query("select encode(token_hash, 'escape') as token from sessions")
    ).rows.map(({ token }) => token)
  const { due, run } = sessionSweeping({ databases, clock: () => new Date(Date.now() + 400 * dayMs) })
  expect(await due()).toEqual([{}])
  await run({}, new AbortController().signal)
  expect(await left()).toEqual(['open'])
  expect(await due()).toEqual([])
  const behind = sessionSweeping({ databases, clock: () => new Date(Date.now() - dayMs) })
  await databases.durablePool.query("update sessions set expires_at = now() - interval '1 minute'")
  expect(await behind.due()).toEqual([])
  await behind.run({}, new AbortController().signal)
  expect(await left()).toEqual(['open'])
})
