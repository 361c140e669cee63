import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { openWeakLink } from '../../../testing/weak-link.ts'
import { whileAnswering } from './answering.ts'
import { refuseUnconfirmed } from './commit-limit.ts'
import { DatabaseHosts } from './database-hosts.ts'
import { awaitExternalDatabase } from './external-database.ts'
import { advisoryLocks } from './lock-register.ts'
import { migrate } from './migrations.ts'

vi.setConfig({ testTimeout: 60_000 })

async function overLink() {
  const { url } = await testDatabases()
  const link = await openWeakLink(url)
  whenDone(() => link.close())
  return { url, link }
}

/** Freezes it as soon as a connection through it is open. */
function freezeAfterConnecting(link: { freeze(): void }): void {
  const connect = pg.Client.prototype.connect
  vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(async function (this: pg.Client) {
    await Reflect.apply(connect, this, [])
    link.freeze()
  })
  whenDone(async () => void vi.restoreAllMocks())
}

test('work on a server that freezes ends with a line, and long work on one that answers goes on', async () => {
  const { link } = await overLink()
  const client = new pg.Client({ connectionString: link.url })
  client.on('error', () => {})
  await client.connect()
  const limits = { askEveryMs: 50, silenceMs: 2_000 }
  await whileAnswering(client, link.url, () => client.query('select pg_sleep(3)'), limits)
  const given = whileAnswering(client, link.url, () => client.query('select pg_sleep(60)'), limits)
  link.freeze()
  await expect(given).rejects.toThrow('The database has not answered for 2 seconds')
})

test('work that takes minutes is not ended by the limits of time that a database has', async () => {
  const { url } = await testDatabases()
  const client = new pg.Client({
    connectionString: url,
    ...{ statement_timeout: 100, idle_in_transaction_session_timeout: 100 },
  })
  await client.connect()
  whenDone(() => client.end())
  await whileAnswering(client, url, () => client.query('begin; select pg_sleep(0.3); commit'))
})

test('a start whose database freezes while it is looked at or migrated ends with a line', async () => {
  const { url, link } = await overLink()
  const other = await overLink()
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  whenDone(() => holder.end())
  await holder.query(`begin; select pg_advisory_xact_lock(${advisoryLocks.migrations.key})`)
  const waits = Promise.withResolvers<void>()
  const migrated = migrate(link.url, { say: () => waits.resolve() })
  await waits.promise
  link.freeze()
  freezeAfterConnecting(other.link)
  const found = awaitExternalDatabase(new DatabaseHosts(other.link.url), new AbortController().signal)
  await Promise.all([
    expect(migrated).rejects.toThrow('The database has not answered for 10 seconds'),
    expect(found).rejects.toThrow(/^The database at 127.*: it does not answer\.$/),
  ])
})

test('a database that freezes is not asked for ever whether commits are confirmed', async () => {
  const { link } = await overLink()
  freezeAfterConnecting(link)
  await expect(refuseUnconfirmed(link.url)).rejects.toThrow(/^The database does not answer\.$/)
})
