import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  DealdeckProcess,
  serversOn,
  startDealdeck,
  temporaryFolder,
} from '../../../testing/dealdeck-process.ts'
import { attachEmbeddedDatabase, type EmbeddedDatabase, startEmbeddedDatabase } from './embedded-database.ts'

// Whole processes, several a test, share the machine with the rest of the run.
vi.setConfig({ testTimeout: 180_000 })

const log = pino({ level: 'silent' })
const isRoot = process.getuid?.() === 0

async function start(dataDir: string): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDir, log })
  onTestFinished(() => database.stop())
  return database
}

async function query<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

test('a new cluster is UTF-8, private, keeps every commit and takes all scripts as letters', async () => {
  const dataDir = await temporaryFolder()
  const database = await start(dataDir)
  expect(database.isNew).toBe(true)
  const [facts] = await query(
    database.url,
    `select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as commit, current_setting('listen_addresses') as listen,
            usesuper as super
     from pg_user where usename = current_user`,
  )
  expect(facts).toEqual({
    encoding: 'UTF8',
    fsync: 'on',
    commit: 'on',
    listen: '127.0.0.1',
    super: false,
  })
  expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700)
  expect((await stat(join(dataDir, 'database.json'))).mode & 0o777).toBe(0o600)
  await query(database.url, 'create extension pg_trgm')
  const [trigrams] = await query(database.url, "select cardinality(show_trgm('किताब')) as n")
  expect(trigrams).toEqual({ n: 6 })
  const [pid] = serversOn(dataDir)
  expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).not.toContain(
    new URL(database.url).password,
  )
})

test('a server killed underneath comes back on the same port', async () => {
  const dataDir = await temporaryFolder()
  const database = await start(dataDir)
  await query(database.url, 'create table kept as select 1 as n')
  const [killed = 0] = serversOn(dataDir)
  process.kill(killed, 'SIGKILL')
  for (;;) {
    const rows = await query(database.url, 'select n from kept').catch(() => null)
    if (rows) {
      expect(rows).toEqual([{ n: 1 }])
      break
    }
    await sleep(50)
  }
  expect(serversOn(dataDir)).not.toContain(killed)
  await database.stop()
  expect(serversOn(dataDir)).toEqual([])
})

test("a postmaster.pid whose number is some other process's by now disturbs nobody", async () => {
  const dataDir = await temporaryFolder()
  const first = await start(dataDir)
  await first.stop()
  const cluster = join(dataDir, 'postgres')
  const { uid, gid } = await stat(cluster)
  // Of the same user, so that PostgreSQL by itself would take it for a running server and refuse.
  const stranger = spawn('sleep', ['100'], isRoot ? { uid, gid } : {})
  onTestFinished(() => void stranger.kill())
  await once(stranger, 'spawn')
  await writeFile(
    join(cluster, 'postmaster.pid'),
    `${stranger.pid}\n${cluster}\n1\n54321\n\n127.0.0.1\n1 1\nready\n`,
  )
  if (isRoot) await chown(join(cluster, 'postmaster.pid'), uid, gid)
  const second = await start(dataDir)
  expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }])
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
})

test('killed during the first initdb, the next start makes the cluster', async () => {
  const dataDir = await temporaryFolder()
  const killed = startDealdeck({ DATA_DIR: dataDir })
  const isHalfMade = (name: string) => /^postgres\.new-\w+$/.test(name)
  while (!(await readdir(dataDir)).some(isHalfMade)) await sleep(5)
  killed.kill('SIGKILL')
  await killed.ended()
  expect(await readdir(dataDir)).not.toContain('postgres')
  const database = await start(dataDir)
  expect(database.isNew).toBe(true)
  await database.stop()
  const again = await start(dataDir)
  expect(again.isNew).toBe(false)
})

test('a lost password is replaced, a lost cluster is not', async () => {
  const dataDir = await temporaryFolder()
  const first = await start(dataDir)
  await query(first.url, 'create table kept as select 7 as n')
  await first.stop()
  await rm(join(dataDir, 'database.json'))
  const second = await start(dataDir)
  expect(second.isNew).toBe(false)
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }])
  expect(second.url).not.toContain(new URL(first.url).password)
  await second.stop()

  await rm(join(dataDir, 'postgres'), { recursive: true })
  await expect(start(dataDir)).rejects.toThrow(/^The database of .* is not at .*\/postgres any more\./)
})

test('a cluster of another major version is one clear line', async () => {
  const dataDir = await temporaryFolder()
  await (await start(dataDir)).stop()
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
  await expect(start(dataDir)).rejects.toThrow(
    /^The database in .* was made by PostgreSQL 17, this Dealdeck brings /,
  )
})

