import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { importRules, importRulesFor } from '../../features/ingest/reading/fair-semaphore.ts'
import { isConnectionError } from '../http/http-errors.ts'
import { turnsFor } from '../limits/read-gates.ts'
import { openDatabases, poolSizes, readyForImport } from './database.ts'
import { advisoryLocks } from './lock-register.ts'

const databases = await testDatabases()

test.each(['customPlanPool', 'genericPlanPool', 'durablePool'] as const)(
  'a connection of the %s lost while in use fails its query, not the process',
  async (name) => {
    const client = await databases[name].connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // Without a listener the loss would also be an uncaught error, which fails the run.
    const lost = expect(client.query('select pg_sleep(600)')).rejects.toThrow('terminating connection')
    const other = new pg.Client({ connectionString: databases.url })
    await other.connect()
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await other.end()
    await lost
    client.release(true)
    const next = await databases[name].query('select 1 as n')
    expect(next.rows).toEqual([{ n: 1 }])
  },
)

test('the pools for reading have their settings, also where the address brings some of its own', async () => {
  const url = new URL(databases.url)
  url.searchParams.set('options', '-c search_path=pg_catalog')
  const other = openDatabases(url.href, () => undefined)
  const show = async (pool: pg.Pool, name: string) =>
    Object.values((await pool.query(`show ${name}`)).rows[0])
  for (const pool of [databases.customPlanPool, other.customPlanPool]) {
    expect(await show(pool, 'timezone')).toEqual(['UTC'])
    expect(await show(pool, 'statement_timeout')).toEqual(['15s'])
    expect(await show(pool, 'plan_cache_mode')).toEqual(['force_custom_plan'])
  }
  for (const pool of [databases.genericPlanPool, other.genericPlanPool]) {
    expect(await show(pool, 'statement_timeout')).toEqual(['15s'])
    expect(await show(pool, 'plan_cache_mode')).toEqual(['force_generic_plan'])
    expect(await show(pool, 'enable_sort')).toEqual(['off'])
  }
  expect(await show(other.genericPlanPool, 'search_path')).toEqual(['pg_catalog'])
  await other.close()
})

test('no pool has its statements compiled, whatever the address says', async () => {
  const url = new URL(databases.url)
  url.searchParams.set('options', '-c jit=on')
  const other = openDatabases(url.href, () => undefined)
  const { customPlanPool, genericPlanPool, reservedPool, durablePool, patientPool } = other
  for (const pool of [customPlanPool, genericPlanPool, reservedPool, durablePool, patientPool])
    expect((await pool.query('show jit')).rows).toEqual([{ jit: 'off' }])
  await other.close()
})

test('changes and imports are not ended by a limit of time that the role or the address has', async () => {
  const { rows: limits } = await databases.customPlanPool.query<{ name: string }>(
    "select name from pg_settings where name in ('statement_timeout', 'transaction_timeout')",
  )
  const url = new URL(databases.url)
  url.searchParams.set('options', limits.map(({ name }) => `-c ${name}=300`).join(' '))
  const other = openDatabases(url.href, () => undefined)
  const beside = new pg.Client({ connectionString: url.href })
  await beside.connect()
  await readyForImport(beside)
  for (const { name } of limits)
    for (const connection of [other.durablePool, other.patientPool, beside])
      expect((await connection.query(`show ${name}`)).rows).toEqual([{ [name]: '0' }])
  await beside.end()
  await other.close()
})

test('only the reserved pool commits without waiting for a standby', async () => {
  const url = new URL(databases.url)
  url.searchParams.set('options', '-c synchronous_commit=on')
  const other = openDatabases(url.href, () => undefined)
  const commit = async (pool: pg.Pool) => (await pool.query('show synchronous_commit')).rows[0]
  expect(await commit(other.reservedPool)).toEqual({ synchronous_commit: 'local' })
  for (const pool of [other.durablePool, other.patientPool])
    expect(await commit(pool)).toEqual({ synchronous_commit: 'on' })
  await other.close()
})

