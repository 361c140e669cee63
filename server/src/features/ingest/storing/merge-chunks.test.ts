import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { ImportResult } from '@dealdeck/contract/ingest'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { addWord } from '../../blacklist/actions.ts'
import { withDealWrites } from '../../deals/actions.ts'
import { type ImportOptions, importBody } from '../actions.ts'
import { sentBodies } from '../reading/limits.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const items = 11_000
const again = 1_500

// Long addresses, so that so few rows are a body worth two connections.
const filler = 'x'.repeat(1_500)
const asins = Array.from({ length: items }, () => nextAsin())
const row = (at: number, price: number) =>
  `${JSON.stringify({
    asin: asins[at],
    title: `Walnut tray ${at % 2 === 0 ? 'even' : 'odd'} zq${at}`,
    price,
    image_url: `https://pictures.example/${filler}${at}.jpg`,
    availability: 'In stock',
  })}\n`

function* body(price: number, changed: readonly number[] = []): Generator<Buffer> {
  for (let at = 0; at < items; at++) yield Buffer.from(row(at, changed.includes(at) ? price - 2 : price))
  // Later rows of the same items, on either connection.
  for (let at = 0; at < again; at++) yield Buffer.from(row(at, price + 1))
}

type Options = { dry_run?: boolean; changed?: number[] }

function importLarge(price: number, { changed, ...options }: Options = {}): Promise<ImportResult> {
  return importBody(
    { databases, marketplace, clock: () => new Date() },
    Readable.from(body(price, changed)),
    {
      dry_run: false,
      map: '',
      availability: '',
      source: 'test',
      limits: sentBodies,
      ...options,
    },
  )
}

test('a large body on two connections: one deal an item, every change told once, the whole in words', async () => {
  expect(await importLarge(5, { dry_run: true })).toMatchObject({ created: items, superseded: again })
  expect(await importLarge(5)).toMatchObject({ created: items, superseded: again, rejected_total: 0 })

  const { rows: deals } = await databases.customPlanPool.query<{ id: number }>(
    'select id from deals where price = case when substr(title, 1 + strpos(title, $1))::int < $2 then 6 else 5 end',
    ['q', again],
  )
  expect(deals).toHaveLength(items)
  const { rows: events } = await databases.customPlanPool.query<{ added: number[]; revision: number }>(
    'select revision, added from feed_events order by revision',
  )
  expect(events.flatMap(({ added }) => added).toSorted((a, b) => a - b)).toEqual(
    deals.map(({ id }) => id).toSorted((a, b) => a - b),
  )
  expect(events.map(({ revision }) => revision)).toEqual(events.map((_, at) => at + 1))
  const { rows: mixed } = await databases.customPlanPool.query(
    'select from deals group by xmin::text having count(distinct ascii(right(asin, 1)) % 2) > 1',
  )
  expect(mixed).toEqual([])

  const { rows: words } = await databases.customPlanPool.query<{ n: number }>(
    "select count(*)::int as n from title_words where word like 'zq%' or word in ('walnut', 'tray', 'even', 'odd')",
  )
  expect(words[0]?.n).toBe(items + 4)
  expect(await addWord(databases, 'tray even')).toMatchObject({ hidden: items / 2 })

  expect(await importLarge(5)).toMatchObject({ created: 0, updated: 0, unchanged: items })
  expect(await importLarge(8)).toMatchObject({ created: 0, updated: items })
})

test('of a large body that says nothing new only what has changed is written, and all of it is counted', async () => {
  const written = async () => {
    const { rows } = await databases.customPlanPool.query<{ asin: string }>(
      'select asin, xmin::text from deals order by asin',
    )
    return rows
  }
  const before = await written()
  const same = { created: 0, updated: 0, unchanged: items, superseded: again, hidden_without_availability: 0 }
  expect(await importLarge(8, { dry_run: true })).toMatchObject(same)
  expect(await importLarge(8)).toMatchObject(same)
  expect(await written()).toEqual(before)
  const changed = [again, again + 1, items - 1]
  const some = { ...same, updated: changed.length, unchanged: items - changed.length }
  expect(await importLarge(8, { dry_run: true, changed })).toMatchObject(some)
  expect(await written()).toEqual(before)
  expect(await importLarge(8, { changed })).toMatchObject(some)
  const after = await written()
  const others = after.filter((deal, at) => !isDeepStrictEqual(deal, before[at]))
  expect(others.map(({ asin }) => asin)).toEqual(changed.map((at) => asins[at]).toSorted())
})

/** Hands in once more what is stored of all items but the first ones. */
async function importStored(left: number, options: Partial<ImportOptions> = {}): Promise<ImportResult> {
  const { rows } = await databases.customPlanPool.query<{ asin: string; price: number }>(
    'select asin, price from deals',
  )
  const stored = new Map(rows.map(({ asin, price }) => [asin, price]))
  const same = asins.map((asin, at) => Buffer.from(row(at, stored.get(asin) ?? 0))).slice(left)
  return importBody({ databases, marketplace, clock: () => new Date() }, Readable.from(same), {
    ...{ dry_run: false, map: '', availability: '', source: 'test', limits: sentBodies },
    ...options,
  })
}

test('a large body that changes nothing waits for nobody who writes', async () => {
  // One of its connections, as others may not be idle for as long while they hold the lock.
  const client = await databases.patientPool.connect()
  const result = await withDealWrites(databases, () => importStored(0), client).finally(() =>
    client.release(),
  )
  expect(result).toMatchObject({ received: items, unchanged: items, rejected_total: 0 })
})

test('a large list that nearly says what is stored hides what it leaves out, and what rules take out of it is no row', async () => {
  const left = 2
  const held = asins[items - 1]
  const result = await importStored(left, {
    missing: 'hide',
    screen: async ({ parts }) => {
      for (const { client, table } of parts)
        await client.query(`delete from ${table} where asin = $1`, [held])
    },
  })
  expect(result).toMatchObject({ unchanged: items - left - 1, updated: 0, created: 0, superseded: 0 })
  // The other one has a blacklisted word.
  expect(result.missing).toMatchObject({ hidden: 1, needs_confirmation: false })
  expect(await importStored(0)).toMatchObject({ updated: left, unchanged: items - left })
})

test('a large body that breaks off leaves nothing, on neither connection', async () => {
  const { rows: before } = await databases.customPlanPool.query('select revision from feed_state')
  const broken = Readable.from(
    (function* () {
      yield* body(3)
      throw new Error('The sender went away')
    })(),
  )
  await expect(
    importBody({ databases, marketplace, clock: () => new Date() }, broken, {
      ...{ dry_run: false, map: '', availability: '', source: 'test', limits: sentBodies },
    }),
  ).rejects.toThrow('The sender went away')
  const { rows: after } = await databases.customPlanPool.query('select revision from feed_state')
  expect(after).toEqual(before)
  const stillAtWork = async () => {
    const { rowCount } = await databases.customPlanPool.query(
      `select from pg_stat_activity
       where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    )
    return rowCount
  }
  await expect.poll(stillAtWork).toBe(0)
})

