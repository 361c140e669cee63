import { once } from 'node:events'
import { createServer } from 'node:net'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { abortableQuery } from './abortable-query.ts'

/** A pool, the connection it gives out next, and a statement on it that has begun and ends when given up. */
async function statement(pool: pg.Pool, prepare: (client: pg.PoolClient) => Promise<void>, text: string) {
  const client = await pool.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  await prepare(client)
  client.release()
  const leaves = new AbortController()
  const ended = abortableQuery(pool, { text }, leaves.signal).catch((error: unknown) => error)
  await expect
    .poll(async () => {
      const found = await pool.query('select from pg_stat_activity where pid = $1 and query = $2', [
        rows[0]?.pid,
        text,
      ])
      return found.rowCount
    })
    .toBe(1)
  leaves.abort(new Error('left'))
  const error = await ended
  const isKept = async () => {
    const left = await pool.query('select from pg_stat_activity where pid = $1', [rows[0]?.pid])
    return left.rowCount === 1
  }
  return { error, isKept }
}

test('a statement that is given up is ended, and its connection is used again', async () => {
  const { customPlanPool } = await testDatabases()
  const ended = await statement(customPlanPool, async () => undefined, 'select pg_sleep(600)')
  expect(ended.error).toMatchObject({ message: 'left' })
  expect(await ended.isKept()).toBe(true)
})

test('a connection for which the word to end may come late is closed', async () => {
  const { customPlanPool } = await testDatabases()
  // It takes the word, and nobody knows when it passes it on.
  const slow = createServer().listen(0, '127.0.0.1')
  await once(slow, 'listening')
  whenDone(async () => slow.close())
  const address = slow.address()
  if (address === null || typeof address === 'string') throw new Error('Not listening')
  const ended = await statement(
    customPlanPool,
    async (client) => void Object.assign(client, { host: '127.0.0.1', port: address.port }),
    'select pg_sleep(3)',
  )
  // A process of the database takes a moment to end.
  await expect.poll(ended.isKept).toBe(false)
})
