import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { hasOldIndexes, replaceOldIndexes } from './indexing.ts'

const databases = await testDatabases()
const { durablePool } = databases
const forGood = new AbortController().signal

/** The indexes that migrations changed, with their key columns, and whether searches and pages are read from them. */
async function indexes() {
  const { rows } = await durablePool.query<{ name: string; columns: number; valid: boolean }>(
    `select indexrelid::regclass::text as name, indnkeyatts as columns, indisvalid as valid from pg_index
     where indexrelid::regclass::text ~ '^deals_(best|hidden|updated|words)' order by 1`,
  )
  return rows
}
const done = [
  { name: 'deals_best', columns: 4, valid: true },
  { name: 'deals_hidden', columns: 2, valid: true },
  { name: 'deals_updated', columns: 4, valid: true },
  { name: 'deals_words', columns: 1, valid: true },
]
const names = done.map(({ name }) => name)

/** As in a database that had deals before migrations 20, 23, 24 and 34. */
async function makeOld(): Promise<void> {
  await durablePool.query(`drop index if exists deals_best, deals_hidden, deals_updated, deals_words;
    create index deals_updated on deals (last_updated) where is_visible;
    create index deals_words on deals using gin
      (string_to_array(title_folded, ' '), deal_places(id, first_seen, discount_order, price, discord_timestamp))`)
}

test('an empty database has the indexes from its migrations', async () => {
  expect(await indexes()).toEqual(done)
  expect(await hasOldIndexes(databases)).toBe(false)
  expect(await replaceOldIndexes(databases, forGood)).toEqual([])
})

test('old indexes are replaced while deals are written, however many processes are at it', async () => {
  await makeDeal(databases)
  await makeOld()
  const replaced = Promise.allSettled([1, 2, 3].map(() => replaceOldIndexes(databases, forGood)))
  await makeDeal(databases)
  // Of two that build at once PostgreSQL may end one; a job that failed is done again.
  await replaced
  while (await hasOldIndexes(databases)) await replaceOldIndexes(databases, forGood)
  expect(await indexes()).toEqual(done)
})

test('what was broken off in the middle of building, or before the old one went, is brought to its end', async () => {
  await makeOld()
  await durablePool.query(`create index deals_updated_next on deals (last_updated, id);
    create index deals_words_next on deals using gin (string_to_array(title_folded, ' '));
    update pg_index set indisvalid = false where indexrelid in ('deals_updated_next'::regclass, 'deals_words_next'::regclass)`)
  expect(await replaceOldIndexes(databases, forGood)).toEqual(expect.arrayContaining(names))
  expect(await indexes()).toEqual(done)
  await durablePool.query('create index deals_words_old on deals (last_updated)')
  expect(await hasOldIndexes(databases)).toBe(true)
  expect(await replaceOldIndexes(databases, forGood)).toEqual([])
  expect(await indexes()).toEqual(done)
})

test('PostgreSQL knows how common words are as soon as the index of words is another one', async () => {
  await makeOld()
  await replaceOldIndexes(databases, forGood)
  const { rows } = await durablePool.query<{ name: string }>(
    `select attname as name from pg_stats where tablename = 'deals_words' and most_common_elems is not null`,
  )
  expect(rows).toEqual([{ name: 'string_to_array' }])
})

test('whoever is asked to stop stops', async () => {
  await makeOld()
  await expect(replaceOldIndexes(databases, AbortSignal.abort(new Error('ending')))).rejects.toThrow('ending')
  expect(await indexes()).toMatchObject([{ columns: 1 }, { columns: 2 }])
  expect(await hasOldIndexes(databases)).toBe(true)
})
