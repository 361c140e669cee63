import { Readable } from 'node:stream'
import type { ImportResult } from '@dealdeck/contract/ingest'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal, nextAsin, nextAsins } from '../../../testing/factories.ts'
import { addWord } from '../blacklist/actions.ts'
import { importBody } from './actions.ts'
import { FairSemaphore, importRules } from './reading/fair-semaphore.ts'
import { sentBodies } from './reading/limits.ts'

const databases = await testDatabases()
const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

let now = new Date('2026-05-01T12:00:00Z')
beforeEach(() => {
  now = new Date(now.getTime() + 60_000)
})

type Row = Record<string, unknown>
type Options = { dry_run?: boolean; map?: string; availability?: string }

function importRows(rows: Row[] | string, options: Options = {}): Promise<ImportResult> {
  const text = typeof rows === 'string' ? rows : JSON.stringify(rows)
  const at = now
  return importBody({ databases, marketplace, clock: () => at }, Readable.from([Buffer.from(text)]), {
    ...{ dry_run: false, map: '', availability: '', source: 'test', limits: sentBodies },
    ...options,
  })
}

const mug = (values: Row = {}): Row => ({
  ...{
    asin: nextAsin(),
    title: 'Enamel mug',
    price: 8,
    original_price: 10,
    availability: 'In stock',
    rating: 4.5,
  },
  ...values,
})

async function stored(asin: unknown) {
  return databases.db.selectFrom('deals').selectAll().where('asin', '=', String(asin)).executeTakeFirst()
}

async function points(asin: unknown) {
  const rows = await databases.db
    .selectFrom('price_points as p')
    .innerJoin('deals as d', 'd.id', 'p.deal_id')
    .where('d.asin', '=', String(asin))
    .orderBy('p.seen_at')
    .select(['p.price', 'p.original_price', 'p.seen_at'])
    .execute()
  return rows.map(({ price, original_price, seen_at }) => [
    seen_at.toISOString().slice(0, 16),
    price,
    original_price,
  ])
}

/** Changes with every write to either table, whatever the write does. */
async function writes() {
  const { rows } = await databases.customPlanPool.query(
    `select (select string_agg(xmin::text || ctid::text, ',' order by id) from deals) as deals,
       (select string_agg(xmin::text || ctid::text, ',' order by deal_id, seen_at) from price_points) as points,
       (select revision from feed_state) as revision`,
  )
  return rows[0]
}

describe('the same again', () => {
  test('writes nothing', async () => {
    const rows = [mug(), mug({ price: '$1,299.00', original_price: null }), mug({ availability: null })]
    expect(await importRows(rows)).toMatchObject({ received: 3, created: 3, hidden_without_availability: 1 })
    const before = await writes()
    now = new Date(now.getTime() + 3_600_000)
    expect(await importRows(rows)).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
    expect(await writes()).toEqual(before)
  })

  test('with times writes nothing either', async () => {
    const rows = [
      mug({ scraped_at: '2026-04-01T10:00:00.123456Z' }),
      mug({ scraped_at: '2026-04-01T10:00:00Z' }),
    ]
    await importRows(rows)
    const before = await writes()
    expect(await importRows(rows)).toMatchObject({ unchanged: 2 })
    expect(await writes()).toEqual(before)
  })
})

