import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { buildTestApp, type TestApp } from '../testing/app.ts'
import { whenDone } from '../testing/cleanup.ts'
import { testPassword } from '../testing/factories.ts'
import { cloneTemplate, dropDatabase } from '../testing/template.ts'
import { openDatabases } from './platform/database/database.ts'
import { advisoryLocks } from './platform/database/lock-register.ts'
import { migrate, migrationNames } from './platform/database/migrations.ts'
import { sessionCookie } from './platform/http/access.ts'

// Each dump is a database as a migration of the past left it, written by tools/old-databases.ts and never again.
const folder = new URL('../testing/old-databases/', import.meta.url)
const clusterUrl = inject('clusterUrl')
const names = await migrationNames()
const has = (name: string, since: string) => name >= since

type Contents = Record<string, Record<string, unknown>[]>

/** A database of this test's own with what the dump of that migration holds. */
async function oldDatabase(name: string): Promise<string> {
  const url = await cloneTemplate(clusterUrl, 'template0')
  whenDone(() => dropDatabase(clusterUrl, url))
  const dump = await readFile(new URL(name.replace(/\.sql$/, '.dump'), folder), 'utf8')
  await withClient(url, (client) => client.query(dump))
  return url
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Every row of every table of ours. */
const contentsOf = (url: string) =>
  withClient(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    )
    const contents: Contents = {}
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: Record<string, unknown> }>(
        `select to_jsonb(t) as row from ${name} t`,
      )
      contents[name] = rows.map(({ row }) => row)
    }
    return contents
  })

const count = (contents: Contents, ...tables: string[]) => tables.map((table) => contents[table]?.length)

test('there is an old database of every migration', async () => {
  const dumps = (await readdir(folder)).sort()
  expect(dumps).toEqual(names.map((name) => name.replace(/\.sql$/, '.dump')))
})

test('an update waits for whoever writes deals, in whatever order they have the tables', async () => {
  const url = await oldDatabase('0025_hidden_deals.sql')
  await withClient(url, async (writer) => {
    await writer.query(`begin; select pg_advisory_xact_lock(${advisoryLocks.deals.key})`)
    await writer.query('update deals set last_updated = last_updated')
    const updating = migrate(url)
    const waits =
      'select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())'
    await withClient(url, (client) =>
      expect.poll(async () => (await client.query(waits)).rowCount, { timeout: 10_000 }).toBe(1),
    )
    await writer.query('delete from deal_changes where false')
    await writer.query('commit')
    expect(await updating).toEqual(names.filter((name) => name > '0025_hidden_deals.sql'))
  })
})

test.each(names)(
  'a database as %s left it comes up with its data, and its feed can be read',
  async (name) => {
    const url = await oldDatabase(name)
    const before = await contentsOf(url)
    expect(await migrate(url)).toEqual(names.slice(names.indexOf(name) + 1))
    const after = await contentsOf(url)
    for (const [table, rows] of Object.entries(before))
      for (const row of rows) expect(after[table]).toContainEqual(expect.objectContaining(row))
    expect(count(after, 'users', 'sessions', 'ingest_tokens')).toEqual([4, 2, 1])
    const deals = ['deals', 'price_points', 'blacklisted_words', 'feed_events', 'imports']
    expect(count(after, ...deals)).toEqual(has(name, '0002') ? [5, 6, 2, 2, 2] : [0, 0, 0, 0, 0])
    expect(count(after, 'amazon_filters')).toEqual([has(name, '0004') ? 2 : 0])
    expect(count(after, 'audit_entries')).toEqual([has(name, '0005') ? 1 : 0])
    expect(count(after, 'import_rejects')).toEqual([has(name, '0007') ? 1 : 0])
    expect(count(after, 'heartbeats')).toEqual([has(name, '0008') ? 2 : 0])
    expect(count(after, 'member_items')).toEqual([has(name, '0017') ? 1 : 0])
    expect(count(after, 'deal_changes', 'followers')).toEqual(has(name, '0018') ? [1, 1] : [0, 0])
    expect(count(after, 'price_verdicts')).toEqual([has(name, '0024') ? 1 : 0])

    const databases = openDatabases(url, () => {})
    whenDone(() => databases.close())
    await expectServed(await buildTestApp({ databases }), name)
  },
)

