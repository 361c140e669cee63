import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { publish, recordAdded } from '../../../../testing/streams.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { LiveBus } from '../../../platform/live/live-bus.ts'
import { addWord } from '../../blacklist/actions.ts'
import { withDealWrites } from '../actions.ts'
import { beginEpoch } from '../publisher.ts'
import type { ReadChanges } from './changes.ts'
import { follow, type Handler } from './follower.ts'
import { pruneEvents } from './pruning.ts'

const log = pino({ level: 'silent' })

/** A process of its own as far as the database can see, that follows. */
async function following(databases: Databases, name: string, handler: Handler) {
  const bus = new LiveBus(databases, log)
  const follower = follow({ databases, bus, log }, name, handler)
  await bus.start()
  const stop = async () => {
    await follower.stop()
    await bus.close()
  }
  onTestFinished(stop)
  await expect.poll(() => positionOf(databases, name)).toBeDefined()
  return stop
}

async function positionOf({ customPlanPool }: Databases, name: string): Promise<number | undefined> {
  const { rows } = await customPlanPool.query('select position from followers where name = $1', [name])
  return rows[0]?.position
}

/** Keeps what it is told. */
function keeping(): { told: ReadChanges[]; handler: Handler; deals(): number[] } {
  const told: ReadChanges[] = []
  const handler: Handler = async (more) => {
    told.push(more)
    return undefined
  }
  const deals = () =>
    told.flatMap(({ revisions }) => revisions.flatMap(({ changes }) => changes.map(({ deal_id }) => deal_id)))
  return { told, handler, deals }
}

test('a follower begins at the present and is told of each change, before and after, in order', async () => {
  const databases = await testDatabases()
  await publish({ databases }, 1)
  const { told, handler } = keeping()
  await following(databases, 'judge', handler)
  const deal = await makeDeal(databases, { title: 'Copper kettle', price: 20, original_price: 30.5 })
  await addWord(databases, 'kettle')
  await withDealWrites(databases, (writes) => recordAdded(writes, 8, 9))
  await expect.poll(() => told.at(-1)?.through).toBe(3)
  const state = { price: 20, original_price: 30.5, availability: 'In stock' }
  const added = { is_visible: true, price: 1, original_price: null, availability: 'In stock' }
  const revisions = told.flatMap((part) => part.revisions)
  expect(revisions.map(({ made_at: _, ...revision }) => revision)).toEqual([
    {
      ...{ revision: 2, import_id: null, confirmed: [] },
      changes: [
        {
          ...{ deal_id: deal.id, old_facts: null },
          ...{ before: { ...state, is_visible: true }, after: { ...state, is_visible: false } },
        },
      ],
    },
    {
      ...{ revision: 3, import_id: null, confirmed: [] },
      changes: [8, 9].map((deal_id) => ({ deal_id, before: null, after: added, old_facts: null })),
    },
  ])
  expect(told.some(({ hasMissed }) => hasMissed)).toBe(false)
  await expect.poll(() => positionOf(databases, 'judge')).toBe(3)
})

test('what a handler wrote goes with it when it fails, and is written once in the end', async () => {
  const databases = await testDatabases()
  await databases.durablePool.query('create table told (revision bigint primary key, synchronous text)')
  let failures = 2
  const woken: number[] = []
  await following(databases, 'writer', async ({ revisions, through }, client) => {
    for (const { revision } of revisions)
      await client.query("insert into told values ($1, current_setting('synchronous_commit'))", [revision])
    failures -= 1
    if (failures >= 0) throw new Error('not yet')
    return () => woken.push(through)
  })
  await publish({ databases }, 1)
  await publish({ databases }, 2)
  await expect.poll(() => positionOf(databases, 'writer')).toBe(2)
  // The test's server waits for no disk by itself.
  const { rows } = await databases.customPlanPool.query('select * from told order by revision')
  expect(rows).toEqual([1, 2].map((revision) => ({ revision, synchronous: 'on' })))
  await expect.poll(() => woken.at(-1)).toBe(2)
})

test('of two processes one at a time is told, each change once, and the other goes on when it ends', async () => {
  const databases = await testDatabases()
  const [one, other] = [keeping(), keeping()]
  const stop = await following(databases, 'shared', one.handler)
  await following(databases, 'shared', other.handler)
  for (let id = 1; id <= 20; id += 1) await publish({ databases }, id)
  await expect.poll(() => positionOf(databases, 'shared')).toBe(20)
  await stop()
  for (let id = 21; id <= 25; id += 1) await publish({ databases }, id)
  await expect.poll(() => positionOf(databases, 'shared')).toBe(25)
  const all = [...one.deals(), ...other.deals()].toSorted((a, b) => a - b)
  expect(all).toEqual(Array.from({ length: 25 }, (_, at) => at + 1))
})

