import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin, nextAsins } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { type ImportOptions, importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'

const databases = await testDatabases()
const { durablePool, customPlanPool } = databases
const { MARKETPLACE: marketplace } = readSettings({})
let now = '2026-03-01T10:00:00Z'

/** Imports rows of one item as of `now`; returns the import's id. */
async function importRows(asin: string, ...rows: object[]): Promise<number> {
  return importWith({}, asin, ...rows)
}

/** The same with more that is said of the import. */
async function importWith(more: Partial<ImportOptions>, asin: string, ...rows: object[]): Promise<number> {
  const stated = rows.map((row) => ({ asin, title: 'Copper kettle', availability: 'In stock', ...row }))
  const options = {
    ...{ dry_run: false, map: '', availability: '' },
    source: 'test',
    limits: sentBodies,
    ...more,
  }
  const deps = { databases, marketplace, clock: () => new Date(now) }
  await importBody(deps, Readable.from([Buffer.from(JSON.stringify(stated))]), options)
  const { rows: last } = await customPlanPool.query('select max(id) as id from imports')
  return last[0].id
}

/** Each point as price, when it was seen, until when it is confirmed (both without the day's year and month), and its import. */
async function points(asin: string) {
  const { rows } = await customPlanPool.query<Record<string, unknown>>(
    `select p.price, to_char(p.seen_at at time zone 'UTC', 'DD HH24:MI') as seen,
             to_char(p.confirmed_until at time zone 'UTC', 'DD HH24:MI') as confirmed, p.import_id
           from price_points p join deals d on d.id = p.deal_id where d.asin = $1 order by p.seen_at`,
    [asin],
  )
  return rows.map((row) => Object.values(row))
}
const at = (time: string) => `2026-03-${time.replace(' ', 'T')}:00Z`
const observed = (price: number, time: string) => ({ price, observed_at: at(time) })

test('a price seen again is confirmed until then, and the point before keeps how far it was', async () => {
  const asin = nextAsin()
  now = at('01 10:00')
  const first = await importRows(asin, { price: 20 })
  expect(await points(asin)).toEqual([[20, '01 10:00', '01 10:00', first]])
  now = at('02 10:00')
  await importRows(asin, { price: 20 })
  now = at('09 10:00')
  const other = await importRows(asin, { price: 18 })
  now = at('11 10:00')
  await importRows(asin, { price: 18 })
  expect(await points(asin)).toEqual([
    [20, '01 10:00', '02 10:00', first],
    [18, '09 10:00', '11 10:00', other],
  ])
})

test('within an hour the same price again writes nothing', async () => {
  const asin = nextAsin()
  now = at('01 10:00')
  const id = await importRows(asin, { price: 20 })
  const written = `select p.xmin, d.xmin as deal from price_points p join deals d on d.id = p.deal_id where d.asin = '${asin}'`
  const before = await customPlanPool.query(written)
  now = at('01 11:00')
  await importRows(asin, { price: 20 })
  expect((await customPlanPool.query(written)).rows).toEqual(before.rows)
  now = at('01 11:01')
  await importRows(asin, { price: 20 })
  expect(await points(asin)).toEqual([[20, '01 10:00', '01 11:01', id]])
})

test('several observations of one file are as many imports of one', async () => {
  const asin = nextAsin()
  now = at('20 10:00')
  const series = [
    observed(20, '01 08:00'),
    observed(20, '02 08:00'),
    observed(15, '03 08:00'),
    observed(20, '05 08:00'),
  ]
  const id = await importRows(asin, ...series, observed(20, '06 08:00'))
  const expected = [
    [20, '01 08:00', '02 08:00', id],
    [15, '03 08:00', '03 08:00', id],
    [20, '05 08:00', '06 08:00', id],
  ]
  expect(await points(asin)).toEqual(expected)
  const single = nextAsin()
  const ids: number[] = []
  for (const row of [...series, observed(20, '06 08:00')]) ids.push(await importRows(single, row))
  expect(await points(single)).toEqual(
    expected.map((point, run) => [...point.slice(0, 3), ids[[0, 2, 3][run] ?? 0]]),
  )
})

test('what is heard of late confirms the price of its time, and takes nothing back', async () => {
  const asin = nextAsin()
  now = at('20 10:00')
  const first = await importRows(
    asin,
    observed(20, '01 08:00'),
    observed(15, '10 08:00'),
    observed(15, '12 08:00'),
  )
  await importRows(asin, observed(20, '03 08:00'))
  await importRows(asin, observed(15, '11 08:00'))
  // At the very time of another price the later word counts, with its own origin.
  const corrected = await importRows(asin, observed(14, '10 08:00'))
  expect((await points(asin)).slice(0, 2)).toEqual([
    [20, '01 08:00', '03 08:00', first],
    [14, '10 08:00', '10 08:00', corrected],
  ])
})

test('what is heard of late without a word of list prices has the one of its time, not one that came later', async () => {
  const asin = nextAsin()
  now = at('20 10:00')
  const list = (price: number, original_price: number, time: string) => ({
    ...observed(price, time),
    original_price,
  })
  await importRows(asin, observed(20, '05 08:00'))
  await importRows(asin, list(20, 50, '07 08:00'))
  await importRows(asin, list(20, 40, '09 08:00'))
  for (const time of ['04 08:00', '06 08:00', '08 08:00', '10 08:00'])
    await importRows(asin, observed(20, time))
  const { rows } = await customPlanPool.query(
    `select p.original_price, to_char(p.seen_at at time zone 'UTC', 'DD') as seen, to_char(p.confirmed_until at time zone 'UTC', 'DD') as confirmed
     from price_points p join deals d on d.id = p.deal_id where d.asin = $1 order by p.seen_at`,
    [asin],
  )
  expect(rows.map((row) => Object.values(row))).toEqual([
    [null, '04', '06'],
    [50, '07', '08'],
    [40, '09', '10'],
  ])
})

test('the same price after a long silence is a point of its own, until it is heard that it was there meanwhile', async () => {
  const asin = nextAsin()
  now = at('20 10:00')
  const first = await importRows(asin, observed(20, '01 08:00'), observed(20, '05 08:01'))
  const next = await importRows(asin, observed(20, '09 08:00'))
  expect(await points(asin)).toEqual([
    [20, '01 08:00', '01 08:00', first],
    [20, '05 08:01', '05 08:01', first],
    [20, '09 08:00', '09 08:00', next],
  ])
  await importRows(asin, observed(20, '07 08:00'))
  expect(await points(asin)).toEqual([
    [20, '01 08:00', '01 08:00', first],
    [20, '05 08:01', '09 08:00', first],
  ])
  await importRows(asin, observed(20, '03 08:00'))
  expect((await points(asin)).map(([, since, until]) => [since, until])).toEqual([
    ['01 08:00', '03 08:00'],
    ['05 08:01', '09 08:00'],
  ])
})

test('points of before stay unknown until the price is seen again', async () => {
  const asin = nextAsin()
  now = at('01 10:00')
  await importRows(asin, { price: 20 })
  await durablePool.query(
    `update price_points set confirmed_until = null, import_id = null
     where deal_id = (select id from deals where asin = $1)`,
    [asin],
  )
  expect(await points(asin)).toEqual([[20, '01 10:00', null, null]])
  now = at('01 11:10')
  await importRows(asin, { price: 20 })
  expect(await points(asin)).toEqual([[20, '01 10:00', '01 11:10', null]])
})

test('a deal that is not offered for a while has a gap, and the same price after it is a new one', async () => {
  const asin = nextAsin()
  now = at('20 10:00')
  const gone = { availability: '' }
  const id = await importRows(asin, observed(20, '01 08:00'), observed(20, '02 08:00'))
  const out = await importRows(asin, { ...observed(20, '03 08:00'), ...gone })
  // Whatever price the source goes on to state, nobody is asked for it.
  await importRows(asin, { ...observed(25, '05 08:00'), ...gone })
  const back = await importRows(asin, observed(20, '08 08:00'))
  const whole = [
    [20, '01 08:00', '02 08:00', id],
    [null, '03 08:00', '05 08:00', out],
    [20, '08 08:00', '08 08:00', back],
  ]
  expect(await points(asin)).toEqual(whole)
  const over = await importRows(asin, { ...observed(20, '09 08:00'), state: 'expired' })
  expect(await points(asin)).toEqual([...whole, [null, '09 08:00', '09 08:00', over]])

  const late = nextAsin()
  const sold = await importRows(late, { ...observed(20, '03 08:00'), ...gone })
  expect(await points(late)).toEqual([[null, '03 08:00', '03 08:00', sold]])
})

test('a body without a word about availability says nothing about gaps', async () => {
  const asin = nextAsin()
  now = at('20 10:00')
  const id = await importRows(asin, { ...observed(20, '01 08:00'), availability: undefined })
  expect(await points(asin)).toEqual([[20, '01 08:00', '01 08:00', id]])
})

const seen = fc.record({
  price: fc.integer({ min: 5, max: 7 }),
  availability: fc.constantFrom('In stock', 'In stock', ''),
  state: fc.constantFrom('active', 'active', 'expired'),
  /** In hours from the sight, of what is offered. */
  ends: fc.constantFrom(undefined, undefined, 12, 36),
})

test('sights of a deal one by one end in the same points as in one body', async () => {
  now = at('30 10:00')
  const spans = async (asin: string) => (await points(asin)).map((point) => point.slice(0, 3))
  await fc.assert(
    fc.asyncProperty(fc.array(seen, { minLength: 1, maxLength: 6 }), async (given) => {
      const rows = given.map(({ ends, ...row }, day) => {
        const seen = Date.parse(at(`${day + 10} 08:00`))
        const isOffered = row.state === 'active' && row.availability !== ''
        const ends_at = ends && isOffered ? new Date(seen + ends * 3_600_000).toISOString() : undefined
        return { ...row, observed_at: new Date(seen).toISOString(), ends_at }
      })
      const [whole, single] = [nextAsin(), nextAsin()]
      await importRows(whole, ...rows)
      for (const row of rows) await importRows(single, row)
      expect(await spans(single)).toEqual(await spans(whole))
    }),
    { numRuns: 40 },
  )
})

// Compared with one another, as many points as these have take minutes, for which nobody else could import.
test('a few rows of the past are merged soon, however long the histories are', {
  timeout: 60_000,
}, async () => {
  const asins = nextAsins(60)
  now = at('30 10:00')
  const rows = (price: number, time: string) => asins.map((asin) => ({ asin, ...observed(price, time) }))
  await importRows('', ...rows(5, '30 09:00'))
  const count = 'select count(*) from price_points p join deals d on d.id = p.deal_id where d.asin = any($1)'
  await durablePool.query(
    `insert into price_points (deal_id, seen_at, price, confirmed_until)
     select id, $2::timestamptz - n * interval '1 hour', case when n % 3 > 0 then 1 + n % 7 end, $2::timestamptz - n * interval '1 hour'
     from deals, generate_series(1, 500) n where asin = any($1)`,
    [asins, at('30 08:00')],
  )
  await importRows('', ...rows(6.5, '20 08:30'))
  expect((await customPlanPool.query(count, [asins])).rows).toEqual([{ count: 60 * 502 }])
})

test('what may not be kept changes the deal and leaves no point', async () => {
  const asin = nextAsin()
  now = at('01 10:00')
  const first = await importRows(asin, { price: 20 })
  now = at('02 10:00')
  await importWith({ history: 'none' }, asin, { price: 15 })
  const { rows } = await customPlanPool.query('select price from deals where asin = $1', [asin])
  expect(rows).toEqual([{ price: 15 }])
  const { rows: imports } = await customPlanPool.query(
    'select keeps_history from imports order by id desc limit 2',
  )
  expect(imports).toEqual([{ keeps_history: false }, { keeps_history: true }])
  expect(await points(asin)).toEqual([[20, '01 10:00', '01 10:00', first]])
  const other = nextAsin()
  await importWith({ history: 'none' }, other, observed(8, '01 08:00'), observed(9, '02 08:00'))
  expect(await points(other)).toEqual([])
})

test('a list of everything that leaves a deal out begins a gap, unless its history may not be kept', async () => {
  const [asin, listed] = [nextAsin(), nextAsin()]
  now = at('20 10:00')
  const seenBy = await importRows(asin, observed(20, '01 08:00'))
  await importWith({ missing: 'hide', confirm: true, history: 'none' }, listed, observed(9, '02 08:00'))
  expect(await points(asin)).toHaveLength(1)
  await importRows(asin, observed(20, '03 08:00'))
  const list = await importWith({ missing: 'hide', confirm: true }, listed, observed(9, '04 08:00'))
  const back = await importRows(asin, observed(20, '06 08:00'))
  expect(await points(asin)).toEqual([
    [20, '01 08:00', '03 08:00', seenBy],
    [null, '04 08:00', '04 08:00', list],
    [20, '06 08:00', '06 08:00', back],
  ])
})
