import { setTimeout as sleep } from 'node:timers/promises'
import type { ImportResult } from '@dealdeck/contract/ingest'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin, nextAsins } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { type ImportOptions, importBody } from '../actions.ts'
import { sentBodies } from '../reading/limits.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const items = 12_000

// Long texts, so that so few rows are a body worth two connections, most of them compared before its end.
const title = 'Walnut tray '.repeat(40).trim()
const filler = 'x'.repeat(1_900)
const asins = nextAsins(items)

type Row = { asin: string; price: number; original_price?: number }

const rows = (state: Omit<Row, 'asin'>): Row[] => asins.map((asin) => ({ asin, ...state }))

type Sender = {
  /** Done before the last row is sent. */
  beforeLast?: (() => Promise<void>) | undefined
  /** Done after each hundredth row, with its place, instead of a short rest. */
  pace?: ((at: number) => Promise<unknown>) | undefined
}

async function* bytesOf(body: readonly Row[], { beforeLast, pace }: Sender): AsyncGenerator<Buffer> {
  for (const [at, row] of body.entries()) {
    const image_url = `https://pictures.example/${filler}${row.asin}.jpg`
    yield Buffer.from(`${JSON.stringify({ title, image_url, ...row })}\n`)
    if (at === body.length - 1) await beforeLast?.()
    // As a file or a sender, which lets the database answer in between.
    if (at % 100 === 0) await (pace ? pace(at) : sleep(1))
  }
}

type Options = Partial<ImportOptions> & Sender

function importRows(
  body: readonly Row[],
  { beforeLast, pace, ...options }: Options = {},
): Promise<ImportResult> {
  return importBody(
    { databases, marketplace, clock: () => new Date() },
    bytesOf(body, { beforeLast, pace }),
    {
      ...{ dry_run: false, map: '', availability: 'In stock', source: 'test', limits: sentBodies },
      ...options,
    },
  )
}

const countsOf = ({ created, updated, unchanged, superseded }: ImportResult) => ({
  ...{ created, updated, unchanged, superseded },
})

async function stored() {
  const { rows } = await databases.customPlanPool.query<{ state: string; count: number }>(
    'select concat(price, $1::text, original_price) as state, count(*)::int as count from deals where asin = any($2) group by 1 order by 1',
    ['/', asins],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

const nothing = { created: 0, updated: 0, unchanged: 0, superseded: 0 }

/** Throws where somebody keeps a table of the deals for long. */
async function lockTables(): Promise<void> {
  await databases.customPlanPool.query(
    "begin; set local lock_timeout = '10s'; lock table deals, price_points in access exclusive mode; rollback",
  )
}

test('rows that are compared while the body is read are judged by all of it', async () => {
  const original_price = 20
  const [asin = ''] = asins
  // Two on each connection.
  const others = asins.slice(1, 5)
  const same = rows({ price: 5, original_price }).map((row) =>
    others.includes(row.asin) ? { ...row, original_price: 30 } : row,
  )
  expect(countsOf(await importRows(same))).toEqual({ ...nothing, created: items })

  const end = new AbortController()
  const ended = importRows(same, {
    signal: end.signal,
    onProgress: (progress) => {
      if (progress.phase === 'reading' && progress.rows > items * 0.9) end.abort(new Error('ended'))
    },
  })
  await expect(ended).rejects.toThrow('ended')

  // Some rows in each look change something. Of one item two rows lie far apart: the first says nothing new, and isn't the last word.
  const mixed = same.map((row, at) => (at % 100 === 50 ? { ...row, price: 6 } : row))
  const corrected = [...mixed, { asin, price: 4, original_price }]
  const [changed, alike] = [items / 100, items - items / 100]
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => asked.mockRestore())
  const looks = () => asked.mock.calls.filter(([text]) => String(text).startsWith('savepoint look')).length
  // One connection is looked at after the other, the second with rows that come once the first look is over: however long that takes.
  let patienceMs = 25
  const pace = (at: number) => {
    if (at < items * 0.9 || looks() > 1) return sleep(1)
    patienceMs *= 2
    return vi.waitUntil(() => looks() > 1, { timeout: patienceMs, interval: 10 }).catch(() => {})
  }
  // While more rows are awaited, nothing that was looked at may keep others waiting.
  expect(countsOf(await importRows(corrected, { beforeLast: lockTables, pace }))).toEqual({
    ...{ created: 0, updated: changed + 1, unchanged: alike - 1, superseded: 1 },
  })
  // Or all of it would prove nothing.
  expect(looks()).toBeGreaterThanOrEqual(2)
  expect(await stored()).toEqual({
    ...{ '4.00/20.00': 1, '5.00/20.00': alike - 5, '5.00/30.00': 4, '6.00/20.00': changed },
  })

  // The last row shows that there is a column for what the others leave empty.
  const silent = corrected.slice(1).map(({ asin, price }) => ({ asin, price }))
  const late = { asin: nextAsin(), price: 5, original_price }
  expect(countsOf(await importRows([...silent, late], { dry_run: true }))).toEqual({
    ...nothing,
    ...{ created: 1, updated: items },
  })

  // Its end shows that the original price was filled in where none was known, and that a row was not the last of its item.
  const filledIn = nextAsins(items / 3).map((asin, at) => ({ asin, price: 21 + (at % 12), original_price }))
  const again = others.slice(0, 2).map((asin) => ({ asin, price: 4, original_price: 30 }))
  expect(countsOf(await importRows([...corrected.slice(1), ...filledIn, ...again]))).toEqual({
    ...{ created: filledIn.length, updated: items - 2, unchanged: 2, superseded: 2 },
  })
  expect(await stored()).toEqual({
    ...{ '4.00/': 1, '4.00/30.00': 2, '5.00/': alike - 5, '5.00/30.00': 2, '6.00/': changed },
  })
})
