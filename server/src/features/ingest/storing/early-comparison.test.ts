import { setTimeout as sleep } from 'node:timers/promises'
import type { ImportResult } from '@dealdeck/contract/ingest'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin, nextAsins } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { type ImportOptions, importBody } from '../actions.ts'
import { sentBodies } from '../reading/limits.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const items = 12_000

// Long addresses, so that so few rows are a body worth two connections, most of them compared before its end.
const filler = 'x'.repeat(1_500)
const asins = nextAsins(items)

type Row = { asin: string; price: number; original_price?: number }

const rows = (state: Omit<Row, 'asin'>): Row[] => asins.map((asin) => ({ asin, ...state }))

async function* bytesOf(body: readonly Row[]): AsyncGenerator<Buffer> {
  for (const [at, row] of body.entries()) {
    const image_url = `https://pictures.example/${filler}${row.asin}.jpg`
    yield Buffer.from(`${JSON.stringify({ title: 'Walnut tray', image_url, ...row })}\n`)
    // As a file or a sender, which lets the database answer in between.
    if (at % 500 === 0) await sleep(1)
  }
}

function importRows(body: readonly Row[], options: Partial<ImportOptions> = {}): Promise<ImportResult> {
  return importBody({ databases, marketplace, clock: () => new Date() }, bytesOf(body), {
    ...{ dry_run: false, map: '', availability: 'In stock', source: 'test', limits: sentBodies },
    ...options,
  })
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

test('rows that were compared early are judged by the whole body', async () => {
  const original_price = 20
  expect(countsOf(await importRows(rows({ price: 5, original_price })))).toEqual({
    ...nothing,
    created: items,
  })

  const same = rows({ price: 5, original_price })
  expect(countsOf(await importRows(same, { dry_run: true }))).toEqual({ ...nothing, unchanged: items })

  // Of one item two rows far apart: the first of them says nothing new, and isn't the last word.
  const [asin = ''] = asins
  const corrected = [...same, { asin, price: 4, original_price }]
  expect(countsOf(await importRows(corrected))).toEqual({
    ...nothing,
    ...{ updated: 1, unchanged: items - 1, superseded: 1 },
  })
  expect(await stored()).toEqual({ '4.00/20.00': 1, '5.00/20.00': items - 1 })

  // Some rows in each look that do change something.
  const mixed = same.map((row, at) => (at % 100 === 0 ? { ...row, price: 6 } : row))
  expect(countsOf(await importRows(mixed))).toEqual({
    ...nothing,
    ...{ updated: items / 100, unchanged: items - items / 100 },
  })
  expect(await stored()).toEqual({ '5.00/20.00': items - items / 100, '6.00/20.00': items / 100 })

  // The last row shows that there is a column for what the others leave empty.
  const silent = mixed.map(({ asin, price }) => ({ asin, price }))
  const late = { asin: nextAsin(), price: 5, original_price }
  expect(countsOf(await importRows([...silent, late], { dry_run: true }))).toEqual({
    ...nothing,
    ...{ created: 1, updated: items },
  })

  // Its end shows that the original price was filled in where none was known.
  const filledIn = nextAsins(items / 3).map((asin, at) => ({ asin, price: 21 + (at % 12), original_price }))
  expect(countsOf(await importRows([...mixed, ...filledIn]))).toEqual({
    ...nothing,
    ...{ created: filledIn.length, updated: items },
  })
  expect(await stored()).toEqual({ '5.00/': items - items / 100, '6.00/': items / 100 })
})

test('an import that is ended while rows are compared leaves nothing behind', async () => {
  const body = rows({ price: 9 })
  await importRows(body)
  const end = new AbortController()
  const ended = importRows(body, {
    signal: end.signal,
    onProgress: (progress) => {
      if (progress.phase === 'reading' && progress.rows > items * 0.9) end.abort(new Error('ended'))
    },
  })
  await expect(ended).rejects.toThrow('ended')
  expect(countsOf(await importRows(body))).toEqual({ ...nothing, unchanged: items })
})
