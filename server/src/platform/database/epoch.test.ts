import pg from 'pg'
import { expect, test } from 'vitest'
import { DebianPostgres, hasDebianPostgres } from '../../../testing/debian-postgres.ts'
import { epochSql } from './epoch.ts'

test.runIf(hasDebianPostgres)(
  'another epoch begins when the server starts or recovers, and not when it is asked again',
  async () => {
    const server = await (await DebianPostgres.make()).start().isUp()
    await server.query("create table feed_state as select 'random text' as epoch")
    const epoch = async () =>
      (await server.query(`select ${epochSql} as epoch from feed_state state`))[0]?.epoch
    const first = await epoch()
    expect(await epoch()).toBe(first)

    // As when the memory is short: PostgreSQL ends all its backends and recovers, and its start time stays.
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    process.kill(rows[0]?.pid ?? Number.NaN, 'SIGKILL')
    await expect.poll(() => epoch().catch(() => first), { timeout: 20_000 }).not.toBe(first)
    const recovered = await epoch()

    await server.end('SIGTERM')
    await server.start().isUp()
    expect([first, recovered]).not.toContain(await epoch())
  },
)
