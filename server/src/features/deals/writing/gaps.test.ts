import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { type ImportOptions, importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { dealEnding } from '../jobs.ts'

const databases = await testDatabases()
const { durablePool, customPlanPool } = databases
const { MARKETPLACE: marketplace } = readSettings({})

const at = (time: string) => `2026-03-${time.replace(' ', 'T')}:00Z`

async function importRows(rows: object[], more: Partial<ImportOptions> = {}) {
  const stated = rows.map((row) => ({ title: 'Copper kettle', price: 20, availability: 'In stock', ...row }))
  const options = { dry_run: false, map: '', availability: '', source: 'test', limits: sentBodies, ...more }
  const deps = { databases, marketplace, clock: () => new Date() }
  await importBody(deps, Readable.from([Buffer.from(JSON.stringify(stated))]), options)
}
const seen = (asin: string, time: string, more: object = {}, options: Partial<ImportOptions> = {}) =>
  importRows([{ asin, observed_at: at(time), ...more }], options)
/** A list of everything of that time. */
const list = (asin: string, time: string, options: Partial<ImportOptions> = {}) =>
  seen(asin, time, {}, { missing: 'hide', confirm: true, ...options })

/** Each point as price, when it was seen and until when, in March. */
async function points(asin: string) {
  const { rows } = await customPlanPool.query<Record<string, unknown>>(
    `select p.price, to_char(p.seen_at at time zone 'UTC', 'DD HH24:MI') as seen,
       to_char(p.confirmed_until at time zone 'UTC', 'DD HH24:MI') as confirmed
     from price_points p join deals d on d.id = p.deal_id where d.asin = $1 order by p.seen_at`,
    [asin],
  )
  return rows.map((row) => Object.values(row))
}

const isShown = async (asin: string) =>
  (await customPlanPool.query('select from deals where asin = $1 and is_visible', [asin])).rowCount === 1

async function endPassed() {
  const kind = dealEnding({ databases })
  for (const due of await kind.due()) await kind.run(due, new AbortController().signal)
}

test('each later list of everything confirms that a deal is not offered, once a day', async () => {
  const [asin, listed] = [nextAsin(), nextAsin()]
  await seen(asin, '01 08:00')
  await list(listed, '02 08:00')
  await list(listed, '03 08:00')
  await list(listed, '03 12:00')
  expect(await points(asin)).toEqual([
    [20, '01 08:00', '01 08:00'],
    [null, '02 08:00', '03 08:00'],
  ])
  // What no list says is unknown, and what may not be kept says nothing.
  await list(listed, '05 12:00', { history: 'none' })
  await list(listed, '08 08:00')
  await list(listed, '09 08:00')
  // A list that is older than the sight says nothing of it either.
  await list(listed, '07 08:00')
  await seen(asin, '10 08:00')
  await list(listed, '09 20:00')
  expect((await points(asin)).slice(1)).toEqual([
    [null, '02 08:00', '03 08:00'],
    [null, '08 08:00', '09 08:00'],
    [20, '10 08:00', '10 08:00'],
  ])
})

test('a sight between two lists that leave the deal out cuts the gap that they confirmed', async () => {
  const [asin, listed] = [nextAsin(), nextAsin()]
  await seen(asin, '01 08:00')
  await list(listed, '02 08:00')
  await list(listed, '04 08:00')
  await seen(asin, '03 08:00')
  expect(await points(asin)).toEqual([
    [20, '01 08:00', '01 08:00'],
    [null, '02 08:00', '02 08:00'],
    [20, '03 08:00', '03 08:00'],
    [null, '04 08:00', '04 08:00'],
  ])
  expect(await isShown(asin)).toBe(false)
  await seen(asin, '05 08:00')
  expect(await isShown(asin)).toBe(true)
})

test('a gap begins where the stated end of a deal passes, and lists confirm it', async () => {
  const [asin, unkept, listed] = [nextAsin(), nextAsin(), nextAsin()]
  const later = { ends_at: new Date(Date.now() + 3_600_000).toISOString() }
  await seen(asin, '01 08:00', later)
  await seen(unkept, '01 08:00')
  await seen(unkept, '01 12:00', later, { history: 'none' })
  await durablePool.query('update deals set ends_at = $1 where asin = any($2)', [
    at('01 20:00'),
    [asin, unkept],
  ])
  await endPassed()
  const known = [20, '01 08:00', '01 08:00']
  expect(await points(asin)).toEqual([known, [null, '01 20:00', '01 20:00']])
  expect(await points(unkept)).toEqual([known])
  await list(listed, '03 08:00')
  expect(await points(asin)).toEqual([known, [null, '01 20:00', '03 08:00']])
})

test.each(['as its first sight', 'after others', 'in one body'])(
  'a gap begins at an end that has passed when it is heard of, %s',
  async (how) => {
    const asin = nextAsin()
    const [first, second] = ['01 08:00', '01 16:00'].map((time) => ({ asin, observed_at: at(time) }))
    const ending = { ...second, ends_at: at('02 06:00') }
    if (how === 'after others') await importRows([first ?? {}])
    await importRows(how === 'in one body' ? [first ?? {}, ending] : [ending])
    const from = how === 'as its first sight' ? '01 16:00' : '01 08:00'
    const expected = [
      [20, from, '01 16:00'],
      [null, '02 06:00', '02 06:00'],
    ]
    expect(await points(asin)).toEqual(expected)
    await importRows([ending])
    expect(await points(asin)).toEqual(expected)
  },
)

test('an end that passed between two sights is a gap, in whatever order they come', async () => {
  const rows = (asin: string) => [
    { asin, observed_at: at('01 08:00'), ends_at: at('01 20:00') },
    { asin, observed_at: at('02 08:00') },
  ]
  const [whole, single, late] = [nextAsin(), nextAsin(), nextAsin()]
  await importRows(rows(whole))
  for (const row of rows(single)) await importRows([row])
  for (const row of rows(late).toReversed()) await importRows([row])
  for (const asin of [whole, single, late])
    expect(await points(asin)).toEqual([
      [20, '01 08:00', '01 08:00'],
      [null, '01 20:00', '01 20:00'],
      [20, '02 08:00', '02 08:00'],
    ])
})

test('a gap begins with the sight that says it is over, though one at its stated end was known already', async () => {
  const asin = nextAsin()
  await seen(asin, '01 08:00', { ends_at: at('02 20:00') })
  await seen(asin, '02 08:00', { state: 'expired' })
  await seen(asin, '03 08:00', { state: 'expired' })
  expect(await points(asin)).toEqual([
    [20, '01 08:00', '01 08:00'],
    [null, '02 08:00', '03 08:00'],
  ])
})

test('a gap goes where its end turns out to have been put off', async () => {
  const asin = nextAsin()
  await seen(asin, '01 08:00', { ends_at: at('02 06:00') })
  await seen(asin, '01 16:00', { ends_at: at('04 06:00') })
  expect(await points(asin)).toEqual([
    [20, '01 08:00', '01 16:00'],
    [null, '04 06:00', '04 06:00'],
  ])
  await seen(asin, '02 16:00', { ends_at: new Date(Date.now() + 3_600_000).toISOString() })
  expect(await isShown(asin)).toBe(true)
  expect(await points(asin)).toEqual([[20, '01 08:00', '02 16:00']])
})

test('a gap at an end that is put off goes, also where the sight that says so may not be kept', async () => {
  const [asin, listed] = [nextAsin(), nextAsin()]
  const later = { ends_at: new Date(Date.now() + 3_600_000).toISOString() }
  await seen(asin, '01 08:00', { ends_at: at('02 06:00') })
  await seen(asin, '01 16:00', { price: 15, ...later }, { history: 'none' })
  expect(await isShown(asin)).toBe(true)
  expect(await points(asin)).toEqual([[20, '01 08:00', '01 08:00']])
  await seen(asin, '01 20:00')
  expect(await points(asin)).toEqual([[20, '01 08:00', '01 20:00']])
  // One that lists have confirmed stands: they say that the deal was over.
  await seen(listed, '01 08:00', { ends_at: at('02 06:00') })
  await list(asin, '03 08:00')
  await seen(listed, '01 16:00', later, { history: 'none' })
  expect(await isShown(listed)).toBe(false)
  expect((await points(listed)).at(-1)).toEqual([null, '02 06:00', '03 08:00'])
})

test.each([
  ['another end that has passed', { ends_at: at('02 07:00') }],
  ['an earlier one', { ends_at: at('01 20:00') }],
  [
    'one to come, though it is over',
    { state: 'expired', ends_at: new Date(Date.now() + 3_600_000).toISOString() },
  ],
])('of a deal that is still over the gap stays where what may not be kept states %s', async (_what, more) => {
  const asin = nextAsin()
  await seen(asin, '01 08:00', { ends_at: at('02 06:00') })
  await seen(asin, '01 16:00', more, { history: 'none' })
  expect(await isShown(asin)).toBe(false)
  expect((await points(asin)).at(-1)).toEqual([null, '02 06:00', '02 06:00'])
})

test.each(['keep', 'none'] as const)(
  'a gap that lasts until a stated end is cut where that is put off, with history=%s',
  async (history) => {
    const asin = nextAsin()
    await seen(asin, '01 08:00', { ends_at: at('02 06:00') })
    await seen(asin, '01 12:00', { state: 'expired' })
    expect((await points(asin)).at(-1)).toEqual([null, '01 12:00', '02 06:00'])
    await seen(asin, '01 16:00', { ends_at: new Date(Date.now() + 3_600_000).toISOString() }, { history })
    expect(await isShown(asin)).toBe(true)
    await seen(asin, '01 20:00')
    const expected = [
      [20, '01 08:00', '01 08:00'],
      [null, '01 12:00', '01 12:00'],
      [20, history === 'keep' ? '01 16:00' : '01 20:00', '01 20:00'],
    ]
    expect(await points(asin)).toEqual(expected)
    await seen(asin, '01 20:00')
    expect(await points(asin)).toEqual(expected)
  },
)
