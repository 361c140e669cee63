import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { publish } from '../../../../testing/streams.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { LiveBus } from '../../../platform/live/live-bus.ts'
import { eventPruning } from '../jobs.ts'
import { follow } from './follower.ts'
import { endAbsentFollowers, readFollowerLags } from './lag.ts'
import { pruneEvents } from './pruning.ts'

const settings = { CHANGES_KEPT_DAYS: 7 }
const silent = pino({ level: 'silent' })

const addFollower = ({ durablePool }: Databases, name: string, position: number, daysAgo: number) =>
  durablePool.query("insert into followers values ($1, $2, now() - $3 * interval '1 day')", [
    name,
    position,
    daysAgo,
  ])
const age = ({ durablePool }: Databases, seconds: number) =>
  durablePool.query("update feed_events set created_at = created_at - $1 * interval '1 second'", [seconds])

/** Follows until the test ends; what it was told. */
async function following(databases: Databases, name: string) {
  const told: boolean[] = []
  const bus = new LiveBus(databases, silent)
  const follower = follow({ databases, bus, log: silent }, name, async ({ hasMissed }) => {
    told.push(hasMissed)
    return undefined
  })
  onTestFinished(async () => {
    await follower.stop()
    await bus.close()
  })
  await bus.start()
  return told
}

test('each follower’s lag is known in revisions and in seconds since the oldest it has not dealt with', async () => {
  const databases = await testDatabases()
  for (let id = 1; id <= 3; id += 1) await publish({ databases }, id)
  await age(databases, 90)
  await publish({ databases }, 4)
  await addFollower(databases, 'current', 4, 0)
  await addFollower(databases, 'slow', 1, 0)
  const [current, slow] = await readFollowerLags(databases)
  expect(current).toEqual({ name: 'current', revisions: 0, seconds: 0 })
  expect(slow).toMatchObject({ name: 'slow', revisions: 3 })
  expect(slow?.seconds).toBeGreaterThanOrEqual(90)
})

test('the job that prunes ends a follower that nobody runs any more, which then holds nothing back', async () => {
  const databases = await testDatabases()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).follower) })
  for (let id = 1; id <= 3; id += 1) await publish({ databases }, id)
  await addFollower(databases, 'renamed', 1, 8)
  await addFollower(databases, 'slow', 1, 6)
  await addFollower(databases, 'idle', 3, 30)
  const { kind, followers } = eventPruning({ databases, settings, log })
  expect(await kind.due()).toEqual([{}])
  expect(followers().map(({ name }) => name)).toEqual(['idle', 'renamed', 'slow'])
  await kind.run({}, new AbortController().signal)
  expect(lines).toEqual(['renamed'])
  expect(await kind.due()).toEqual([])
  expect(followers().map(({ name }) => name)).toEqual(['idle', 'slow'])
  await databases.durablePool.query("delete from followers where name = 'slow'")
  expect(await pruneEvents(databases, settings)).toEqual({ events: 0, changes: 2 })
})

test('a follower that had ended and comes back is told that it missed some', async () => {
  const databases = await testDatabases()
  await publish({ databases }, 1)
  await addFollower(databases, 'back', 0, 8)
  expect(await endAbsentFollowers(databases, settings)).toEqual(['back'])
  const told = await following(databases, 'back')
  await expect.poll(() => told.length).toBeGreaterThan(0)
  expect(told[0]).toBe(true)
})

test('a follower that is there says so although nothing changes, and is never ended', async () => {
  const databases = await testDatabases()
  await publish({ databases }, 1)
  await addFollower(databases, 'idle', 1, 8)
  await following(databases, 'idle')
  const isFresh = async () =>
    (
      await databases.customPlanPool.query(
        "select moved_at > now() - interval '1 day' as fresh from followers",
      )
    ).rows[0]?.fresh
  await expect.poll(isFresh).toBe(true)
})
