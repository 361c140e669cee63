import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { importRows, makeReader, readDeliveries, row, steps } from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsins } from '../../../../testing/factories.ts'
import { LiveBus } from '../../../platform/live/live-bus.ts'
import { followForAlerts } from '../jobs.ts'
import { matcher } from './matcher.ts'

const clock = () => new Date()
const log = pino({ level: 'silent' })

/** Polls of a source: prices go up and down, deals end and return, rows are repeated. */
function polls(count: number): object[][] {
  const asins = nextAsins(12)
  return Array.from({ length: count }, (_, minute) => {
    const rows = asins.map((asin, at) => {
      const price = 10 + ((minute * (at + 3)) % 23)
      return row(asin, price, minute, (minute + at) % 7 === 0 ? { availability: null } : {})
    })
    return [...rows, ...rows.slice(0, 3)]
  })
}

test('a stream of polls that comes twice, out of order and with repeated rows brings not one message more', async () => {
  const databases = await testDatabases()
  const { owner } = await makeReader(databases, 'lamp price:<20', 'price:<14')
  await databases.durablePool.query(
    `insert into peace (user_id, time_zone, follows_device, most_an_hour, most_at_once, digest_at, digest_weekday)
     values ($1, 'UTC', false, 1000, 100, '08:00', 1)`,
    [owner],
  )
  const { begin, run } = steps(databases, matcher({ clock }))
  await begin()
  const stream = polls(16)
  for (const rows of stream) {
    await importRows(databases, ...rows)
    await run()
  }
  const told = (await readDeliveries(databases)).length
  expect(told).toBeGreaterThan(12)
  for (const rows of [...stream, ...stream.toReversed()]) {
    await importRows(databases, ...rows)
    await run()
  }
  expect(await readDeliveries(databases)).toHaveLength(told)
})

test('two processes that follow write together what one would, and one goes on when the other ends', async () => {
  const databases = await testDatabases()
  await makeReader(databases, 'lamp')
  const start = async () => {
    const bus = new LiveBus(databases, log)
    const follower = followForAlerts({ databases, bus, log, clock })
    await bus.start()
    await follower.begin()
    const stop = async () => {
      await follower.stop()
      await bus.close()
    }
    onTestFinished(stop)
    return stop
  }
  const [stop] = [await start(), await start()]
  const asins = nextAsins(30)
  for (const [at, asin] of asins.entries()) {
    if (at === 15) await stop()
    await importRows(databases, row(asin, 10, at))
  }
  const told = async () => (await readDeliveries(databases)).map(({ deal }) => deal).toSorted()
  await expect.poll(told, { timeout: 10_000 }).toEqual(asins.toSorted())
})
