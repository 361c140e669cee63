import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DebianPostgres, hasDebianPostgres, urlOf } from '../testing/debian-postgres.ts'
import { freePort } from './platform/embedded/embedded-process.ts'

// Servers are made, copied and promoted here.
vi.setConfig({ testTimeout: 60_000 })

const file = fileURLToPath(new URL('../../deploy/haproxy-postgres.cfg', import.meta.url))
const canRun = hasDebianPostgres && !spawnSync('haproxy', ['-v']).error

/** HAProxy with its file of deploy/, of which nothing is changed but addresses; returns where it listens. */
async function startBalancer(one: DebianPostgres, two: DebianPostgres): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-balancer-'))
  const own = `127.0.0.1:${await freePort()}`
  const text = (await readFile(file, 'utf8'))
    .replace('127.0.0.1:6432', own)
    .replace('10.0.0.11:5432', one.host)
    .replace('10.0.0.12:5432', two.host)
  await writeFile(join(folder, 'haproxy.cfg'), text)
  const child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  return own
}

/** The name of the server that is reached there, and whether it is a standby; undefined while none is. */
async function reached(host: string) {
  const client = new pg.Client({ connectionString: urlOf(host), connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query(
      "select current_setting('cluster_name') as name, pg_is_in_recovery() as is_standby",
    )
    return rows[0]
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => undefined)
  }
}

test.runIf(canRun)('the balancer of deploy/ leads to the primary, before and after a promotion', async () => {
  const one = await DebianPostgres.make()
  const rules = join(one.data, 'pg_hba.conf')
  // The first line that fits is the one that counts.
  const others = await readFile(rules, 'utf8')
  await writeFile(rules, 'host postgres dealdeck_check 127.0.0.1/32 trust\n')
  await appendFile(rules, others)
  await one.start().isUp()
  await one.query('create role dealdeck_check login connection limit 10')
  const two = await one.standby('two')
  const balancer = await startBalancer(two, one)
  await expect.poll(() => reached(balancer)).toEqual({ name: 'one', is_standby: false })

  // Frozen, it closes nothing: whoever is connected must be told to look elsewhere.
  const held = new pg.Client({ connectionString: urlOf(balancer) })
  const lost = once(held, 'error')
  held.on('error', () => undefined)
  await held.connect()
  const pid = Number.parseInt(await readFile(join(one.data, 'postmaster.pid'), 'utf8'), 10)
  process.kill(pid, 'SIGSTOP')
  await lost.finally(() => process.kill(pid, 'SIGCONT'))

  await one.end('SIGQUIT')
  await expect.poll(() => reached(balancer)).toBeUndefined()
  await two.promote()
  await expect.poll(() => reached(balancer)).toEqual({ name: 'two', is_standby: false })
})
