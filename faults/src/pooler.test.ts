import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findSessionFault } from '../../server/src/platform/database/session-check.ts'
import { runCommand, startDealdeck, temporaryFolder } from '../../server/testing/dealdeck-process.ts'
import { Client } from './client.ts'
import { either } from './extent.ts'
import { boss } from './installation.ts'
import { ask, ownDatabase } from './own-database.ts'
import { hasPgBouncer, startPgBouncer } from './pgbouncer.ts'
import { eventsOf } from './stream-reader.ts'

const isThere = hasPgBouncer()
const loadMs = either(700, 20_000)

async function start(DATABASE_URL: string): Promise<Client> {
  const dealdeck = startDealdeck({
    DATABASE_URL,
    ADMIN_USERNAME: boss.username,
    ADMIN_PASSWORD: boss.password,
    LOG_LEVEL: 'fatal',
  })
  return new Client(await dealdeck.address()).signIn(boss)
}

/** Hands in new items without a pause and keeps what was acknowledged, and which answers count something else. */
class Importer {
  readonly acknowledged: string[] = []
  readonly wrong: string[] = []
  readonly refusals: string[] = []
  #next = 0
  readonly #list: string
  readonly #client: Client

  /** `list`: two signs that tell its items from those of others. */
  constructor(list: string, client: Client) {
    this.#list = list
    this.#client = client
  }

  async run(signal: AbortSignal): Promise<void> {
    // Small ones for the most part; the large one is merged in two transactions.
    for (let at = 0; !signal.aborted; at++) await this.#once(at % 8 === 3 ? 4_400 : 20)
  }

  async #once(count: number): Promise<void> {
    const asins = Array.from({ length: count }, () => this.#asin())
    const rows = asins.map((asin) => ({
      asin,
      title: `Cedar box ${asin}`,
      price: 5,
      availability: 'In stock',
    }))
    const outcome = await this.#client.import(rows)
    if (outcome.kind !== 'acknowledged') {
      this.refusals.push(outcome.kind === 'unknown' ? outcome.why : JSON.stringify(outcome.body))
      return
    }
    this.acknowledged.push(...asins)
    const { created, updated, unchanged } = Object(outcome.body)
    if (created !== count || updated + unchanged !== 0)
      this.wrong.push(`${count} sent, created ${created}, updated ${updated}, unchanged ${unchanged}`)
  }

  #asin(): string {
    this.#next += 1
    return `B0${this.#list}${this.#next.toString(36).toUpperCase().padStart(6, '0')}`
  }
}

/** What importers were told so far, and how many of the rows acknowledged to them the database has. */
async function judge(databaseUrl: string, importers: readonly Importer[]) {
  const asins = importers.flatMap(({ acknowledged }) => acknowledged)
  const wrong = importers.flatMap((importer) => importer.wrong)
  const refusals = importers.flatMap((importer) => importer.refusals)
  const [row] = await ask<{ n: number }>(
    databaseUrl,
    'select count(*)::int as n from deals where asin = any($1)',
    [asins],
  )
  const there = row?.n
  console.log(
    `${asins.length} rows acknowledged, ${there} there; ${wrong.length} wrong answers (${wrong[0] ?? 'none'}); ${refusals.length} imports refused`,
  )
  return { acknowledged: asins.length, there, wrong, refusals }
}

/** How many minutes the work in the background has recorded as up. */
async function minutesUp(databaseUrl: string): Promise<number> {
  const [row] = await ask<{ n: number }>(databaseUrl, 'select count(*)::int as n from heartbeats')
  return row?.n ?? 0
}

test.runIf(isThere)(
  'importers through PgBouncer in session mode, which is then switched to transaction mode: each answer counts its own rows, and they are there',
  async () => {
    const databaseUrl = await ownDatabase()
    const pooler = await startPgBouncer(databaseUrl, 'session')
    const clients = await Promise.all([start(pooler.url), start(pooler.url)])
    const importers = clients.flatMap((client, at) => [
      new Importer(`A${at}`, client),
      new Importer(`B${at}`, client),
    ])
    const load = async (during: () => Promise<unknown>) => {
      const ended = new AbortController()
      const running = importers.map((importer) => importer.run(ended.signal))
      await during()
      ended.abort()
      await Promise.all(running)
      return judge(databaseUrl, importers)
    }
    const before = await load(() => sleep(loadMs))
    expect(before).toMatchObject({ there: before.acknowledged, wrong: [], refusals: [] })
    expect(before.acknowledged).toBeGreaterThan(0)
    await expect.poll(() => minutesUp(databaseUrl), { timeout: 10_000 }).toBeGreaterThan(0)

    const after = await load(async () => {
      await sleep(loadMs / 2)
      await pooler.switchTo('transaction')
      const refusals = () => importers.reduce((sum, importer) => sum + importer.refusals.length, 0)
      await expect.poll(refusals, { timeout: 60_000 }).toBeGreaterThan(0)
      await sleep(loadMs)
    })
    expect(after).toMatchObject({ there: after.acknowledged, wrong: [] })
    for (const refusal of after.refusals) expect(refusal).toMatch(/^503 .*pool_mode = session/)
  },
)

