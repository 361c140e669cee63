import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, test, vi } from 'vitest'
import { buildTestApp, type TestApp } from '../testing/app.ts'
import { whenDone } from '../testing/cleanup.ts'
import { DebianPostgres, hasDebianPostgres, urlOf } from '../testing/debian-postgres.ts'
import { makeDeal, makeUser, testPassword } from '../testing/factories.ts'
import { importBody } from './features/ingest/actions.ts'
import { sentBodies } from './features/ingest/reading/limits.ts'
import { type Databases, openDatabases } from './platform/database/database.ts'
import { DatabaseHosts } from './platform/database/database-hosts.ts'
import { awaitExternalDatabase } from './platform/database/external-database.ts'
import { migrate } from './platform/database/migrations.ts'
import { readSettings } from './platform/settings.ts'

// Servers are made, copied and promoted here.
vi.setConfig({ testTimeout: 60_000 })

const onlyReadable = {
  code: 'DATABASE_UNAVAILABLE',
  message:
    'The database can only be read at the moment, so nothing can be changed. Please try again in a moment.',
}

async function migrated(settings: string[] = []): Promise<DebianPostgres> {
  const server = await (await DebianPostgres.make(settings)).start().isUp()
  const hosts = new DatabaseHosts(server.url)
  await awaitExternalDatabase(hosts, new AbortController().signal)
  await migrate(hosts.url)
  return server
}

function open(url: string): Databases {
  const databases = openDatabases(url, () => undefined)
  whenDone(() => databases.close())
  return databases
}

type Line = { level: number; msg: string; err?: object }

/** The application on these servers, and the lines of its log. */
async function appOn(url: string): Promise<TestApp & { lines: Line[] }> {
  const lines: Line[] = []
  const write = (line: string) => void (/database|failed|standby/.test(line) && lines.push(JSON.parse(line)))
  const log = pino({ level: 'info' }, { write })
  return Object.assign(await buildTestApp({ databases: open(url), log }), { lines })
}

const readiness = async ({ app }: TestApp) => (await app.inject('/readyz')).json().status
const isReady = (testApp: TestApp, status = 'ready') => expect.poll(() => readiness(testApp)).toBe(status)
const figure = async ({ app }: TestApp, name: string) =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await app.inject('/metrics')).body)?.[1])

/** What its stream of events says from now on. */
async function listenTo({ app }: TestApp, headers: Record<string, string>) {
  await app.listen({ host: '127.0.0.1', port: 0 })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = app.server.address() as AddressInfo
  const asked = request({ port, host: '127.0.0.1', path: '/api/products/events', headers }).end()
  const [answer] = await once(asked, 'response')
  whenDone(async () => void asked.destroy())
  let text = ''
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}

