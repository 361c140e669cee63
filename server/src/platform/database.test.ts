import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabases } from '../../testing/database.ts'

const databases = await testDatabases()

test.each(['readPool', 'pagePool', 'writePool'] as const)(
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

test('ids, prices and arrays of ids arrive as numbers', async () => {
  const { rows } = await databases.readPool.query(
    "select 9007199254740991::bigint as id, 12.50::numeric(12, 2) as price, '{1,2}'::bigint[] as ids",
  )
  expect(rows).toEqual([{ id: 9007199254740991, price: 12.5, ids: [1, 2] }])
})