test('changes and imports wait for the disk although the server’s default does not', async () => {
  const commit = async (pool: pg.Pool) => (await pool.query('show synchronous_commit')).rows[0]
  expect(await commit(databases.customPlanPool)).toEqual({ synchronous_commit: 'off' })
  for (const pool of [databases.durablePool, databases.patientPool])
    expect(await commit(pool)).toEqual({ synchronous_commit: 'on' })
})

test('ids, prices and arrays of ids arrive as numbers', async () => {
  const { rows } = await databases.customPlanPool.query(
    "select 9007199254740991::bigint as id, 12.50::numeric(12, 2) as price, '{1,2}'::bigint[] as ids",
  )
  expect(rows).toEqual([{ id: 9007199254740991, price: 12.5, ids: [1, 2] }])
  const lists = await readLists("'{}'", "'{-7}'", "'[2:3]={4,5}'", "'{1,null}'")
  expect(lists).toEqual([[], [-7], [4, 5], [1, 0]])
})

/** Lists of ids, in forms that hardly ever come. */
async function readLists(...written: string[]): Promise<unknown[]> {
  const columns = written.map((one, at) => `${one}::bigint[] as list${at}`)
  const { rows } = await databases.customPlanPool.query(`select ${columns.join()}`)
  return Object.values(rows[0])
}

test.each(['a pool', 'a connection'])(
  'a statement of %s that fails is named where it was asked',
  async (kind) => {
    const client = await databases.durablePool.connect()
    const asking = kind === 'a pool' ? databases.durablePool : client
    async function whoAsks() {
      await asking.query('select 1 / 0')
    }
    const error: Error = await whoAsks().catch((refused) => refused)
    client.release()
    expect([error.message, error.stack?.includes('whoAsks')]).toEqual(['division by zero', true])
  },
)

test('a process keeps to the connections it may have, and to turns that never wait for one', () => {
  expect(poolSizes(36)).toEqual({ read: 12, session: 3, page: 6, write: 4, imports: 3 })
  expect(importRulesFor(3)).toEqual(importRules)
  for (let connections = 16; connections <= 500; connections++) {
    const sizes = poolSizes(connections)
    const { read, session, page, write, imports } = sizes
    // One listens, one follows the deals, and an import takes up to three.
    expect(2 + read + session + page + write + 3 * imports).toBe(connections)
    expect(Math.min(session, page, write)).toBeGreaterThanOrEqual(2)
    expect(imports).toBeGreaterThanOrEqual(1)
    const { pages, searches } = turnsFor({ read, page })
    expect(pages.total + searches.total).toBeLessThan(read)
    expect(pages.total).toBeLessThan(page)
    const forImports = importRulesFor(imports)
    expect(forImports.total).toBe(imports)
    for (const gate of [pages, searches, forImports]) expect(gate.perMember).toBeGreaterThanOrEqual(1)
  }
})

test('the pools of a database are as large as the setting says', async () => {
  const other = openDatabases(databases.url, () => undefined, 60)
  const { customPlanPool, reservedPool, genericPlanPool, durablePool, patientPool } = other
  const pools = [customPlanPool, reservedPool, genericPlanPool, durablePool, patientPool]
  expect(pools.map(({ options }) => options.max)).toEqual([22, 5, 10, 6, 5])
  await other.close()
})

test('who stands still in the middle of a change is cut off, and keeps its locks from nobody', async () => {
  const { durablePool, patientPool, customPlanPool } = databases
  const limitOf = async (pool: pg.Pool) =>
    (await pool.query('show idle_in_transaction_session_timeout')).rows[0].idle_in_transaction_session_timeout
  expect([await limitOf(durablePool), await limitOf(patientPool)]).toEqual(['15s', '1min'])

  const frozen = await durablePool.connect()
  await frozen.query(
    `begin; set idle_in_transaction_session_timeout = '50ms'; select pg_advisory_xact_lock(${advisoryLocks.users.key})`,
  )
  const isFree = async () =>
    (await customPlanPool.query(`select pg_try_advisory_xact_lock(${advisoryLocks.users.key}) as free`))
      .rows[0].free
  await expect.poll(isFree).toBe(true)
  const error = await frozen.query('select 1').catch((cause: unknown) => cause)
  expect(isConnectionError(error)).toBe(true)
  frozen.release(true)
})
