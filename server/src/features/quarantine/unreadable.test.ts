import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsin, nextAsins } from '../../../testing/factories.ts'
import { makeHeldRow, makeSource } from '../../../testing/sources.ts'

const { app, databases, signIn } = await buildTestApp()
const { headers } = await signIn('admin')
const query = async (sql: string, values: unknown[] = []) =>
  (await databases.durablePool.query(sql, values)).rows
const release = async (payload: object) =>
  app.inject({ method: 'POST', url: '/api/quarantine/release', headers, payload })
const stateOf = async (id: number) =>
  (await query('select state from quarantine where id = $1', [id]))[0]?.state
const pricesOf = async (asins: string[]) =>
  (await query('select price from deals where asin = any($1) order by asin', [asins])).map(
    ({ price }) => price,
  )
const spoil = (id: number) => query(`update quarantine set deal = deal - 'brand' where id = $1`, [id])

test('a held row that can’t be read waits still, and the others are let through', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const asins = nextAsins(4)
  const ids: number[] = []
  for (const [at, asin] of asins.entries())
    ids.push(await makeHeldRow(databases, at === 0 ? one : two, { asin, price: at + 1 }))
  const [, spoilt = 0] = ids
  await spoil(spoilt)
  expect((await release({ ids })).json()).toEqual({ decided: 3, gone: 0, unchanged: 0, unreadable: 1 })
  expect(await pricesOf(asins)).toEqual([1, 3, 4])
  expect(await query(`select id from quarantine where id = any($1) and state <> 'passed'`, [ids])).toEqual([
    { id: spoilt },
  ])
  const refused = {
    method: 'POST',
    url: '/api/quarantine/refuse',
    headers,
    payload: { ids: [spoilt] },
  } as const
  expect((await app.inject(refused)).json()).toMatchObject({ decided: 1, unreadable: 0 })
})

test('what fails in the middle leaves what was imported decided, and the rest waiting', async () => {
  const [one, two] = [await makeSource(databases), await makeSource(databases)]
  const asins = [nextAsin(), nextAsin()]
  const first = await makeHeldRow(databases, one, { asin: asins[0], price: 1 })
  const second = await makeHeldRow(databases, two, { asin: asins[1], price: 2 })
  await query(
    `create function no_second() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
  )
  await query(
    `create trigger no_second before insert on deals for each row when (new.price = 2) execute function no_second()`,
  )
  const problems = console.error
  console.error = () => {}
  expect((await release({ ids: [first, second] })).statusCode).toBe(500)
  console.error = problems
  await query('drop function no_second cascade')
  expect([await stateOf(first), await stateOf(second)]).toEqual(['passed', 'held'])
  expect(await pricesOf(asins)).toEqual([1])
  const audited = `select count(*)::int as count from audit_entries where subject_kind = 'held_row' and subject_id = any($1)`
  expect(await query(audited, [[one, two]])).toEqual([{ count: 1 }])
})