test('a follower whose position was lost begins again, and is told that it missed some', async () => {
  const databases = await testDatabases()
  const { told, handler } = keeping()
  await following(databases, 'lost', handler)
  await publish({ databases }, 1)
  await expect.poll(() => positionOf(databases, 'lost')).toBe(1)
  await databases.durablePool.query('delete from followers')
  await publish({ databases }, 2)
  await expect.poll(() => positionOf(databases, 'lost')).toBe(2)
  expect(told.map(({ hasMissed }) => hasMissed)).toEqual([false, true, false])
})

test('a handler that fails is not begun again by each change', async () => {
  const databases = await testDatabases()
  let begun = 0
  await following(databases, 'failing', async () => {
    begun += 1
    throw new Error('no')
  })
  for (let id = 1; id <= 10; id += 1) await publish({ databases }, id)
  await expect.poll(() => begun).toBeGreaterThan(0)
  for (let id = 11; id <= 30; id += 1) await publish({ databases }, id)
  expect(begun).toBeLessThan(5)
})

test('a look hands over a few thousand deals, however many have changed', async () => {
  const databases = await testDatabases()
  await databases.durablePool.query("insert into followers (name, position) values ('judge', 0)")
  for (let chunk = 0; chunk < 6; chunk += 1)
    await withDealWrites(databases, (writes) =>
      recordAdded(writes, ...Array.from({ length: 1_500 }, (_, at) => chunk * 1_500 + at)),
    )
  const { rows } = await databases.customPlanPool.query<{ revision: number }>(
    'select revision from feed_state',
  )
  const { told, handler, deals } = keeping()
  await following(databases, 'judge', handler)
  await expect.poll(() => positionOf(databases, 'judge')).toBe(rows[0]?.revision)
  expect(told.length).toBeGreaterThan(1)
  expect(
    Math.max(...told.map((part) => part.revisions.flatMap(({ changes }) => changes).length)),
  ).toBeLessThan(5_001)
  expect(deals()).toEqual(Array.from({ length: 9_000 }, (_, id) => id))
})

const keptDays = { CHANGES_KEPT_DAYS: 7 }
const ageBy = (databases: Databases, days: number, condition: string) =>
  databases.durablePool.query(
    `update feed_events set created_at = created_at - $1 * interval '1 day' where ${condition}`,
    [days],
  )

test('what the slowest follower needs is kept for so many days, after which it is told that it missed some', async () => {
  const databases = await testDatabases()
  await databases.durablePool.query("insert into followers (name, position) values ('slow', 0), ('quick', 5)")
  for (let id = 1; id <= 5; id += 1) await publish({ databases }, id)
  await ageBy(databases, 6, 'revision <= 3')
  expect(await pruneEvents(databases, keptDays)).toEqual({ events: 0, changes: 0 })
  await ageBy(databases, 2, 'revision <= 3')
  expect(await pruneEvents(databases, keptDays)).toEqual({ events: 0, changes: 3 })
  const { told, handler } = keeping()
  const stop = await following(databases, 'slow', handler)
  await expect.poll(() => positionOf(databases, 'slow')).toBe(5)
  expect(
    told.map(({ after, through, hasMissed, revisions }) => [after, through, hasMissed, revisions.length]),
  ).toEqual([
    [0, 3, true, 0],
    [3, 5, false, 2],
  ])
  await stop()
  // Everybody has dealt with them.
  expect(await pruneEvents(databases, keptDays)).toEqual({ events: 0, changes: 2 })
})

test('of events the last 20,000 stay, and those that somebody still has to be told of', async () => {
  const databases = await testDatabases()
  const { durablePool } = databases
  await durablePool.query(`insert into feed_events (revision) select n from generate_series(1, 20005) as n;
    update feed_state set revision = 20005; insert into followers (name, position) values ('slow', 3)`)
  expect(await pruneEvents(databases, keptDays)).toEqual({ events: 3, changes: 0 })
  await ageBy(databases, 8, 'revision = 4')
  expect(await pruneEvents(databases, keptDays)).toEqual({ events: 1, changes: 0 })
  await durablePool.query("delete from followers where name = 'slow'")
  expect(await pruneEvents(databases, keptDays)).toEqual({ events: 1, changes: 0 })
  expect(await pruneEvents(databases, keptDays)).toEqual({ events: 0, changes: 0 })
})

test('revisions that were left out, or written by a process of the release before, count as missed', async () => {
  const databases = await testDatabases()
  const { told, handler } = keeping()
  await databases.durablePool.query("insert into followers (name, position) values ('judge', 0)")
  await publish({ databases }, 1)
  await databases.durablePool.query(
    'with state as (update feed_state set revision = 2) insert into feed_events (revision, added) values (2, array[5])',
  )
  await publish({ databases }, 3)
  await beginEpoch(databases.durablePool, 7)
  await following(databases, 'judge', handler)
  await expect.poll(() => positionOf(databases, 'judge')).toBe(8)
  expect(told.map(({ after, through, hasMissed }) => [after, through, hasMissed])).toEqual([
    [0, 1, false],
    [1, 2, true],
    [2, 3, false],
    [3, 8, true],
  ])
})
