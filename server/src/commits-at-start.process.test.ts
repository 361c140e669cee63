import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { runCommand, startDealdeck, temporaryFolder } from '../testing/dealdeck-process.ts'
import { DebianPostgres, hasDebianPostgres } from '../testing/debian-postgres.ts'
import { recordHeartbeat } from './features/home/actions.ts'
import { withCommitLimit } from './platform/database/commit-limit.ts'
import { openDatabases } from './platform/database/database.ts'

// Servers are made here, and commits waited for.
vi.setConfig({ testTimeout: 120_000 })

const nothing =
  'Commits wait for a synchronous standby that does not confirm them, so nothing was changed. Start that standby, or take its name out of synchronous_standby_names on the primary and reload its configuration.\n'
const unknown =
  /^A commit was made on the primary, but no synchronous standby has confirmed it in time, .*\n$/

/** A primary, and what to call once its standby is to be away. */
async function primary() {
  const server = await (await DebianPostgres.make()).start().isUp()
  const env = { DATABASE_URL: server.url, DATA_DIR: join(await temporaryFolder(), 'data') }
  const set = async (names: string) => {
    await server.query(`alter system set synchronous_standby_names = '${names}'`)
    await server.query('select pg_reload_conf()')
    await expect
      .poll(() => server.query("select current_setting('synchronous_standby_names') as names"))
      .toEqual([{ names }])
  }
  return { server, env, loseStandby: () => set('gone'), findStandby: () => set('') }
}

const names = (server: DebianPostgres) => server.query('select username from users order by username')
const waits = (server: DebianPostgres) =>
  server.query("select from pg_stat_activity where wait_event = 'SyncRep'")

describe.runIf(hasDebianPostgres)('on a primary whose synchronous standby is away', () => {
  test('a first start and a command end with a line that says so, and have changed nothing', async () => {
    const { server, env, loseStandby } = await primary()
    await loseStandby()
    const started = startDealdeck(env)
    expect(await started.ended()).toBe(1)
    expect(started.errors).toBe(nothing)
    const command = await runCommand(['create-user', 'ann'], env)
    expect([command.code, command.output, command.errors]).toEqual([1, '', nothing])
    const tables =
      "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'"
    expect(await server.query(tables)).toEqual([])
    expect(await waits(server)).toEqual([])
  })

  test('commands that change something refuse, those that only read work, and a start without anything to change too', async () => {
    const { server, env, loseStandby } = await primary()
    const made = await runCommand(['create-user', 'boss', '--admin', '--password', 'correct horse'], env)
    expect(made.code).toBe(0)
    const before = startDealdeck(env)
    await before.address()
    before.kill('SIGTERM')
    await before.ended()
    const backup = join(await temporaryFolder(), 'backup.gz')
    await loseStandby()
    const [read, written, saved, restored] = await Promise.all([
      runCommand(['deliveries', 'list'], env),
      runCommand(['create-user', 'ann'], env),
      runCommand(['backup', backup], env),
      runCommand(['sample', 'load'], env),
    ])
    expect([read.code, saved.code]).toEqual([0, 0])
    expect([written, restored].map(({ code, errors }) => [code, errors])).toEqual([
      [1, nothing],
      [1, nothing],
    ])
    const again = await runCommand(['restore', backup, '--replace'], env)
    expect([again.code, again.errors]).toEqual([1, nothing])
    expect(await names(server)).toEqual([{ username: 'boss' }])
    const started = startDealdeck(env)
    expect((await fetch(`${await started.address()}/readyz`)).status).toBe(200)
    expect(await waits(server)).toEqual([])
  })

  test('a commit that begins to wait later is broken off in time, and is whole', async () => {
    const { server, env, loseStandby, findStandby } = await primary()
    expect((await runCommand(['create-user', 'ann'], env)).code).toBe(0)
    await loseStandby()
    // Nothing is migrated, so the first to wait is the commit that makes the administrator.
    const withAdministrator = { ...env, ADMIN_USERNAME: 'boss', ADMIN_PASSWORD: 'correct horse' }
    const started = startDealdeck(withAdministrator)
    expect(await started.ended()).toBe(1)
    expect(started.errors).toMatch(unknown)
    const databases = openDatabases(server.url, () => undefined)
    // What the background notes each minute waits for nobody.
    await recordHeartbeat(databases, new Date())
    const changed = withCommitLimit(server.url, () => databases.durablePool.query('create table wig ()'))
    await expect(changed).rejects.toThrow('no synchronous standby has confirmed it in time')
    await databases.close()
    expect(await waits(server)).toEqual([])
    await findStandby()
    await startDealdeck(withAdministrator).address()
    const roles = await server.query('select username, role from users order by username')
    expect(roles).toEqual([
      { username: 'ann', role: 'user' },
      { username: 'boss', role: 'admin' },
    ])
  })
})