describe('fields a body leaves out', () => {
  test('without a column keep what is stored', async () => {
    const full = mug({ reviews: 12, image: 'https://m.media-amazon.com/images/I/a.jpg', is_prime: true })
    await importRows([full])
    expect(await importRows([{ asin: full.asin, title: 'Enamel mug', price: 7 }])).toMatchObject({
      updated: 1,
    })
    expect(await stored(full.asin)).toMatchObject({
      ...{ price: 7, original_price: 10, availability: 'In stock', rating: 4.5, review_count: 12 },
      ...{ prime_eligible: true, image_url: 'https://m.media-amazon.com/images/I/a.jpg' },
    })
  })

  test('with an empty cell clear the original price and the availability, and nothing else', async () => {
    const full = mug()
    await importRows([full])
    await importRows([{ ...full, original_price: '', availability: '', rating: '' }])
    expect(await stored(full.asin)).toMatchObject({ original_price: null, availability: null, rating: 4.5 })
  })

  test('an original price that the new price reaches is no discount any more', async () => {
    const full = mug()
    await importRows([full])
    await importRows([{ asin: full.asin, title: full.title, price: 11 }])
    expect(await stored(full.asin)).toMatchObject({ price: 11, original_price: null })
  })

  test('a given availability fills rows that state none, but not those that say no', async () => {
    const [plain, gone] = [mug({ availability: null }), mug({ availability: 'Currently unavailable.' })]
    await importRows([plain, gone], { availability: 'In stock' })
    expect(await stored(plain.asin)).toMatchObject({ availability: 'In stock', is_visible: true })
    expect(await stored(gone.asin)).toMatchObject({ availability: null, is_visible: false })
  })
})

describe('times', () => {
  const at = (hour: number) => `2026-04-02T${String(hour).padStart(2, '0')}:00:00Z`
  const seen = (asin: string, hour: number, price: number): Row =>
    mug({ asin, price, original_price: 50, checked_at: at(hour) })

  test('the later row of a body wins unless a time says otherwise', async () => {
    const [plain, timed] = [nextAsin(), nextAsin()]
    await importRows([mug({ asin: plain, price: 5 }), mug({ asin: plain, price: 6 })])
    expect(await stored(plain)).toMatchObject({ price: 6 })
    const result = await importRows([seen(timed, 9, 5), seen(timed, 8, 6)])
    expect(result).toMatchObject({ received: 2, created: 1, superseded: 1 })
    expect(await stored(timed)).toMatchObject({ price: 5 })
  })

  test('a series gives one point a change, and none again', async () => {
    const asin = nextAsin()
    const rows = [1, 2, 3, 4, 5].map((hour) => seen(asin, hour, hour < 3 ? 20 : hour < 5 ? 15 : 20))
    const expected = [
      ['2026-04-02T01:00', 20, 50],
      ['2026-04-02T03:00', 15, 50],
      ['2026-04-02T05:00', 20, 50],
    ]
    await importRows(rows)
    expect(await points(asin)).toEqual(expected)
    await importRows(rows)
    expect(await points(asin)).toEqual(expected)
  })

  test('what was seen earlier changes of a deal only since when it is known, whichever body comes first', async () => {
    const [forward, backward] = [nextAsin(), nextAsin()]
    for (const hour of [1, 2, 3]) await importRows([seen(forward, hour, 10 + hour)])
    for (const hour of [3, 2, 1]) {
      const result = await importRows([seen(backward, hour, 10 + hour)])
      expect(result).toMatchObject(hour === 3 ? { created: 1 } : { updated: 1 })
    }
    expect(await stored(backward)).toMatchObject({ price: 13, first_seen: new Date(at(1)) })
    expect(await stored(forward)).toMatchObject({ price: 13, first_seen: new Date(at(1)) })
    expect(await points(backward)).toEqual(await points(forward))
  })

  test('an unchanged later sight still stands against what was seen in between', async () => {
    const asin = nextAsin()
    await importRows([seen(asin, 1, 10)])
    const before = await stored(asin)
    expect(await importRows([seen(asin, 3, 10)])).toMatchObject({ unchanged: 1 })
    expect(await stored(asin)).toMatchObject({ last_updated: before?.last_updated, price: 10 })
    await importRows([seen(asin, 2, 12)])
    expect(await stored(asin)).toMatchObject({ price: 10 })
  })

  test('a time to come counts as now', async () => {
    const asin = nextAsin()
    await importRows([mug({ asin, price: 5, checked_at: '2031-01-01T00:00:00Z' })])
    now = new Date(now.getTime() + 60_000)
    expect(await importRows([mug({ asin, price: 6 })])).toMatchObject({ updated: 1 })
  })
})