test.runIf(isThere)(
  'PgBouncer switched to transaction mode under a running process: one line and /readyz say so, and it ends with the switch back',
  async () => {
    const pooler = await startPgBouncer(await ownDatabase(), 'session')
    const dealdeck = startDealdeck({
      DATABASE_URL: pooler.url,
      ...{ ADMIN_USERNAME: boss.username, ADMIN_PASSWORD: boss.password, LOG_LEVEL: 'info' },
    })
    const client = await new Client(await dealdeck.address()).signIn(boss)
    const ended = new AbortController()
    const told: string[] = []
    const listening = (async () => {
      for await (const event of eventsOf(client, ended.signal)) told.push(event)
    })()
    const status = async () => {
      // Who asks takes sessions of the pooler, and gives them back in another order.
      const asked = Array.from({ length: 4 }, (_, n) => client.get(`/api/products?search=box ${n}`))
      for (const answer of await Promise.all(asked)) await answer.arrayBuffer()
      return Object(await (await client.get('/readyz')).json()).status
    }
    await expect.poll(status, { timeout: 10_000 }).toBe('ready')
    await pooler.switchTo('transaction')
    await expect.poll(status, { timeout: 20_000 }).toBe('pooled')
    expect(told.join('\n')).toContain('event: database\ndata: {"is_away":true')
    await sleep(either(3_000, 10_000))
    expect(await status()).toBe('pooled')
    expect(dealdeck.output.match(/pool_mode = session/g)).toHaveLength(1)

    await pooler.switchTo('session')
    await expect.poll(status, { timeout: 20_000 }).toBe('ready')
    const outcome = await client.import([
      { asin: 'B000000009', title: 'Cedar box', price: 5, availability: 'In stock' },
    ])
    expect(outcome.kind).toBe('acknowledged')
    await expect.poll(() => told.join('\n'), { timeout: 10_000 }).toContain('event: deals')
    expect(dealdeck.output).not.toContain('The database was lost')
    ended.abort()
    await listening
  },
)

test.runIf(isThere)(
  'PgBouncer in transaction mode: the application and its commands refuse in one line',
  async () => {
    const { url } = await startPgBouncer(await ownDatabase(), 'transaction')
    const line = /^The database at [^\n]* a session does not last [^\n]*pool_mode = session[^\n]*\n$/
    const dealdeck = startDealdeck({ DATABASE_URL: url })
    const commands = [
      ['import', '-'],
      ['restore', '/dev/null'],
    ]
    const ends = commands.map((command) => runCommand(command, { DATABASE_URL: url }))
    await expect(dealdeck.address()).rejects.toThrow('pool_mode')
    expect(dealdeck.errors).toMatch(line)
    for (const { code, errors } of await Promise.all(ends)) {
      expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(line) })
    }
    // A backup is one transaction, and needs no more than that.
    const file = join(await temporaryFolder(), 'backup.gz')
    expect(await runCommand(['backup', file], { DATABASE_URL: url })).toMatchObject({ code: 0, errors: '' })
    const single = await startPgBouncer(await ownDatabase(), 'statement')
    expect(await runCommand(['backup', file], { DATABASE_URL: single.url })).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^No backup can be made [^\n]*pool_mode = session[^\n]*\n$/),
    })
  },
)

const lasting = 'a session does not last from one transaction to the next'
const single = 'it does not let two connections work at the same time'

test
  .runIf(isThere)
  .each([
    ['in session mode', 'session', {}, undefined],
    ['that gives out what came back last', 'transaction', {}, lasting],
    [
      'that gives out what came back first',
      'transaction',
      { server_round_robin: 1, default_pool_size: 2 },
      lasting,
    ],
    ['that resets what comes back', 'transaction', { server_reset_query_always: 1 }, lasting],
    ...either([], [['with one connection', 'transaction', { default_pool_size: 1 }, single] as const]),
  ] as const)('the check finds out a PgBouncer %s each time', async (_which, mode, settings, fault) => {
  const { url } = await startPgBouncer(await ownDatabase(), mode, settings)
  const idle = Array.from({ length: 3 }, () => new pg.Client({ connectionString: url }))
  // Others have been here: it has connections to give out in more than one order.
  await Promise.all(idle.map((client) => client.connect()))
  await Promise.all(idle.map((client) => client.query('select pg_sleep(0.1)')))
  for (let time = 0; time < either(3, 20) && !(time && fault === single); time++) {
    const clients = [
      new pg.Client({ connectionString: url }),
      new pg.Client({ connectionString: url }),
    ] as const
    for (const client of clients) {
      client.on('error', () => {})
      await client.connect()
    }
    expect(await findSessionFault(...clients, new AbortController().signal)).toBe(fault)
    await Promise.all(clients.map((client) => client.end()))
  }
  await Promise.all(idle.map((client) => client.end()))
})
