import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { DealdeckProcess, serversOn, temporaryFolder } from '../../../../testing/dealdeck-process.ts'
import { publish, recordAdded } from '../../../../testing/streams.ts'
import { openDatabases } from '../../../platform/database/database.ts'
import { migrate } from '../../../platform/database/migrations.ts'
import { startEmbeddedDatabase } from '../../../platform/embedded/embedded-database.ts'
import { LiveBus } from '../../../platform/live/live-bus.ts'
import { withDealWrites } from '../actions.ts'
import { follow } from './follower.ts'

// A database server is started, killed and started again.
vi.setConfig({ testTimeout: 60_000 })

const databases = await testDatabases()
const { durablePool, customPlanPool } = databases

/** A process that follows as 'written down' and inserts what it is told into `told`. */
async function startFollower(env: Record<string, string> = {}): Promise<DealdeckProcess> {
  const process = new DealdeckProcess('../testing/follower-process.ts', [], {
    ...{ DATABASE_URL: databases.url },
    ...env,
  })
  onTestFinished(async () => {
    process.kill('SIGKILL')
    await process.ended()
  })
  await process.says(/follows/)
  // It begins at what is the present once it has said so in the database.
  await expect.poll(async () => (await customPlanPool.query('select from followers')).rowCount).toBe(1)
  return process
}

const databaseEventOf = async () =>
  (await customPlanPool.query('select deal_id from told order by revision')).rows.map(
    ({ deal_id }) => deal_id,
  )

test('a follower killed between reading and moving on loses nothing: another process goes on where it was', async () => {
  await durablePool.query('create table told (revision bigint primary key, deal_id bigint)')
  const hanging = await startFollower({ HANGS: 'yes' })
  await publish({ databases }, 1)
  await hanging.says(/hangs before 1/)
  // The other one finds it at work; what happens meanwhile waits.
  const other = await startFollower()
  await publish({ databases }, 2)
  await publish({ databases }, 3)
  expect(await databaseEventOf()).toEqual([])
  hanging.kill('SIGKILL')
  await other.says(/committed 3/)
  expect(await databaseEventOf()).toEqual([1, 2, 3])
  other.kill('SIGKILL')
  await other.ended()
  await publish({ databases }, 4)
  const third = await startFollower()
  await third.says(/committed 4/)
  expect(await databaseEventOf()).toEqual([1, 2, 3, 4])
})

test('what a follower has dealt with survives a crash of the database, though nobody else waited for the disk', async () => {
  const log = pino({ level: 'silent' })
  const dataDir = await temporaryFolder()
  const server = await startEmbeddedDatabase({ dataDir, log })
  await migrate(server.url)
  const before = openDatabases(server.url, () => undefined)
  const { rows } = await before.durablePool.query('select current_user as me')
  // By itself nothing here waits: not the writer, as in chunks of an import, and not the follower's connection.
  await before.durablePool.query(`alter role "${rows[0].me}" set synchronous_commit = off`)
  await before.close()

  const databases = openDatabases(server.url, () => undefined)
  const bus = new LiveBus(databases, log)
  const { promise: announced, resolve: announce } = Promise.withResolvers<number>()
  const follower = follow(
    { databases, bus, log },
    'announcer',
    async ({ through }) =>
      () =>
        announce(through),
  )
  await bus.start()
  const isThere = async () => (await databases.durablePool.query('select from followers')).rowCount
  await expect.poll(isThere).toBe(1)
  await withDealWrites(databases, (writes) => recordAdded(writes, 7))
  expect(await announced).toBe(1)
  for (const pid of serversOn(dataDir)) process.kill(pid, 'SIGKILL')
  await Promise.allSettled([follower.stop(), bus.close(), databases.close()])
  await server.stop()

  const again = await startEmbeddedDatabase({ dataDir, log })
  onTestFinished(() => again.stop())
  const after = openDatabases(again.url, () => undefined)
  const { rows: kept } = await after.durablePool.query(
    'select position, (select array_agg(added) from feed_events) as added from followers',
  )
  await after.close()
  expect(kept).toEqual([{ position: 1, added: [7] }])
})