describe('around the merge', () => {
  test('a dry run says exactly what the import then does', async () => {
    const [kept, changed] = [mug(), mug()]
    await importRows([kept, changed])
    await makeDeal(databases, { asin: 'B0SAMPLE01', is_sample: true })
    const rows = [
      kept,
      { ...changed, price: 3 },
      mug(),
      mug({ price: 0 }),
      { ...changed, price: 4 },
      mug({ asin: 'B0SAMPLE01' }),
    ]
    const before = await writes()
    const { dry_run: _dry, ...expected } = await importRows(rows, { dry_run: true })
    expect(await writes()).toEqual(before)
    const { dry_run: _wet, ...done } = await importRows(rows)
    expect(done).toEqual(expected)
    expect(done).toMatchObject({ created: 2, updated: 1, unchanged: 1, superseded: 1, rejected_total: 1 })
  })

  test('a blacklisted word hides what arrives, and what is renamed into it', async () => {
    await addWord(databases, 'ＢＡＮＮＥＲ')
    const [hidden, renamed] = [mug({ title: 'Garden bAnNeR' }), mug()]
    await importRows([hidden, renamed])
    expect(await stored(hidden.asin)).toMatchObject({ is_blacklisted: true, is_visible: false })
    expect(await stored(renamed.asin)).toMatchObject({ is_visible: true })
    await importRows([{ ...renamed, title: 'Banner mug' }])
    expect(await stored(renamed.asin)).toMatchObject({ is_visible: false })
  })

  test('the first real import takes the place of the samples, a useless one does not', async () => {
    await makeDeal(databases, { asin: 'B0SAMPLE02', is_sample: true })
    await importRows([mug({ price: -1 })])
    expect(await stored('B0SAMPLE02')).toBeDefined()
    await importRows([mug(), mug({ asin: 'B0SAMPLE02', title: 'A real one' })])
    expect(await stored('B0SAMPLE02')).toMatchObject({ is_sample: false, title: 'A real one' })
  })

  test('many chunks come to the same as one', async () => {
    const rows = Array.from({ length: 9_000 }, (_, at) => mug({ price: 5 + (at % 7), reviews: at }))
    expect(await importRows(rows)).toMatchObject({ received: 9_000, created: 9_000 })
    const half = rows.map((row, at) => (at % 2 ? row : { ...row, price: 99 }))
    expect(await importRows(half)).toMatchObject({ updated: 4_500, unchanged: 4_500, created: 0 })
  })

  test('nothing of a body that breaks off lands', async () => {
    const rows = Array.from({ length: 12_000 }, () => mug())
    const before = await writes()
    await expect(importRows(JSON.stringify(rows).slice(0, -20))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
    expect(await writes()).toEqual(before)
    expect(await importRows([mug()])).toMatchObject({ created: 1 })
  })

  test('every import leaves its row in the history', async () => {
    await importRows([mug(), mug({ title: '' })])
    const last = await databases.db.selectFrom('imports').selectAll().orderBy('id', 'desc').executeTakeFirst()
    expect(last).toMatchObject({ source: 'test', received: 2, created: 1, rejected: 1 })
  })
})

test('200 imports at once end in one row an item with the newest data', async () => {
  const asins = nextAsins(12)
  const order = Array.from({ length: 200 }, (_, at) => (at * 77) % 200)
  const turns = new FairSemaphore({ ...importRules, perMember: 3, queue: 200 })
  const { signal } = new AbortController()
  const upload = { member: 'token 1', signal, body: { pace: undefined }, end: () => undefined }
  const answers = await Promise.all(
    order.map((minute) => {
      const checked_at = new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString()
      const rows = asins.filter((_, at) => (minute + at) % 3 > 0 || minute === 199)
      const mugs = rows.map((asin) =>
        mug({ asin, checked_at, price: 1 + (minute % 9), title: `Mug ${minute}` }),
      )
      return turns.run(upload, () => importRows(mugs))
    }),
  )
  expect(answers.every(({ rejected_total }) => rejected_total === 0)).toBe(true)
  for (const asin of asins) expect(await stored(asin)).toMatchObject({ title: 'Mug 199', price: 2 })
})
