import { expect, test } from 'vitest'
import {
  importRows,
  makeAlert,
  makeReader,
  markSent,
  readDeliveries,
  row,
  steps,
} from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { makeUser, nextAsin } from '../../../../testing/factories.ts'
import { addWord } from '../../blacklist/actions.ts'
import { matcher } from './matcher.ts'

const clock = () => new Date()

async function matching(...questions: string[]) {
  const databases = await testDatabases()
  const reader = await makeReader(databases, ...questions)
  const { begin, run, killed, missed } = steps(databases, matcher({ clock }))
  await begin()
  const send = async (...rows: object[]) => {
    await importRows(databases, ...rows)
    await run()
  }
  const told = async () =>
    (await readDeliveries(databases)).map(({ deal, post, price }) => [deal, post, price])
  return { databases, ...reader, run, killed, missed, send, told, asin: nextAsin() }
}

test('a deal that comes to match is told of once, however often the same is imported', async () => {
  const { send, told, asin, databases, alerts } = await matching('lamp price:<20')
  await send(row(asin, 25, 0))
  expect(await told()).toEqual([])
  await send(row(asin, 19, 1))
  for (let minute = 2; minute < 30; minute += 1) await send(row(asin, 19, minute))
  expect(await told()).toEqual([[asin, 1, 19]])
  const { rows } = await databases.durablePool.query('select last_matched_at from alerts where id = $1', [
    alerts[0],
  ])
  expect(rows[0]?.last_matched_at).not.toBeNull()
})

test('a new deal that matches is told of, and one that matched before the alert was made is not', async () => {
  const { send, told, asin, databases, owner, destination } = await matching('kettle')
  const later = nextAsin()
  await send(row(asin, 15, 0))
  await makeAlert(databases, { question: 'lamp', destination, owner })
  await send(row(asin, 14, 1), row(later, 14, 1))
  expect(await told()).toEqual([[later, 1, 14]])
})

test('it is told of again when the price falls further by a share of the lowest that was told of', async () => {
  const { send, told, asin, databases } = await matching('lamp')
  await send(row(asin, 100, 0))
  await send(row(asin, 96, 1))
  await send(row(asin, 120, 2))
  await send(row(asin, 95.01, 3))
  expect(await told()).toEqual([[asin, 1, 100]])
  await markSent(databases)
  await send(row(asin, 95, 4))
  expect(await told()).toEqual([
    [asin, 1, 95],
    [asin, 2, 95],
  ])
})

test('once it no longer matches and then does again nothing is told, unless it is cheaper', async () => {
  const { send, told, asin } = await matching('lamp price:<20')
  for (const [minute, price] of [19, 30, 19, 30, 18.5].entries()) await send(row(asin, price, minute))
  expect(await told()).toHaveLength(1)
  await send(row(asin, 30, 5), row(asin, 12, 6))
  expect(await told()).toHaveLength(2)
})

test('another price, and the end, change what was sent; after its end it is told of anew', async () => {
  const { send, told, asin, databases } = await matching('lamp')
  const wanted = async () => (await readDeliveries(databases)).map((one) => one.wanted)
  await send(row(asin, 50, 0))
  await markSent(databases)
  await send(row(asin, 50, 1, { rating: 4 }))
  expect(await wanted()).toEqual([1])
  await send(row(asin, 49, 2))
  expect(await wanted()).toEqual([2])
  await send(row(asin, 49, 3, { availability: null }))
  expect(await wanted()).toEqual([3])
  await send(row(asin, 48, 4, { availability: null }))
  expect(await wanted()).toEqual([3])
  await send(row(asin, 49, 5))
  expect(await told()).toEqual([
    [asin, 1, 50],
    [asin, 1, 49],
  ])
  expect(await wanted()).toEqual([3, 1])
})

test('what ended and came back between two looks is told of anew, once', async () => {
  const { send, told, asin, databases, run } = await matching('lamp')
  await send(row(asin, 50, 0))
  await importRows(databases, row(asin, 50, 1, { availability: null }))
  await importRows(databases, row(asin, 50, 2))
  await run()
  await run()
  expect(await told()).toHaveLength(2)
})