test('an error on one connection undoes its chunk and ends the import in one piece', async () => {
  const [first, second] = [asins[again], asins[again + 1]]
  await databases.durablePool.query(
    `create function refuse() returns trigger language plpgsql as
     $$ begin if new.price = 12 and new.asin = '${second}' then raise exception 'refused'; end if; return new; end $$`,
  )
  await databases.durablePool.query(
    'create trigger refuse before update on deals for each row execute function refuse()',
  )
  await expect(importLarge(12)).rejects.toThrow('refused')
  await databases.durablePool.query('drop trigger refuse on deals')
  const { rows } = await databases.customPlanPool.query<{ asin: string; price: number }>(
    'select asin, price from deals where asin = any($1) and price = 12',
    [[first, second]],
  )
  expect(rows.map(({ asin }) => asin)).not.toContain(second)
  expect(await importLarge(12)).toMatchObject({ created: 0, rejected_total: 0 })
})

test('an import that finds itself in another session ends before it writes anything; the next one works', async () => {
  const { patientPool } = databases
  const { rows: before } = await databases.customPlanPool.query('select revision from feed_state')
  // As if its connection led to another session of the database from here on: what it has staged is not there.
  patientPool.once('acquire', (client) => setImmediate(() => void client.query('discard temp')))
  await expect(importLarge(20)).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('pool_mode = session'),
  })
  const { rows: after } = await databases.customPlanPool.query('select revision from feed_state')
  expect(after).toEqual(before)
  expect(await importLarge(20)).toMatchObject({ updated: items })
})
