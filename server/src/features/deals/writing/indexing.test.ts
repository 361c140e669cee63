import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { hasOldUpdatedIndex, replaceUpdatedIndex } from './indexing.ts'

const databases = await testDatabases()
const { durablePool } = databases
const forGood = new AbortController().signal

/** The indexes of when deals changed last, with their columns, and whether pages are read from them. */
async function indexes() {
  const { rows } = await durablePool.query<{ name: string; columns: number; valid: boolean }>(
    `select indexrelid::regclass::text as name, indnkeyatts as columns, indisvalid as valid from pg_index
     where indexrelid::regclass::text like 'deals_updated%' order by 1`,
  )
  return rows
}
const done = [{ name: 'deals_updated', columns: 4, valid: true }]

/** As in a database that had deals before migration 20. */
async function makeOld(): Promise<void> {
  await durablePool.query(`drop index if exists deals_updated;
    create index deals_updated on deals (last_updated) where is_visible`)
}

test('an empty database has the index from its migration', async () => {
  expect(await indexes()).toEqual(done)
  expect(await hasOldUpdatedIndex(databases)).toBe(false)
  expect(await replaceUpdatedIndex(databases, forGood)).toBe(false)
})

test('the old index is replaced while deals are written, however many processes are at it', async () => {
  await makeDeal(databases)
  await makeOld()
  const replaced = Promise.allSettled([1, 2, 3].map(() => replaceUpdatedIndex(databases, forGood)))
  await makeDeal(databases)
  // Of two that build at once PostgreSQL may end one; a job that failed is done again.
  await replaced
  while (await hasOldUpdatedIndex(databases)) await replaceUpdatedIndex(databases, forGood)
  expect(await indexes()).toEqual(done)
})

test('what was broken off in the middle of building, or before the old one went, is brought to its end', async () => {
  await makeOld()
  await durablePool.query(`create index deals_updated_next on deals (last_updated, id);
    update pg_index set indisvalid = false where indexrelid = 'deals_updated_next'::regclass`)
  expect(await replaceUpdatedIndex(databases, forGood)).toBe(true)
  expect(await indexes()).toEqual(done)
  await durablePool.query('create index deals_updated_old on deals (last_updated)')
  expect(await hasOldUpdatedIndex(databases)).toBe(true)
  expect(await replaceUpdatedIndex(databases, forGood)).toBe(false)
  expect(await indexes()).toEqual(done)
})

test('whoever is asked to stop stops', async () => {
  await makeOld()
  await expect(replaceUpdatedIndex(databases, AbortSignal.abort(new Error('ending')))).rejects.toThrow(
    'ending',
  )
  expect(await indexes()).toMatchObject([{ columns: 1 }])
  expect(await hasOldUpdatedIndex(databases)).toBe(true)
})