test('what waited before its cause had a column of its own goes on waiting for the same', async () => {
  const url = await oldDatabase('0031_quarantine_indexes.sql')
  const waiting = [
    ['list', 'held', 'Quiet hours until 07:00.', 'Quiet hours until 07:00.', 'quiet', 'quiet'],
    ['list', 'held', 'Paused for a while.', 'Paused for a while.', 'pause', 'pause'],
    ['list', 'held', 'One list, as there were 20 messages within an hour already.', '', 'hour', null],
    ['list', 'held', 'One list, as the search found more than 5 deals within a minute.', '', 'burst', null],
    ['digest', 'held', 'Part of the daily digest.', '', 'daily', null],
    ['digest', 'queued', 'Part of the weekly digest.', 'Paused for a while.', 'weekly', 'pause'],
    ['list', 'held', 'What matched when the alert was made.', '', null, null],
    ['list', 'sent', 'Quiet hours until 07:00.', '', 'quiet', null],
    ['deal', 'queued', null, 'Waits, as no more may be sent there at the moment.', null, null],
    ['notice', 'queued', null, 'Quiet hours until 07:00.', null, 'quiet'],
  ] as const
  await withClient(url, async (client) => {
    for (const [at, [kind, state, hold, reason]] of waiting.entries())
      await client.query(
        `insert into deliveries (destination_id, kind, state, content, reason, next_at)
         values (1, $1, $2, $3, $4, case when $2 <> 'sent' then now() + $5 * interval '1 hour' end)`,
        [kind, state, hold === null ? {} : { hold }, reason || (hold ?? ''), at],
      )
  })
  await migrate(url)
  await withClient(url, async (client) => {
    const { rows } = await client.query(
      'select collected_for, waits_for from deliveries where id > 1 order by id',
    )
    expect(rows).toEqual(waiting.map(([, , , , collected_for, waits_for]) => ({ collected_for, waits_for })))
  })
})

/** What its people see of it, with the sessions they have had open since then. */
async function expectServed({ app }: TestApp, name: string): Promise<void> {
  const headersOf = (userId: number) => ({
    ...{ host: 'localhost', origin: 'http://localhost' },
    cookie: `${sessionCookie}=an old session of ${userId}`,
  })
  const ask = async (path: string, userId = 2) => {
    const answer = await app.inject({ url: path, headers: headersOf(userId) })
    expect([path, answer.statusCode]).toEqual([path, 200])
    return answer.json()
  }
  expect(await ask('/api/session')).toMatchObject({ username: 'ömer', role: 'user' })
  const payload = { username: 'olga', password: testPassword }
  expect((await app.inject({ method: 'POST', url: '/api/session', payload })).json()).toMatchObject({
    role: 'admin',
  })

  const isFilled = has(name, '0002')
  const page = await ask('/api/products?sort=newest')
  expect(page.items).toMatchObject(
    isFilled
      ? [
          { id: 5, title: 'Brass desk bell', price: 7.75, original_price: 11, discount_percentage: 30 },
          {
            id: 2,
            title: 'Folding lantern “Ömür” 灯',
            price: 12.99,
            image_url: expect.stringContaining('old-2'),
          },
          {
            id: 1,
            title: 'Enamel mug, blue',
            price: 4.5,
            prime_eligible: true,
            rating: 4.5,
            review_count: 120,
          },
        ]
      : [],
  )
  expect(page.items[0]?.brand ?? null).toBe(has(name, '0016') ? 'Acme' : null)
  expect((await ask('/api/products?search=ömür')).items).toHaveLength(isFilled ? 1 : 0)
  expect(await ask('/api/blacklisted_words', 1)).toHaveLength(isFilled ? 1 : 0)
  expect(await ask('/api/amazon_filters')).toHaveLength(has(name, '0004') ? 2 : 0)
  expect((await ask('/api/me/items')).items).toHaveLength(has(name, '0017') ? 1 : 0)

  const row = { asin: 'B0OLD00001', title: 'Enamel mug, blue', price: 3.5 }
  const result = await app.inject({
    ...{ method: 'POST', url: '/api/products/import', headers: headersOf(1), payload: [row] },
  })
  expect(result.json()).toMatchObject(isFilled ? { updated: 1 } : { created: 1 })
}
