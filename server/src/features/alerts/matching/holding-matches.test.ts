import { expect, test } from 'vitest'
import {
  importRows,
  makeDestination,
  makeReader,
  markSent,
  readDeliveries,
  row,
  steps,
} from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { matcher } from './matcher.ts'

const night = new Date('2026-03-04T23:00:00Z')
const noon = new Date('2026-03-04T12:00:00Z')

async function matching(now: Date, ...questions: string[]) {
  const databases = await testDatabases()
  const reader = await makeReader(databases, ...questions)
  const { begin, run } = steps(databases, matcher({ clock: () => now }))
  await begin()
  const send = async (...rows: object[]) => {
    await importRows(databases, ...rows)
    await run()
  }
  const lists = async () => (await readDeliveries(databases)).map(({ kind, state }) => `${kind} ${state}`)
  return { databases, ...reader, send, lists }
}

const wantPeace = ({ durablePool }: Databases, owner: number | null, most: { hour: number; once: number }) =>
  durablePool.query(
    `insert into peace (user_id, time_zone, follows_device, quiet_from, quiet_to, most_an_hour, most_at_once, digest_at, digest_weekday)
     values ($1, 'UTC', false, '22:00', '07:00', $2, $3, '08:00', 1)`,
    [owner, most.hour, most.once],
  )
const plenty = { hour: 100, once: 50 }
const lamps = (count: number, more: object = {}) =>
  Array.from({ length: count }, () => row(nextAsin(), 10, 0, more))

test('in quiet hours matches become one list for their end, of the owner of the destination only', async () => {
  const { databases, owner, destination, send, lists } = await matching(night, 'lamp')
  await wantPeace(databases, owner, plenty)
  const other = await makeReader(databases, 'lamp')
  await send(...lamps(1))
  await send(...lamps(2))
  const told = await readDeliveries(databases)
  expect(told.filter((one) => one.destination === destination).map(({ kind }) => kind)).toEqual([
    'list',
    'list',
    'list',
  ])
  expect(told.filter((one) => one.destination === other.destination)).toHaveLength(3)
  expect(await lists()).toContain('deal queued')
  const { rows } = await databases.durablePool.query("select next_at from deliveries where state = 'held'")
  expect(rows).toEqual([{ next_at: new Date('2026-03-05T07:00:00Z') }])
})

test('what is urgent comes at night, and digests wait for their time', async () => {
  const { databases, owner, alerts, send, lists } = await matching(night, 'lamp', 'kettle')
  await wantPeace(databases, owner, plenty)
  await databases.durablePool.query('update alerts set urgent_off = 90 where id = $1', [alerts[0]])
  await databases.durablePool.query("update alerts set mode = 'daily' where id = $1", [alerts[1]])
  await send(...lamps(1))
  await send(row(nextAsin(), 15, 0))
  await send(row(nextAsin(), 20, 0, { title: 'Kettle' }))
  expect(await lists()).toEqual(['deal queued', 'list held', 'digest held'])
})

test('a second search that finds a deal urgent has it told although it waits in a list', async () => {
  const { databases, owner, alerts, send, lists } = await matching(night, 'lamp', 'lamp price:<15')
  await wantPeace(databases, owner, plenty)
  await databases.durablePool.query('update alerts set urgent_below = 15 where id = $1', [alerts[1]])
  const asin = nextAsin()
  await send(row(asin, 15.5, 0))
  expect(await lists()).toEqual(['list held'])
  await send(row(asin, 14.9, 1))
  // The list doesn't tell of it once more.
  expect(await lists()).toEqual(['deal queued'])
})

test('what waits in a list and becomes urgent by a small fall is told at once', async () => {
  const { databases, owner, send, lists } = await matching(night, 'lamp')
  await wantPeace(databases, owner, plenty)
  await databases.durablePool.query('update alerts set urgent_below = 14.8')
  const asin = nextAsin()
  for (const [minute, price] of [15, 14.9].entries()) await send(row(asin, price, minute))
  expect(await lists()).toEqual(['list held'])
  await send(row(asin, 14.7, 2))
  expect(await lists()).toEqual(['deal queued'])
})

test('more matches of one search within a minute than are told singly become one list', async () => {
  const { databases, owner, send, lists } = await matching(noon, 'lamp')
  await wantPeace(databases, owner, { hour: 100, once: 3 })
  await send(...lamps(2))
  await send(...lamps(4))
  expect(await lists()).toEqual([
    'deal queued',
    'deal queued',
    ...Array.from({ length: 4 }, () => 'list held'),
  ])
  const { rowCount } = await databases.durablePool.query("select from deliveries where kind = 'list'")
  expect(rowCount).toBe(1)
})

test('more messages than fit into an hour become one list', async () => {
  const { databases, owner, send, lists } = await matching(new Date(), 'lamp')
  await wantPeace(databases, owner, { hour: 2, once: 50 })
  await databases.durablePool.query('update peace set quiet_from = null, quiet_to = null')
  await send(...lamps(1))
  await send(...lamps(3))
  expect((await lists()).toSorted()).toEqual(['deal queued', 'deal queued', 'list held', 'list held'])
})

test('what an hour has no room for is one list, though what was queued is sent a moment later', async () => {
  const { databases, owner, send } = await matching(new Date(), 'lamp')
  await wantPeace(databases, owner, { hour: 2, once: 50 })
  await databases.durablePool.query('update peace set quiet_from = null, quiet_to = null')
  await send(...lamps(3))
  await markSent(databases)
  await send(...lamps(2))
  const { rows } = await databases.durablePool.query(
    "select count(l.*)::int as deals from deliveries d join delivery_deals l on l.delivery_id = d.id where d.kind = 'list' group by d.id",
  )
  expect(rows).toEqual([{ deals: 3 }])
})

test('bursts bring no more messages than an hour has room for', async () => {
  const { databases, owner, send } = await matching(new Date(), 'lamp', 'kettle')
  await wantPeace(databases, owner, { hour: 2, once: 1 })
  await databases.durablePool.query('update peace set quiet_from = null, quiet_to = null')
  const { durablePool } = databases
  // What is sent is sent a moment after it was queued, lists of bursts among it.
  const sendDue = () =>
    durablePool.query(`update deliveries set state = 'sent', sent_at = now(), next_at = null, content = '{}'
      where next_at < now() + interval '1 minute'`)
  for (let at = 0; at < 3; at += 1) {
    await send(...lamps(2))
    await send(row(nextAsin(), 10, at, { title: 'Kettle' }))
    await sendDue()
  }
  const { rows } = await durablePool.query('select state, count(*)::int from deliveries group by state')
  expect(rows.toSorted((one, other) => (one.state < other.state ? -1 : 1))).toEqual([
    { state: 'held', count: 1 },
    { state: 'sent', count: 2 },
  ])
})

test('the group has its own peace', async () => {
  const { databases, owner, send, lists } = await matching(night)
  await wantPeace(databases, null, plenty)
  const group = await makeDestination(databases)
  await databases.durablePool.query(
    `with search as (
       insert into saved_searches (owner_id, name, question, made_at_revision, is_shared) values ($1, 'Lamps', 'lamp', 0, true) returning id
     ) insert into alerts (destination_id, search_id) select $2, id from search`,
    [owner, group],
  )
  await send(...lamps(1))
  expect(await lists()).toEqual(['list held'])
})
