import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'

const databases = await testDatabases()
const { durablePool, customPlanPool } = databases
const { MARKETPLACE: marketplace } = readSettings({})

/** Sights of one item in March 2026. */
const observed = (price: number, time: string) => ({
  price,
  observed_at: `2026-03-${time.replace(' ', 'T')}:00Z`,
})

async function importRows(asin: string, ...rows: object[]) {
  const stated = rows.map((row) => ({ asin, title: 'Copper kettle', availability: 'In stock', ...row }))
  const options = { dry_run: false, map: '', availability: '', source: 'test', limits: sentBodies }
  const deps = { databases, marketplace, clock: () => new Date() }
  await importBody(deps, Readable.from([Buffer.from(JSON.stringify(stated))]), options)
}

async function mark(asin: string, price: number, isWrong = true) {
  await durablePool.query(
    'update price_points set is_wrong = $3 where price = $2 and deal_id = (select id from deals where asin = $1)',
    [asin, price, isWrong],
  )
}

/** Each point as its price, its day, and whether it is marked. */
async function marks(asin: string) {
  const { rows } = await customPlanPool.query(
    `select p.price, extract(day from seen_at) as day, is_wrong from price_points p join deals d on d.id = p.deal_id
     where asin = $1 order by seen_at`,
    [asin],
  )
  return rows.map(({ price, day, is_wrong }) => [price, Number(day), is_wrong])
}

test('a price marked as wrong stays so when its run turns out longer or is cut, and not beside one that is right', async () => {
  const asin = nextAsin()
  const sights = ['04 08:00', '06 08:00', '08 08:00'].map((time) => observed(3, time))
  await importRows(asin, observed(20, '01 08:00'), ...sights)
  await mark(asin, 3)
  await importRows(asin, observed(3, '09 08:00'))
  await importRows(asin, observed(3, '03 08:00'))
  const wrong = [
    [20, 1, false],
    [3, 3, true],
  ]
  expect(await marks(asin)).toEqual(wrong)
  await importRows(asin, observed(20, '06 08:00'))
  expect(await marks(asin)).toEqual([...wrong, [20, 6, false], [3, 9, true]])
  await importRows(asin, observed(4, '09 08:00'))
  expect((await marks(asin))[3]).toEqual([4, 9, false])
})

test('a mark that was taken back stays so when what was wrong before it turns out to be the same run', async () => {
  const asin = nextAsin()
  await importRows(asin, observed(20, '01 08:00'), observed(3, '03 08:00'))
  await mark(asin, 3)
  await importRows(asin, observed(3, '06 08:00'))
  await durablePool.query('update price_points set is_wrong = false where seen_at = $1', [
    '2026-03-06T08:00:00Z',
  ])
  await importRows(asin, observed(3, '05 08:00'))
  expect(await marks(asin)).toEqual([
    [20, 1, false],
    [3, 3, false],
  ])
})

test('a mark stays where its price is told again as of the same time', async () => {
  const asin = nextAsin()
  await importRows(asin, observed(20, '01 08:00'), observed(3, '03 08:00'))
  await mark(asin, 3)
  await importRows(asin, observed(3, '03 08:00'), observed(3, '04 08:00'))
  await importRows(asin, observed(3, '05 08:00'))
  expect(await marks(asin)).toEqual([
    [20, 1, false],
    [3, 3, true],
  ])
})

test.each(['one by one', 'in one body'])(
  'a price that was wrong is wrong again when it returns, until that is taken back, %s',
  async (how) => {
    const asin = nextAsin()
    const hear = async (...rows: object[]) => {
      if (how === 'in one body') await importRows(asin, ...rows)
      else for (const row of rows) await importRows(asin, row)
    }
    await importRows(asin, observed(20, '01 08:00'), observed(3, '02 08:00'), observed(20, '03 08:00'))
    await mark(asin, 3)
    // After a silence, and after another price.
    await hear(observed(3, '04 08:00'), observed(3, '08 08:00'), observed(20, '09 08:00'))
    const wrong = [
      [20, 1, false],
      [3, 2, true],
      [20, 3, false],
      [3, 4, true],
      [3, 8, true],
      [20, 9, false],
    ]
    expect(await marks(asin)).toEqual(wrong)
    await durablePool.query('update price_points set is_wrong = false where seen_at = $1', [
      '2026-03-08T08:00:00Z',
    ])
    await hear(observed(3, '10 08:00'), observed(20, '11 08:00'), observed(3, '12 08:00'))
    expect((await marks(asin)).slice(4)).toEqual([
      [3, 8, false],
      [20, 9, false],
      [3, 10, false],
      [20, 11, false],
      [3, 12, false],
    ])
  },
)