describe.runIf(hasDebianPostgres)('with servers of Debian', () => {
  test('a standby is read, says so to whoever wants a change, and takes changes once it is promoted', async () => {
    const primary = await migrated()
    const before = open(primary.url)
    const deal = await makeDeal(before)
    const { username } = await makeUser(before, { role: 'admin' })
    const { headers } = await (await appOn(primary.url)).signIn('admin')
    await primary.query("update sessions set last_used_at = now() - interval '1 day'")
    const standby = await primary.standby('two')
    const onStandby = await appOn(standby.url)
    const { app, lines } = onStandby

    await isReady(onStandby, 'read_only')
    expect((await app.inject('/healthz')).statusCode).toBe(200)
    expect((await app.inject('/readyz')).statusCode).toBe(503)
    expect(await figure(onStandby, 'dealdeck_database_read_only')).toBe(1)
    expect(await figure(onStandby, 'dealdeck_database_away')).toBe(0)
    for (const url of ['/api/session', '/api/products', '/api/products?search=a', `/api/products/${deal.id}`])
      expect([url, (await app.inject({ url, headers })).statusCode]).toEqual([url, 200])
    // Nobody hears of changes there, so no page shall take its feed for live.
    expect((await app.inject({ url: '/api/products/events', headers })).statusCode).toBe(503)

    const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload, headers })
    const row = { asin: 'B0LAMP0001', title: 'Lamp', price: 9 }
    for (const answer of [
      await app.inject({
        method: 'POST',
        url: '/api/session',
        payload: { username, password: testPassword },
      }),
      await app.inject({
        method: 'POST',
        url: '/api/signup',
        payload: { username: 'ann', password: testPassword },
      }),
      await app.inject({ method: 'DELETE', url: '/api/session', headers }),
      await post('/api/blacklisted_words', { word: 'lantern' }),
      await post('/api/products/import', [row]),
    ])
      expect([answer.statusCode, answer.json()]).toEqual([503, onlyReadable])
    for (let probe = 0; probe < 20; probe++) await app.inject('/readyz')
    expect(lines.map(({ msg }) => msg)).toEqual([
      'The database can only be read from now on',
      ...Array.from({ length: 6 }, () => 'request failed'),
    ])
    expect(JSON.stringify(lines)).not.toContain('stack')

    await primary.end('SIGQUIT')
    await standby.promote()
    await isReady(onStandby)
    const told = await listenTo(onStandby, headers)
    expect((await post('/api/products/import', [row])).json()).toMatchObject({ created: 1 })
    expect((await post('/api/blacklisted_words', { word: 'lantern' })).statusCode).toBe(201)
    await expect.poll(told).toContain('event: deals\n')
    expect(await figure(onStandby, 'dealdeck_database_read_only')).toBe(0)
    expect(lines.at(-1)?.msg).toBe('The database takes changes again')

    // Who has a feed open learns of it, and of its end.
    for (const mode of ['on', 'off']) {
      await standby.query(`alter system set default_transaction_read_only = ${mode}`)
      await standby.query('select pg_reload_conf()')
      const isOn = mode === 'on'
      const event = `event: database\ndata: {"is_away":${isOn},"is_read_only":${isOn}}\n\n`
      await expect.poll(told).toContain(event)
    }
  })

  test('of two hosts the promoted one is used, imports and all, and the outage is two lines', async () => {
    const one = await migrated()
    const two = await one.standby('two')
    const testApp = await appOn(`${urlOf(one.host, two.host)}&target_session_attrs=read-write`)
    const { app, lines, databases } = testApp
    const { headers } = await testApp.signIn('admin')
    await isReady(testApp)
    await expect.poll(() => two.query('select from sessions')).toHaveLength(1)
    await one.end('SIGQUIT')
    await isReady(testApp, 'away')
    for (let probe = 0; probe < 20; probe++) await app.inject('/readyz')
    await two.promote()
    await isReady(testApp)
    expect(databases.url).toBe(two.url)
    const payload = [{ asin: 'B000000001', title: 'Lamp', price: 9 }]
    const answer = await app.inject({ method: 'POST', url: '/api/products/import', payload, headers })
    expect(answer.json()).toMatchObject({ created: 1 })
    expect(await two.query('select asin from deals')).toHaveLength(1)
    expect(lines.map(({ msg }) => msg)).toEqual([
      'The database was lost, trying again',
      'The database answers again',
    ])
  })

  test('a primary that still answers is given up once another was promoted, and never asked again', async () => {
    const one = await migrated()
    const two = await one.standby('two')
    const testApp = await appOn(urlOf(one.host, two.host))
    const { databases } = testApp
    await isReady(testApp)
    await two.promote()
    await expect.poll(() => databases.url).toBe(two.url)
    await isReady(testApp)
    await two.end('SIGQUIT')
    await isReady(testApp, 'away')
    await sleep(1_000)
    expect([databases.url, await readiness(testApp)]).toEqual([two.url, 'away'])
  })

  test('a change that no standby confirms is answered in time, does not claim to be undone, and stops nobody', async () => {
    const server = await migrated()
    const testApp = await appOn(server.url)
    const { app, lines } = testApp
    const { headers } = await testApp.signIn('admin')
    // So that whoever reads makes a note of it as well.
    await server.query("update sessions set last_used_at = now() - interval '1 day'")
    await server.query("alter system set synchronous_standby_names = 'gone'")
    await server.query('select pg_reload_conf()')

    const answers = Promise.all(
      ['lantern', 'kettle', 'wig', 'clock', 'lamp', 'vase'].map((word) =>
        app.inject({ method: 'POST', url: '/api/blacklisted_words', payload: { word }, headers }),
      ),
    )
    await expect.poll(() => figure(testApp, 'dealdeck_database_commits_waiting')).toBeGreaterThan(0)
    for (const url of ['/api/session', '/api/products'])
      expect((await app.inject({ url, headers })).statusCode).toBe(200)
    const made = (await answers).filter((answer) => {
      expect(answer.statusCode).toBe(503)
      return /^The change was made, but no standby .* may still be lost/.test(answer.json().message)
    })
    // Those beyond the connections for changes were told that there is too much to do, and made none.
    expect(made.length).toBeGreaterThan(2)
    expect(await server.query('select word from blacklisted_words')).toHaveLength(made.length)
    expect(lines.filter(({ msg }) => msg.includes('standby'))).toHaveLength(1)

    await server.query('alter system reset synchronous_standby_names')
    await server.query('select pg_reload_conf()')
    await expect
      .poll(
        async () =>
          (
            await app.inject({
              method: 'POST',
              url: '/api/blacklisted_words',
              payload: { word: 'hat' },
              headers,
            })
          ).statusCode,
      )
      .toBe(201)
    await expect.poll(() => figure(testApp, 'dealdeck_database_commits_waiting')).toBe(0)
    // An alarm that looks every quarter of a minute would hardly ever meet one that waits.
    expect(await figure(testApp, 'dealdeck_database_commits_unconfirmed_total')).toBeGreaterThan(2)
  })

  test('a change on whichever pool is not acknowledged before a standby has it', async () => {
    const server = await migrated()
    const { app, signIn } = await appOn(server.url)
    const { headers, user: admin } = await signIn('admin')
    const { user } = await signIn('user')
    await server.query("alter system set synchronous_standby_names = 'gone'")
    await server.query('select pg_reload_conf()')
    const change = async (method: 'POST' | 'PATCH', url: string, payload: object) =>
      (await app.inject({ method, url, headers, payload })).statusCode
    expect([
      await change('POST', '/api/amazon_filters', { category: 'brands', name: 'Acme', code: 'p_89:Acme' }),
      await change('PATCH', `/api/users/${user.id}`, { is_active: false }),
    ]).toEqual([503, 503])
    // An import as well is made when it says so: what it stages in passing waits for nobody.
    const payload = [{ asin: 'B000000001', title: 'Lamp', price: 9 }]
    const answer = await app.inject({ method: 'POST', url: '/api/products/import', payload, headers })
    expect([answer.statusCode, answer.json().message]).toEqual([
      503,
      expect.stringMatching(/^The change was made/),
    ])
    expect(await server.query('select asin from deals')).toHaveLength(1)
    // The end of the session that was in the browser may still be lost: whoever signs in gets in all the same.
    const again = { username: admin.username, password: testPassword }
    expect(await change('POST', '/api/session', again)).toBe(200)
  })

  test('an import is acknowledged only by the server that has all of it', async () => {
    const server = await migrated(['wal_writer_delay = 10s'])
    const databases = open(server.url)
    const { durablePool } = databases
    const others = await Promise.all(
      Array.from({ length: durablePool.options.max }, () => durablePool.connect()),
    )
    const imported = importBody(
      { databases, marketplace: readSettings({}).MARKETPLACE, clock: () => new Date() },
      Readable.from([Buffer.from('[{"asin":"B000000001","title":"Lamp","price":9}]')]),
      { dry_run: false, map: '', availability: '', source: 'test', limits: sentBodies },
    ).then(
      ({ created }) => created,
      () => 0,
    )
    const deals = () => server.query('select asin from deals')
    // It is shown before it is on the disk; then the server crashes, and whoever had a connection gives it back.
    await expect.poll(deals).toHaveLength(1)
    await server.end('SIGQUIT')
    await server.start().isUp()
    for (const other of others) other.release(true)
    const acknowledged = await imported
    expect(await deals()).toHaveLength(acknowledged)
  })

  test('a start on a standby waits for its promotion, and says in one line what it waited for', async () => {
    const one = await migrated()
    const two = await one.standby('two')
    const { signal } = new AbortController()
    const database = `The database at ${two.host}/postgres`
    await expect(awaitExternalDatabase(new DatabaseHosts(two.url), signal)).rejects.toThrow(
      `${database} can't be written to: it is a standby that was not promoted.`,
    )
    // A backup needs no more than that.
    await awaitExternalDatabase(new DatabaseHosts(two.url), signal, 'read')
    const waiting = awaitExternalDatabase(new DatabaseHosts(two.url), signal)
    await two.promote()
    await waiting
    await two.query('alter database postgres set default_transaction_read_only = on')
    await expect(awaitExternalDatabase(new DatabaseHosts(two.url), signal)).rejects.toThrow(
      `${database} can't be written to: it was set to be read only (default_transaction_read_only).`,
    )
  })
})
