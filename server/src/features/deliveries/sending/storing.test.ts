import { expect, test } from 'vitest'
import { whenDone } from '../../../../testing/cleanup.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDestination, queueMatch, readDelivery, testOutbox } from '../../../../testing/outbox.ts'
import { claimDestinations, releaseAll } from './claims.ts'
import { storeAll } from './storing.ts'
import { takeDue } from './taking.ts'

const databases = await testDatabases()

/** Two destinations that are claimed, each with a message that is taken. */
async function takeTwo() {
  const ids = [await makeDestination(databases, 'http://a'), await makeDestination(databases, 'http://b')]
  for (const id of ids) await queueMatch(databases, id)
  const claims = await claimDestinations(databases, ids, new Date())
  const taken = await takeDue(databases, claims, new Date())
  return { claims, taken: taken.flatMap((due) => due ?? []) }
}

const answersOf = async (ids: readonly number[]) =>
  (
    await databases.durablePool.query(
      'select state, reason, answer, next_at, message_id from deliveries where id = any($1) order by id',
      [ids],
    )
  ).rows

test('what becomes of several messages is stored at once, but for what is another’s by now', async () => {
  const { taken } = await takeTwo()
  const [first, second] = taken
  if (!first || !second) throw new Error('Both are due')
  const sent = { state: 'sent' as const, reason: '', next_at: null, sent_version: 1, attempts: 1 }
  const stored = await storeAll(
    databases,
    [
      {
        due: first,
        change: { ...sent, message_id: 'm 1', answer: `cut in the middle of \u{1f600}`.slice(0, -1) },
      },
      { due: { ...second, claim: '00000000-0000-4000-8000-000000000000' }, change: sent },
    ],
    new Date(),
    'skip',
  )
  expect(stored).toEqual([true, undefined])
  expect(await answersOf([first.id, second.id])).toEqual([
    expect.objectContaining({ state: 'sent', answer: 'cut in the middle of \ufffd', message_id: 'm 1' }),
    expect.objectContaining({ state: 'queued', message_id: null }),
  ])
})

test('a row that somebody holds keeps no other one of its batch from being stored', async () => {
  const { taken } = await takeTwo()
  const [held, free] = taken
  if (!held || !free) throw new Error('Both are due')
  const { writes } = testOutbox(databases).group
  const locks = await databases.patientPool.connect()
  whenDone(async () => locks.release(true))
  await locks.query('begin')
  await locks.query('select from deliveries where id = $1 for update', [held.id])
  const change = { state: 'sent' as const, reason: '', next_at: null, sent_version: 1, attempts: 1 }
  const [waiting, done] = [writes.store({ due: held, change }), writes.store({ due: free, change })]
  expect(await done).toBe(true)
  expect(await readDelivery(databases, held.id)).toMatchObject({ state: 'queued' })
  await locks.query('rollback')
  expect(await waiting).toBe(true)
  expect(await readDelivery(databases, held.id)).toMatchObject({ state: 'sent' })
})

test('a message whose row is held is marked by what is true behind the wait', async () => {
  const { claims, taken } = await takeTwo()
  const [target, due] = [claims[0], taken[0]]
  if (!target || !due) throw new Error('Both are there')
  const { rows } = await databases.durablePool.query<{ deal_id: number }>(
    'select deal_id from delivery_deals where delivery_id = $1',
    [due.id],
  )
  const dealIds = rows.map(({ deal_id }) => deal_id)
  const locks = await databases.patientPool.connect()
  whenDone(async () => locks.release(true))
  await locks.query('begin')
  await locks.query('select from deliveries where id = $1 for update', [due.id])
  const marked = testOutbox(databases).group.writes.markSending({ target, due, dealIds })
  const waiting = async () =>
    (
      await databases.durablePool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
    ).rowCount
  await expect.poll(waiting).toBe(1)
  await databases.durablePool.query('update deals set hidden_at = now() where id = any($1)', [dealIds])
  await locks.query('rollback')
  expect(await marked).toBeUndefined()
  expect(await readDelivery(databases, due.id)).toMatchObject({ state: 'queued' })
})

test('of destinations given back together each says whether it is still what was claimed', async () => {
  const { claims } = await takeTwo()
  const [same, changed] = claims
  if (!same || !changed) throw new Error('Both were free')
  await databases.durablePool.query('update destinations set settings = $2 where id = $1', [
    changed.id,
    JSON.stringify({ url: 'http://c' }),
  ])
  const lost = { ...same, busy_by: '00000000-0000-4000-8000-000000000000' }
  const resumeAt = new Date('2030-01-01T00:00:00Z')
  const releases = [same, changed, lost].map((target) => ({ target, resumeAt }))
  expect(await releaseAll(databases, releases, 'skip')).toEqual([true, false, undefined])
  const { rows } = await databases.durablePool.query(
    'select resume_at, busy_by from destinations where id = any($1) order by id',
    [[same.id, changed.id]],
  )
  expect(rows).toEqual([
    { resume_at: resumeAt, busy_by: null },
    { resume_at: null, busy_by: null },
  ])
})
