import pg from 'pg'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { buildTestApp } from '../testing/app.ts'
import { whenDone } from '../testing/cleanup.ts'
import { DebianPostgres, hasDebianPostgres } from '../testing/debian-postgres.ts'
import { openDatabases } from './platform/database/database.ts'
import { DatabaseHosts } from './platform/database/database-hosts.ts'
import { awaitExternalDatabase } from './platform/database/external-database.ts'
import { migrate } from './platform/database/migrations.ts'

// A server is made here.
vi.setConfig({ testTimeout: 60_000 })

const busy = {
  code: 'BUSY',
  message: 'There is too much to do just now. Please try again in a moment.',
}

test.runIf(hasDebianPostgres)(
  'a database whose connections others have taken is busy, not away, and says so until one is free',
  async () => {
    const server = await (await DebianPostgres.make(['max_connections = 16'])).start().isUp()
    // Reserved connections are for who administers the server, which Dealdeck's user is not.
    await server.query("create role dealdeck login password 'secret'")
    await server.query('alter database postgres owner to dealdeck')
    await server.query('create extension pg_trgm')
    const url = server.url.replace(/\/\/[^@]*@/, '//dealdeck:secret@')
    await server.query('grant all on schema public to dealdeck')
    await awaitExternalDatabase(new DatabaseHosts(url), new AbortController().signal)
    await migrate(url)
    const databases = openDatabases(url, () => undefined)
    whenDone(() => databases.close())
    const lines: { msg: string }[] = []
    const write = (line: string) => void lines.push(JSON.parse(line))
    const testApp = await buildTestApp({ databases, log: pino({ level: 'warn' }, { write }) })
    const { app } = testApp
    const { headers } = await testApp.signIn('user')
    const ready = async () => (await app.inject('/readyz')).json()
    await expect.poll(ready).toEqual({ status: 'ready' })
    // What a process has open and doesn't use is closed after a while; then others are quicker.
    for (const pool of [databases.genericPlanPool, databases.customPlanPool]) {
      const idle = await Promise.all(Array.from({ length: pool.idleCount }, () => pool.connect()))
      for (const client of idle) client.release(true)
    }

    const others: pg.Client[] = []
    const takeAll = async () => {
      for (;;) {
        const other = new pg.Client({ connectionString: url })
        other.on('error', () => {})
        try {
          await other.connect()
        } catch {
          return
        }
        others.push(other)
      }
    }
    await takeAll()
    await expect.poll(ready).toEqual({
      code: 'DATABASE_UNAVAILABLE',
      message: 'The database has no connection left.',
      status: 'busy',
    })
    const answer = await app.inject({ url: '/api/products', headers })
    expect([answer.statusCode, answer.json(), answer.headers['retry-after']]).toEqual([503, busy, '2'])
    expect((await app.inject('/metrics')).body).toContain('dealdeck_database_away 0')
    expect(lines.map(({ msg }) => msg)).toEqual(['request failed'])
    expect(JSON.stringify(lines)).not.toContain('stack')

    await Promise.all(others.map((other) => other.end()))
    await expect.poll(ready).toEqual({ status: 'ready' })
    expect((await app.inject({ url: '/api/products', headers })).statusCode).toBe(200)
  },
)
