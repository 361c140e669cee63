import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { whenDone } from '../../testing/cleanup.ts'
import { cloneTemplate, dropDatabase } from '../../testing/template.ts'
import { openWeakLink } from '../../testing/weak-link.ts'
import { block, firstLine } from '../platform/database/backup-file.ts'
import { writeBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'

const clusterUrl = inject('clusterUrl')
let folder: string
let source: string
let file: string

const insertDeals = `insert into deals (asin, title, title_folded, price, original_price, product_url, availability)
  select 'B' || lpad(n::text, 9, '0'), E'Kettle\\t' || n || E'\\n"तेल" \\\\.', 'kettle ' || n, n, n * 2, 'https://example.com/' || n, 'Only 1 left'
  from generate_series(1, 3000) n`

async function run<T extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: T[] = []
    for (const statement of statements) rows = (await client.query<T>(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** One number that stands for every value of every row. */
async function fingerprint(url: string): Promise<string> {
  const [row] = await run<{ sum: string }>(
    url,
    `select md5(string_agg(line, '|' order by line)) as sum from (
       select d::text as line from deals d union all select u::text from users u union all select p::text from price_points p
       union all select w::text from blacklisted_words w union all select a::text from audit_entries a
       union all select m.name from migrations m) lines`,
  )
  return row?.sum ?? ''
}

async function emptyDatabase(): Promise<string> {
  const url = await cloneTemplate(clusterUrl, inject('templateName'))
  afterAll(() => dropDatabase(clusterUrl, url))
  return url
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dealdeck-backup-'))
  source = await emptyDatabase()
  await run(
    source,
    insertDeals,
    `insert into deal_changes (deal_ids, old_is_visible, old_price, old_original_price, old_availability,
       new_is_visible, new_price, new_original_price, new_availability)
     values ('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
    'insert into price_points select id, first_seen, price from deals',
    "insert into users (username, password_hash, role) values ('ann', 'hash', 'admin')",
    "insert into sessions (token_hash, user_id, expires_at) select '\\x00ff', id, now() from users",
    "insert into blacklisted_words (word) values ('wig')",
    `insert into audit_entries (actor_id, actor_name, action, subject_kind, subject_name, after)
     values (1, 'ann', 'add', 'word', 'wig', '{"is_active": true}')`,
    'delete from deals where id > 2990',
    'update feed_state set revision = 41',
  )
  file = join(folder, 'backup.gz')
  await writeBackup(source, file)
})
afterAll(() => rm(folder, { recursive: true }))

test('a backup is private and restores every value, computed columns and counters included', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const target = await emptyDatabase()
  const counts = await restoreBackup(target, file, false)
  expect(Object.fromEntries(counts)).toMatchObject({ deals: 2990, price_points: 2990, users: 1, sessions: 1 })
  expect(await fingerprint(target)).toBe(await fingerprint(source))
  const indexes =
    "select count(*)::int as n, md5(string_agg(indexdef, '|' order by indexdef)) from pg_indexes where schemaname = 'public'"
  expect(await run(target, indexes)).toEqual(await run(source, indexes))
  // The source had used 3000 ids; none of them may be given out again.
  const [next] = await run<{ id: string }>(
    target,
    "insert into deals (asin, title, title_folded, price, product_url) values ('B999999999', 'x', 'x', 1, '') returning id",
  )
  expect(next).toEqual({ id: 3001 })
})

test('a filled database is left alone without --replace and replaced with it; its revision goes on growing', async () => {
  const target = await emptyDatabase()
  await run(
    target,
    "insert into users (username, password_hash) values ('old', 'hash')",
    'update feed_state set revision = 100',
  )
  await expect(restoreBackup(target, file, false)).rejects.toThrow(
    'The database is not empty (it has users). Add --replace to put the backup in its place.',
  )
  expect(await run(target, 'select username from users')).toEqual([{ username: 'old' }])
  await restoreBackup(target, file, true)
  expect(await run(target, 'select username from users')).toEqual([{ username: 'ann' }])
  expect(await run(target, 'select revision from feed_state')).toEqual([{ revision: 101 }])
  // Whoever followed them is told that it missed some.
  expect(await run(target, 'select from deal_changes')).toEqual([])
  // Numbers of the backup may be given out again.
  const epochOf = (url: string) => run(url, 'select epoch from feed_state')
  expect(await epochOf(target)).not.toEqual(await epochOf(source))
})

test('the audit list comes back whole and still lets nobody change it', async () => {
  const target = await emptyDatabase()
  await run(
    target,
    "insert into audit_entries (actor_id, actor_name, action, subject_kind, subject_name) values (9, 'old', 'add', 'word', 'x')",
  )
  await restoreBackup(target, file, true)
  expect(await run(target, 'select actor_name, after from audit_entries')).toEqual([
    { actor_name: 'ann', after: { is_active: true } },
  ])
  for (const change of ['delete from', 'truncate'])
    await expect(run(target, `${change} audit_entries`)).rejects.toThrow('can only be added to')
})

test('a damaged, cut off, foreign or newer file changes nothing', async () => {
  const whole = await readFile(file)
  const flipped = Buffer.from(whole)
  flipped.writeUInt8(flipped.readUInt8(whole.length - 2000) ^ 0x55, whole.length - 2000)
  const plain = gunzipSync(whole)
  const header = { created_at: new Date().toISOString(), tables: [], counters: [] }
  const bad: [string, Buffer, RegExp][] = [
    ['flipped', flipped, /flipped is damaged or incomplete\. Nothing was changed\.$/],
    ['cut', whole.subarray(0, whole.length - 10), /cut is damaged/],
    ['short', gzipSync(plain.subarray(0, plain.length - 5)), /short is damaged/],
    [
      'swapped',
      gzipSync(Buffer.from(plain.toString('latin1').replace('{"rows":2990}', '{"rows":2991}'), 'latin1')),
      /swapped is damaged/,
    ],
    // As a flipped bit may unpack: the database is the first to complain.
    [
      'senseless',
      gzipSync(Buffer.from(plain.toString('latin1').replace('\t42.00\t', '\t4:2.0\t'), 'latin1')),
      /senseless is damaged/,
    ],
    ['text', Buffer.from('asin,title\n'), /text is not a backup of Dealdeck\.$/],
    [
      'other',
      gzipSync('asin,title\nB000000000,Something long enough\n'),
      /other is not a backup of Dealdeck\.$/,
    ],
    ['format', gzipSync('DEALDECK-BACKUP 2\nanything'), /format was written by a newer Dealdeck/],
    [
      'newer',
      gzipSync(Buffer.concat([firstLine(), block('H', { ...header, migrations: ['9999_later.sql'] })])),
      /newer was written by a newer Dealdeck/,
    ],
  ]
  const target = await emptyDatabase()
  await run(target, "insert into users (username, password_hash) values ('old', 'hash')")
  const before = await fingerprint(target)
  for (const [name, bytes, message] of bad) {
    await writeFile(join(folder, name), bytes)
    await expect(restoreBackup(target, join(folder, name), true)).rejects.toThrow(message)
    expect(await fingerprint(target)).toBe(before)
  }
  await expect(restoreBackup(target, join(folder, 'nowhere'), true)).rejects.toThrow(/^There is no file /)
})

test("a database with somebody else's tables is refused", async () => {
  const target = await emptyDatabase()
  await run(target, 'create table recipes (id int)')
  await expect(restoreBackup(target, file, true)).rejects.toThrow(
    /also holds tables that are not Dealdeck's \(recipes\)/,
  )
  await run(target, 'drop table migrations')
  await expect(restoreBackup(target, file, true)).rejects.toThrow(/holds tables that are not Dealdeck's/)
})

test('a database the application is using is refused', async () => {
  const target = await emptyDatabase()
  const application = new pg.Client({ connectionString: target, application_name: 'dealdeck listen' })
  await application.connect()
  await expect(restoreBackup(target, file, true)).rejects.toThrow('Dealdeck is using this database.')
  await application.end()
})

test('a backup waits for whoever writes a table anew, and holds what is in it then', async () => {
  const url = await emptyDatabase()
  await run(url, insertDeals)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('begin')
  // As a migration does that changes every row of a table; whoever looks from a moment before sees an empty one.
  await other.query('alter table deals add column seen timestamptz default clock_timestamp()')
  const written = writeBackup(url, join(folder, 'waited.gz'))
  await expect
    .poll(() =>
      run(
        url,
        "select from pg_locks l join pg_stat_activity a using (pid) where not granted and application_name = 'dealdeck backup'",
      ),
    )
    .toHaveLength(1)
  await other.query('commit')
  await other.end()
  expect((await written).get('deals')).toBe(3000)
})

test('a backup holds dates in one form, whatever the database it comes from has set', async () => {
  const [name, target] = [new URL(source).pathname.slice(1), await emptyDatabase()]
  const before = await fingerprint(source)
  await run(source, `alter database ${name} set datestyle = 'SQL, DMY'`)
  try {
    await writeBackup(source, join(folder, 'dates.gz'))
  } finally {
    await run(source, `alter database ${name} reset datestyle`)
  }
  await restoreBackup(target, join(folder, 'dates.gz'), true)
  expect(await fingerprint(target)).toBe(before)
})

test('a database without anything of Dealdeck is not backed up', async () => {
  const url = await cloneTemplate(clusterUrl, 'template0')
  afterAll(() => dropDatabase(clusterUrl, url))
  await expect(writeBackup(url, join(folder, 'none.gz'))).rejects.toThrow(
    'There is nothing of Dealdeck in this database yet.',
  )
})

test('two backups of one name at once are each whole, and leave nothing else behind', async () => {
  const both = join(await mkdtemp(join(folder, 'both-')), 'backup.gz')
  const counts = await Promise.all([writeBackup(source, both), writeBackup(source, both)])
  expect(counts[0]).toEqual(counts[1])
  expect(await readdir(dirname(both))).toEqual(['backup.gz'])
  const target = await emptyDatabase()
  await restoreBackup(target, both, true)
  expect(await fingerprint(target)).toBe(await fingerprint(source))
})

test('a backup or a restore whose database freezes ends with a line', { timeout: 60_000 }, async () => {
  const [ofBackup, ofRestore] = [await openWeakLink(source), await openWeakLink(await emptyDatabase())]
  const { query } = pg.Client.prototype
  const asking = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    if (String(args[0]).startsWith('lock table')) ofBackup.freeze()
    if (args[0] === 'analyze') ofRestore.freeze()
    return Reflect.apply(query, this, args)
  })
  whenDone(async () => {
    asking.mockRestore()
    await Promise.all([ofBackup.close(), ofRestore.close()])
  })
  const line = 'The database has not answered for 10 seconds'
  await Promise.all([
    expect(writeBackup(ofBackup.url, join(folder, 'frozen'))).rejects.toThrow(line),
    expect(restoreBackup(ofRestore.url, file, true)).rejects.toThrow(line),
  ])
  expect((await readdir(folder)).filter((name) => name.includes('frozen'))).toEqual([])
})

test('a backup or a restore whose database lets nobody in ends with a line', {
  timeout: 60_000,
}, async () => {
  const [ofBackup, ofRestore] = [await openWeakLink(source), await openWeakLink(await emptyDatabase())]
  whenDone(async () => void (await Promise.all([ofBackup.close(), ofRestore.close()])))
  ofBackup.freeze()
  ofRestore.freeze()
  const line = 'The database does not answer.'
  await Promise.all([
    expect(writeBackup(ofBackup.url, join(folder, 'silent'))).rejects.toThrow(line),
    expect(restoreBackup(ofRestore.url, file, true)).rejects.toThrow(line),
  ])
  expect((await readdir(folder)).filter((name) => name.includes('silent'))).toEqual([])
})

test('a folder or a device of its name is left alone', async () => {
  const device = join(folder, 'device')
  spawnSync('mkfifo', [device])
  for (const other of [folder, device])
    await expect(writeBackup(source, other)).rejects.toThrow(
      `The backup ${other} can't be written: there is a folder or a device of that name.`,
    )
  expect((await stat(device)).isFIFO()).toBe(true)
})