test('a command uses the running database, or starts one for as long as any command needs it', async () => {
  const dataDir = await temporaryFolder()
  const alone = await attachEmbeddedDatabase(dataDir, log)
  expect(alone.usedByApplication).toBe(false)
  const beside = await attachEmbeddedDatabase(dataDir, log)
  expect(beside.url).toBe(alone.url)
  const client = new pg.Client({ connectionString: beside.url })
  await client.connect()
  await alone.close()
  // Whoever comes now finds nobody in charge of it.
  const late = await attachEmbeddedDatabase(dataDir, log)
  expect(late.url).toBe(beside.url)
  expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }])
  await late.close()
  expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }])
  await client.end()
  await beside.close()
  expect(serversOn(dataDir)).toEqual([])

  const application = await start(dataDir)
  const command = await attachEmbeddedDatabase(dataDir, log)
  expect(command).toMatchObject({ url: application.url, usedByApplication: true })
  await command.close()
  expect(serversOn(dataDir)).toHaveLength(1)
})

test('a command that comes while the application ends starts the database itself', async () => {
  const dataDir = await temporaryFolder()
  await (await start(dataDir)).stop()
  // Its server is gone, and it goes itself in a moment.
  const script = join(dataDir, 'ending.ts')
  await writeFile(
    script,
    `import { lockFolder } from ${JSON.stringify(import.meta.resolve('../data-dir-lock.ts'))}
     await lockFolder(${JSON.stringify(dataDir)}, 'application')
     console.log('holds it')
     setTimeout(() => process.exit(), 1_000)`,
  )
  await new DealdeckProcess(script, [], {}).says(/holds it/)
  const command = await attachEmbeddedDatabase(dataDir, log)
  expect(command.usedByApplication).toBe(false)
  expect(await query(command.url, 'select 1 as n')).toEqual([{ n: 1 }])
  await command.close()
  expect(serversOn(dataDir)).toEqual([])
})

/** Root as it is in a container: it may not look into the processes of others. */
const inContainer = ['setpriv', '--bounding-set=-sys_ptrace'] as const
const canBeInContainer = isRoot && spawnSync(inContainer[0], [inContainer[1], 'true']).status === 0

test.runIf(canBeInContainer)('as root in a container it finds its servers, too', async () => {
  const dataDir = await temporaryFolder()
  const script = join(dataDir, 'starting.ts')
  await writeFile(
    script,
    `import { pino } from ${JSON.stringify(import.meta.resolve('pino'))}
     import { startEmbeddedDatabase } from ${JSON.stringify(import.meta.resolve('./embedded-database.ts'))}
     const dataDir = ${JSON.stringify(join(dataDir, 'data'))}
     const database = await startEmbeddedDatabase({ dataDir, log: pino({ level: 'silent' }) })
     process.once('SIGTERM', () => void database.stop().then(() => process.exit()))
     console.log(database.url)`,
  )
  const startInside = async () => {
    const [command, option] = inContainer
    const child = spawn(command, [option, process.execPath, script], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    return { child, url: String(said).trim() }
  }
  const killed = await startInside()
  expect(serversOn(dataDir)).toHaveLength(1)
  const [orphan] = serversOn(dataDir)
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  const next = await startInside()
  expect(await query(next.url, 'select 1 as n')).toEqual([{ n: 1 }])
  expect(serversOn(dataDir)).not.toContain(orphan)
  next.child.kill('SIGTERM')
  await once(next.child, 'exit')
  expect(serversOn(dataDir)).toEqual([])
})

test.runIf(isRoot)('as root a DATA_DIR only root may enter keeps its cluster elsewhere', async () => {
  const folder = await mkdtemp(join(homedir(), '.dealdeck-test-'))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  const database = await start(dataDir)
  const { cluster } = JSON.parse(await readFile(join(dataDir, 'database.json'), 'utf8'))
  onTestFinished(async () => {
    await database.stop()
    await rm(folder, { recursive: true })
    await rm(join(cluster, '..'), { recursive: true })
  })
  expect(cluster).toMatch(/^\/var\/lib\/dealdeck\/[0-9a-f]{16}\/postgres$/)
  await query(database.url, 'create table kept as select 3 as n')
  await database.stop()
  const again = await start(dataDir)
  expect(again.isNew).toBe(false)
  expect(await query(again.url, 'select n from kept')).toEqual([{ n: 3 }])
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  await again.stop()
})

test.runIf(!isRoot)('a folder that may not be written is one clear line', async () => {
  const folder = await temporaryFolder()
  await chmod(folder, 0o500)
  await expect(start(join(folder, 'data'))).rejects.toThrow(/can't be made/)
  await chmod(folder, 0o700)
})
