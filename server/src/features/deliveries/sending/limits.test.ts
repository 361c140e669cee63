import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import {
  makeDestination,
  queueMatch,
  receiverKind,
  startOutbox,
  testOutbox,
} from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'
import type { SendLimit } from '../kinds/destination-kind.ts'
import { blockKeys, takeLimits } from './limits.ts'

const databases = await testDatabases()
const take = async (...limits: SendLimit[]) => (await takeLimits(databases, [limits]))[0]

test('a limit lets so many through at once, whoever asks, and says when the next one may', async () => {
  const limit = { key: 'bot 1', burst: 3, perSecond: 0.01 }
  const asked = await Promise.all(Array.from({ length: 8 }, () => take(limit)))
  expect(asked.filter((ms) => ms === 0)).toHaveLength(3)
  for (const ms of asked.filter((wait) => wait !== 0)) {
    expect(ms).toBeGreaterThan(90_000)
    expect(ms).toBeLessThanOrEqual(100_000)
  }
})

test('of several limits all are taken or none', async () => {
  const [wide, narrow] = [
    { key: 'a wide one', burst: 2, perSecond: 0.01 },
    { key: 'b narrow one', burst: 1, perSecond: 0.01 },
  ]
  expect(await take(narrow, wide)).toBe(0)
  expect(await take(wide, narrow)).toBeGreaterThan(0)
  expect(await take(wide)).toBe(0)
})

test('of messages that ask together those first get what is left that asked first', async () => {
  const [shared, own] = [
    { key: 'server 1', burst: 3, perSecond: 0.01 },
    { key: 'own 1', burst: 1, perSecond: 0.01 },
  ]
  const waits = await takeLimits(databases, [[shared, own], [shared, own], [], [shared], [shared], [shared]])
  expect(waits.map((ms) => ms === 0)).toEqual([true, false, true, true, true, false])
  for (const ms of waits.filter((wait) => wait !== 0)) expect(ms).toBeGreaterThan(90_000)
  expect(await take(shared)).toBeGreaterThan(90_000)
  expect(await takeLimits(databases, [[{ key: 'new 1', burst: 2, perSecond: 1 }], []])).toEqual([0, 0])
})

test('a host of any length has its limit, and what its service says', async () => {
  // Of letters by chance, which an index can't make shorter.
  const host = Array.from({ length: 120 }, () => randomBytes(30).toString('hex')).join('.')
  const limit = { key: `webhook:${host}`, burst: 1, perSecond: 0.01 }
  expect(await take(limit)).toBe(0)
  expect(await take(limit)).toBeGreaterThan(90_000)
  await blockKeys(databases, [{ key: limit.key, blockedMs: 500_000 }])
  expect(await take(limit)).toBeGreaterThan(400_000)
})

test('what a service has said holds for all who send', async () => {
  const limit = { key: 'chat 1', burst: 100, perSecond: 100 }
  await blockKeys(databases, [{ key: 'chat 1', blockedMs: 60_000 }])
  await blockKeys(databases, [{ key: 'chat 1', blockedMs: 1_000 }])
  expect(await take(limit)).toBeGreaterThan(50_000)
})

test('two that send keep a limit together', async () => {
  const receiver = await startReceiver()
  const limits = [{ key: 'host 1', burst: 5, perSecond: 0.001 }]
  const kinds = [receiverKind('webhook', limits)]
  for (let at = 0; at < 12; at += 1)
    await queueMatch(databases, await makeDestination(databases, receiver.origin))
  startOutbox(testOutbox(databases, { kinds }))
  startOutbox(testOutbox(databases, { kinds }))
  const waiting = async () =>
    (await databases.durablePool.query('select from destinations where resume_at > now()')).rowCount
  await expect.poll(waiting).toBe(7)
  // Of the five that have a turn some may still be on their way.
  await expect.poll(() => receiver.received.length).toBe(5)
})

test('many messages for one destination don’t hold up others', async () => {
  const [crowded, lonely] = [await startReceiver(), await startReceiver()]
  const busy = await makeDestination(databases, crowded.origin)
  await databases.durablePool.query(
    `insert into deliveries (destination_id, kind, state, next_at, content)
     select $1, 'notice', 'queued', now(), '{"title": "Many", "text": ""}' from generate_series(1, 10000)`,
    [busy],
  )
  // As many as are served at once, each with more than it is sent in one turn.
  for (let at = 0; at < 40; at += 1) {
    const id = await makeDestination(databases, crowded.origin)
    await databases.durablePool.query(
      `insert into deliveries (destination_id, kind, state, next_at, content)
       select $1, 'notice', 'queued', now(), '{"title": "Many", "text": ""}' from generate_series(1, 200)`,
      [id],
    )
  }
  const outbox = startOutbox(testOutbox(databases))
  await expect.poll(() => crowded.received.length).toBeGreaterThan(100)
  await queueMatch(databases, await makeDestination(databases, lonely.origin))
  outbox.wake()
  await expect.poll(() => lonely.received.length).toBe(1)
  expect(crowded.received.length).toBeLessThan(2_500)
})
