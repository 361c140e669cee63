import pg from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { asking, askingIn, LockTimeoutError, takeLock } from './advisory-locks.ts'
import { type AdvisoryLock, advisoryLocks } from './lock-register.ts'

const databases = await testDatabases()

/** A connection of somebody else, which holds whatever the statements take. */
async function holder(url: string, ...statements: string[]): Promise<{ client: pg.Client; pid: number }> {
  const client = new pg.Client({ connectionString: url, application_name: 'left behind' })
  client.on('error', () => {})
  await client.connect()
  whenDone(() => client.end().catch(() => undefined))
  for (const statement of statements) await client.query(statement)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return { client, pid: rows[0]?.pid ?? 0 }
}

async function refused(take: Promise<void>): Promise<string> {
  const error = await take.then(
    () => new Error('it was free'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof LockTimeoutError)) throw error
  return error.message
}

test.each<AdvisoryLock>(['migrations', 'deals', 'users'])(
  'the lock for %s is waited for so long, and then its holder named',
  async (lock) => {
    const held = await holder(databases.url, `select pg_advisory_lock(${advisoryLocks[lock].key})`)
    const client = await databases.durablePool.connect()
    await client.query('begin')
    const lines: string[] = []
    const message = await refused(takeLock(asking(client), lock, 100, (line) => lines.push(line)))
    const who = `In the way is connection ${held.pid} \\(application left behind, role \\w+, from 127\\.0\\.0\\.1:\\d+, idle since 20[^ ]+Z\\)\\.`
    expect(message).toMatch(new RegExp(`^The lock for [a-z ]+ was not free for 0\\.1 seconds\\. ${who}`))
    expect(message).toContain(`end it: select pg_terminate_backend(${held.pid})`)
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^Waiting up to 0\\.1 seconds for the lock for [a-z ]+\\. ${who}`)),
    ])
    // The transaction is as it was, and what it waits for otherwise has no limit of ours.
    expect((await client.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
    await held.client.end()
    await takeLock(asking(client), lock, 60_000)
    const taken = "select from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()"
    expect((await client.query(taken)).rowCount).toBe(1)
    await client.query('commit')
    // Never longer than the transaction: a pooler may hand the session to somebody else.
    expect((await client.query(taken)).rowCount).toBe(0)
    client.release()
  },
)

test('a lock given back in time is had, and later statements wait as long as they did before', async () => {
  const held = await holder(
    databases.url,
    'begin',
    `select pg_advisory_xact_lock(${advisoryLocks.users.key})`,
  )
  const lines: string[] = []
  await databases.durableDb.transaction().execute(async (transaction) => {
    const ask = askingIn(transaction)
    const taking = takeLock(ask, 'users', 60_000, (line) => {
      lines.push(line)
      void held.client.query('commit')
    })
    await taking
    expect((await ask('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
  })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('idle in transaction since')
})

test('changes of words and users answer 503 and name in the log who keeps them waiting', async () => {
  const lines: { msg?: string; route?: string; err?: { message: string } }[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const testApp = await buildTestApp({ log })
  const { headers } = await testApp.signIn('admin')
  const { pid } = await holder(
    testApp.databases.url,
    `select pg_advisory_lock(${advisoryLocks.deals.key}), pg_advisory_lock(${advisoryLocks.users.key})`,
  )
  const post = (url: string, payload: object) => testApp.app.inject({ method: 'POST', url, payload, headers })
  const account = { username: 'ann', password: 'correct horse' }
  const answers = await Promise.all([
    post('/api/blacklisted_words', { word: 'wig' }),
    post('/api/users', { ...account, role: 'user' }),
    post('/api/signup', account),
  ])
  for (const answer of answers) {
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toEqual({
      code: 'BUSY',
      message: 'Other changes are under way and take long. Please try again in a moment.',
    })
    expect(answer.headers['retry-after']).toBe('5')
  }
  const told = lines.map(({ err }) => err?.message ?? '')
  expect(told).toHaveLength(3)
  for (const line of told)
    expect(line).toMatch(
      new RegExp(
        `^The lock for changes of (deals|users) was not free for 10 seconds\\. In the way is connection ${pid} `,
      ),
    )
})
