import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsin } from '../../../testing/factories.ts'
import { makeHeldRow, makeSource } from '../../../testing/sources.ts'
import { hasUntidyRows, tidyRows } from './actions.ts'

const databases = await testDatabases()
const query = async (sql: string, values: unknown[] = []) =>
  (await databases.durablePool.query(sql, values)).rows
const statesOf = (source: number) =>
  query('select id, state from quarantine where source_id = $1 order by id', [source])
/** A row as it is left where its release was broken off so many seconds ago. */
async function leave(source: number, seconds: number, asin = nextAsin()): Promise<number> {
  const id = await makeHeldRow(databases, source, { asin })
  await query(
    `update quarantine set state = 'released', decided_at = now() - $2 * interval '1 second' where id = $1`,
    [id, seconds],
  )
  return id
}

test('rows whose release was broken off wait again, all of them', async () => {
  const source = await makeSource(databases)
  const ids: number[] = []
  for (let count = 0; count < 5; count++) ids.push(await leave(source, 13))
  const underWay = await leave(source, 8)
  for (let count = 0; count < 2; count++) await tidyRows(databases, 2)
  const left = await statesOf(source)
  expect([left.length, left.filter(({ state }) => state === 'held').length]).toEqual([6, 4])
  await tidyRows(databases, 2)
  expect(await statesOf(source)).toEqual([
    ...ids.map((id) => ({ id, state: 'held' })),
    { id: underWay, state: 'released' },
  ])
  expect(await hasUntidyRows(databases)).toBe(false)
})

test('of one item that was let through twice the newest waits again, and none where another waits', async () => {
  const source = await makeSource(databases)
  const [twice, again] = [nextAsin(), nextAsin()]
  await leave(source, 42, twice)
  const newest = await leave(source, 41, twice)
  await leave(source, 41, again)
  const waiting = await makeHeldRow(databases, source, { asin: again })
  expect(await hasUntidyRows(databases)).toBe(true)
  await tidyRows(databases)
  expect(await statesOf(source)).toEqual([newest, waiting].map((id) => ({ id, state: 'held' })))
})

test('what nobody has seen or refused for 90 days is forgotten', async () => {
  const source = await makeSource(databases)
  const ids: number[] = []
  for (let count = 0; count < 4; count++) ids.push(await makeHeldRow(databases, source))
  const [, fresh = 0, , recent = 0] = ids
  await query(
    `update quarantine set seen_at = now() - case id when $2 then interval '89 days' else interval '91 days' end,
       held_at = now() - interval '200 days' where source_id = $1 and id = any($3)`,
    [source, fresh, ids.slice(0, 2)],
  )
  await query(
    `update quarantine set state = 'refused', decided_at = now() - case id when $2 then interval '89 days' else interval '91 days' end
     where id = any($1)`,
    [ids.slice(2), recent],
  )
  expect(await hasUntidyRows(databases)).toBe(true)
  await tidyRows(databases)
  expect((await statesOf(source)).map(({ id }) => id)).toEqual([fresh, recent])
  const said = `insert into source_titles (source_id, asin, title, said_at) select $1, 'T' || days, '', now() - days * interval '1 day'
    from unnest('{89,91}'::integer[]) days`
  await query(said, [source])
  expect(await hasUntidyRows(databases)).toBe(true)
  await tidyRows(databases)
  expect(await query('select asin from source_titles')).toEqual([{ asin: 'T89' }])
  expect(await hasUntidyRows(databases)).toBe(false)
})

test('whether there is something to tidy is looked up, however much waits', async () => {
  const source = await makeSource(databases)
  await query(
    `insert into quarantine (source_id, asin, rule, reason, new, deal, state, decided_at)
     select $1, 'X' || i, 'price_low', '', '{}', '{}', state, case state when 'refused' then now() end
     from generate_series(1, 5000) i, unnest('{held,refused}'::text[]) state`,
    [source],
  )
  await query('analyze quarantine')
  const plan: string[] = []
  const explained = Object.assign(Object.create(databases.customPlanPool), {
    query: async (sql: string) => {
      const answer = await databases.customPlanPool.query(`explain ${sql}`)
      plan.push(...answer.rows.map((row) => row['QUERY PLAN']))
      return answer
    },
  })
  await hasUntidyRows({ ...databases, customPlanPool: explained })
  expect(plan.filter((line) => line.includes('Scan')).join()).toContain('quarantine_seen')
  expect(plan.join()).not.toContain('Seq Scan on quarantine')
  await query('delete from quarantine where source_id = $1', [source])
})

test('a source is removed by an index, and prices let through are found by one', async () => {
  const plan = async (sql: string) => {
    const client = await databases.customPlanPool.connect()
    try {
      await client.query('begin; set local enable_seqscan = off')
      return JSON.stringify((await client.query(`explain ${sql}`)).rows)
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  expect(await plan('delete from quarantine where source_id = 1')).toContain('quarantine_of_source')
  expect(await plan(`select from quarantine where asin = 'B0OLD00001' and state = 'passed'`)).toContain(
    'quarantine_passed',
  )
})