test('a second search of the same destination is named in the message, and another destination has its own', async () => {
  const { send, asin, databases, alerts, destination } = await matching('lamp', 'price:<40', 'kettle')
  const other = await makeReader(databases, 'lamp')
  await send(row(asin, 42, 0))
  await markSent(databases)
  await send(row(asin, 39.99, 1))
  expect(await readDeliveries(databases)).toMatchObject([
    { destination, alerts: [alerts[0], alerts[1]], wanted: 2 },
    { destination: other.destination, alerts: [other.alerts[0]] },
  ])
})

test('a deal that nobody may see is never told of', async () => {
  const { send, told, databases, run } = await matching('lamp', 'is:hidden', 'lamp OR is:hidden')
  await addWord(databases, 'secret')
  await send(row(nextAsin(), 5, 0, { title: 'Secret lamp' }), row(nextAsin(), 5, 0, { availability: null }))
  await run()
  expect(await told()).toEqual([])
})

test('one that is hidden by a word has its messages changed', async () => {
  const { send, asin, databases, run } = await matching('lamp')
  await send(row(asin, 5, 0))
  await markSent(databases)
  await addWord(databases, 'lamp')
  await run()
  expect(await readDeliveries(databases)).toMatchObject([{ wanted: 2 }])
  const { rows } = await databases.durablePool.query('select is_matching from alert_matches')
  expect(rows).toEqual([{ is_matching: false }])
})

test('a target price is told of at or below it', async () => {
  const { send, told, asin, databases, destination } = await matching()
  await send(row(asin, 30, 0), row(nextAsin(), 10, 0))
  await databases.durablePool.query(
    'insert into alerts (destination_id, deal_id, target_price) select $1, id, 20 from deals where asin = $2',
    [destination, asin],
  )
  await send(row(asin, 20.01, 1))
  expect(await told()).toEqual([])
  await send(row(asin, 20, 2))
  expect(await told()).toEqual([[asin, 1, 20]])
})

test.for([
  ['a paused alert', 'update alerts set is_paused = true'],
  ['a paused destination', 'update destinations set is_paused = true'],
  ['a destination that is gone', "update destinations set state = 'gone'"],
  ['a destination that is not confirmed', "update destinations set state = 'unconfirmed'"],
  ['a removed search', 'update saved_searches set deleted_at = now()'],
  ['a search of somebody else that is shared no more', 'update saved_searches set owner_id = $1'],
  ['a member who is not active', 'update users set is_active = false'],
  ['a member who is not let in', "update users set status = 'pending'"],
])('%s is never told of anything, from the next change on', async ([, statement = '']) => {
  const { send, told, databases } = await matching('lamp')
  const { id: other } = await makeUser(databases)
  await send(row(nextAsin(), 5, 0))
  expect(await told()).toHaveLength(1)
  await databases.durablePool.query(statement.replace('$1', String(other)))
  await send(row(nextAsin(), 5, 0))
  expect(await told()).toHaveLength(1)
})

test('a question that is changed asks anew from the next change on', async () => {
  const { send, told, asin, databases } = await matching('lamp')
  await send(row(asin, 30, 0, { title: 'Kettle' }))
  await databases.durablePool.query("update saved_searches set question = 'kettle price:<20'")
  await send(row(asin, 10, 1, { title: 'Kettle' }), row(nextAsin(), 10, 1))
  expect(await told()).toEqual([[asin, 1, 10]])
})

test('what is not known any more is not sent; what was sent says what is true', async () => {
  const { send, told, asin, databases, missed } = await matching('lamp')
  const gone = nextAsin()
  await send(row(asin, 50, 0), row(gone, 50, 0))
  await markSent(databases)
  await importRows(databases, row(nextAsin(), 5, 1), row(gone, 50, 1, { availability: null }))
  await missed()
  expect(await told()).toHaveLength(2)
  expect((await readDeliveries(databases)).map(({ wanted }) => wanted)).toEqual([2, 2])
  await send(row(gone, 50, 2))
  expect(await told()).toHaveLength(3)
})

test('a handler that is killed before its commit leaves nothing, and run again writes everything once', async () => {
  const { asin, databases, killed, run, told } = await matching('lamp')
  await importRows(databases, row(asin, 50, 0))
  await killed()
  expect(await told()).toEqual([])
  await killed()
  await run()
  await run()
  expect(await told()).toEqual([[asin, 1, 50]])
})
