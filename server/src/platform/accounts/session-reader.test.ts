import { expect, test, vi } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser } from '../../../testing/factories.ts'
import { systemClock } from '../clock.ts'
import { SessionReader } from './session-reader.ts'
import { hashToken, toKey } from './sessions.ts'

const databases = await testDatabases()
const pool = databases.reservedPool

async function makeSessions(
  userId: number,
  tokens: readonly string[],
  expires = "now() + interval '1 day'",
): Promise<void> {
  await databases.durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at, last_used_address) select token, $2, ${expires}, '' from unnest($1::bytea[]) as token`,
    [tokens.map(hashToken), userId],
  )
}

test('sessions that many ask for at once are read together, each told of its own', async () => {
  const [one, other, locked] = [
    await makeUser(databases),
    await makeUser(databases),
    await makeUser(databases, { is_active: false }),
  ]
  const tokens = (name: string) => Array.from({ length: 150 }, (_, at) => `${name} ${at}`)
  await makeSessions(one.id, tokens('one'))
  await makeSessions(other.id, tokens('other'))
  await makeSessions(locked.id, ['locked'])
  await makeSessions(one.id, ['over'], 'now()')
  const asked = vi.spyOn(pool, 'query')
  const reader = new SessionReader(pool, systemClock)
  const read = (all: readonly string[]) => Promise.all(all.map((token) => reader.read(toKey(token))))
  const [ones, others, none] = await Promise.all([
    read(tokens('one')),
    read(tokens('other')),
    read(['unknown', 'locked', 'over', '']),
  ])
  expect(ones.map((session) => session?.id)).toEqual(Array(150).fill(one.id))
  expect(others.map((session) => session?.id)).toEqual(Array(150).fill(other.id))
  expect(none).toEqual(Array(4).fill(undefined))
  // Two at once begin with one each; the others come together.
  expect(asked.mock.calls.length).toBeLessThanOrEqual(6)
})

test('what a statement fails of is told to all who were asked for by it, and to nobody after', async () => {
  const user = await makeUser(databases)
  await makeSessions(user.id, ['member'])
  const reader = new SessionReader(pool, systemClock)
  vi.spyOn(pool, 'query').mockRejectedValue(new Error('gone'))
  const failed = await Promise.allSettled(['member', 'a', 'b', 'c'].map((token) => reader.read(toKey(token))))
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['rejected']))
  vi.restoreAllMocks()
  expect(await reader.read(toKey('member'))).toMatchObject({ id: user.id })
})
