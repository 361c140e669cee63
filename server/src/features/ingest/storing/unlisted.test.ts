import { Readable } from 'node:stream'
import type { ImportResult } from '@dealdeck/contract/ingest'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { openDatabases } from '../../../platform/database/database.ts'
import { advisoryLocks } from '../../../platform/database/lock-register.ts'
import { readSettings } from '../../../platform/settings.ts'
import { type ImportOptions, importBody } from '../actions.ts'
import { sentBodies } from '../reading/limits.ts'

const here = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})

type More = Partial<ImportOptions> & { databases?: typeof here }

/** Imports lines of NDJSON. */
function importLines(
  lines: readonly string[],
  { databases = here, ...more }: More = {},
): Promise<ImportResult> {
  const body = Readable.from([Buffer.from(lines.join('\n'))])
  return importBody({ databases, marketplace, clock: () => new Date() }, body, {
    ...{ dry_run: false, map: '', availability: 'In stock', source: 'test', limits: sentBodies },
    ...more,
  })
}

const line = (asin: string, more: object = {}) =>
  JSON.stringify({ asin, title: 'Folding lantern', price: 9, ...more })
const asinsOf = (count: number) => Array.from({ length: count }, () => nextAsin())
const list = { missing: 'hide' as const }

async function visible(): Promise<number> {
  const { rows } = await here.customPlanPool.query('select count(*)::int as n from deals where is_visible')
  return rows[0].n
}

/** Lets nobody change deals until everybody of so many waits for it. */
async function heldUntilAllWait(count: number): Promise<void> {
  const client = await here.durablePool.connect()
  await client.query(`begin; select pg_advisory_xact_lock(${advisoryLocks.deals.key})`)
  const waiting = async () => {
    const { rowCount } = await here.reservedPool.query(
      "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
    )
    return rowCount
  }
  try {
    await expect.poll(waiting).toBe(count)
  } finally {
    await client.query('commit')
    client.release()
  }
}

beforeEach(() => here.durablePool.query('truncate deals, price_points'))

test('lists of everything at once, of two processes, never hide more than half of all together', async () => {
  const other = openDatabases(here.url, () => undefined)
  onTestFinished(() => other.close())
  const asins = asinsOf(100)
  await importLines(asins.map((asin) => line(asin)))
  const halves = [asins.slice(0, 60), asins.slice(30)]
  const held = heldUntilAllWait(2)
  const [one, two] = await Promise.all(
    [here, other].map((databases, at) =>
      importLines(halves[at]?.map((asin) => line(asin)) ?? [], { ...list, databases }),
    ),
  )
  await held
  const missing = [one?.missing, two?.missing].toSorted((a, b) => (a?.hidden ?? 0) - (b?.hidden ?? 0))
  const hidden = missing[1]?.hidden ?? 0
  expect([30, 40]).toContain(hidden)
  expect(missing).toMatchObject([
    {
      hidden: 0,
      needs_confirmation: true,
      reason: `Other deals were hidden in the meantime (${hidden}): with ${70 - hidden} more, more than half of 100 would be gone.`,
    },
    { hidden, needs_confirmation: false, reason: null },
  ])
  expect(await visible()).toBe(100 - hidden)
})

test('many deals go in pieces, between which others change deals, and no two lists mix theirs', async () => {
  const asins = asinsOf(2_500)
  await importLines(asins.map((asin) => line(asin)))
  const lists = [asins.slice(0, 1_300), asins.slice(1_200)]
  const held = heldUntilAllWait(2)
  const [one, two] = await Promise.all(
    lists.map((listed) =>
      importLines(
        listed.map((asin) => line(asin)),
        list,
      ),
    ),
  )
  await held
  expect([one?.missing?.hidden, two?.missing?.hidden].toSorted()).toEqual([0, 1_200])
  expect(await visible()).toBe(1_300)
  const { rows } = await here.customPlanPool.query(
    'select count(*)::int as n from deals where is_over group by xmin::text order by n desc',
  )
  expect(rows).toEqual([{ n: 1_000 }, { n: 200 }])
})

test('what a list that is broken off has not hidden goes with the next one', async () => {
  const asins = asinsOf(2_500)
  await importLines(asins.map((asin) => line(asin)))
  const lines = asins.slice(0, 1_300).map((asin) => line(asin))
  const ending = new AbortController()
  // The rows change nothing, so that the first revision is the first piece's.
  const end = () => ending.abort(new Error('gone'))
  here.onRevision.add(end)
  onTestFinished(() => void here.onRevision.delete(end))
  await expect(importLines(lines, { ...list, signal: ending.signal })).rejects.toThrow('gone')
  expect(await visible()).toBe(1_500)
  expect((await importLines(lines, list)).missing).toMatchObject({ hidden: 200, visible: 1_500 })
  expect(await visible()).toBe(1_300)
})

test('what comes with a list doesn’t count as what there was when it is decided how much may go', async () => {
  const asins = asinsOf(20)
  await importLines(asins.map((asin) => line(asin)))
  const held = heldUntilAllWait(2)
  const lists = [asins.slice(0, 12), asins.slice(8).concat(asinsOf(40))]
  await Promise.all(
    lists.map((listed) =>
      importLines(
        listed.map((asin) => line(asin)),
        list,
      ),
    ),
  )
  await held
  const { rows } = await here.customPlanPool.query(
    'select count(*)::int as n from deals where is_visible and asin = any($1)',
    [asins],
  )
  expect(rows[0].n).toBe(12)
})

test.each([
  ['a broken line', (asin: string) => line(asin).slice(0, -1), 'A refused row has no readable ASIN'],
  ['a row without an ASIN', () => '{"title":"Lantern","price":9}', 'A refused row has no readable ASIN'],
])('beside %s nothing is hidden unless it is confirmed', async (_, unread, reason) => {
  const asins = asinsOf(5)
  await importLines(asins.map((asin) => line(asin)))
  const lines = [...asins.slice(0, 4).map((asin) => line(asin, { price: 8 })), unread(asins[4] ?? '')]
  const held = { needs_confirmation: true, reason: expect.stringContaining(reason) }
  expect((await importLines(lines, { ...list, dry_run: true })).missing).toMatchObject({ ...held, hidden: 1 })
  expect(await importLines(lines, list)).toMatchObject({
    ...{ updated: 4, rejected_total: 1 },
    missing: { ...held, hidden: 0, visible: 5 },
  })
  expect(await visible()).toBe(5)
  const { rows } = await here.customPlanPool.query(
    'select missing_hidden from imports order by id desc limit 1',
  )
  expect(rows).toEqual([{ missing_hidden: 0 }])
  expect((await importLines(lines, { ...list, confirm: true })).missing).toMatchObject({ hidden: 1 })
  expect(await visible()).toBe(4)
})

test('a refused row that names its item, or one of another shop, keeps no other deal from being hidden', async () => {
  const [unread, gone, ...listed] = asinsOf(5)
  await importLines([unread, gone, ...listed].map((asin = '') => line(asin)))
  const { missing, rejected_total } = await importLines(
    [
      ...listed.map((asin) => line(asin)),
      line(unread ?? '', { price: 'soon' }),
      '{"title":"Lantern","price":9,"url":"https://www.amazon.de/gp/bestsellers"}',
    ],
    list,
  )
  expect(rejected_total).toBe(2)
  expect(missing).toMatchObject({ hidden: 1, visible: 5, needs_confirmation: false, reason: null })
  expect(await visible()).toBe(4)
})
