import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { freePorts } from './balancer.ts'
import { installPeer, runToEnd } from './peer-packages.ts'
import { endWithUs, lastWordsOf, type Program } from './processes.ts'
import { withClient } from './scratch.ts'

const version = '10.13.4'

/** Directus in a database that others use as well. */
export type Directus = { start(cache: boolean): Promise<Program>; remove(): Promise<void> }

/** Installs Directus and its tables beside ours, and lets everybody read the deals. */
export async function prepareDirectus(databaseUrl: string): Promise<Directus> {
  const node = findNode()
  // Its sandbox for scripts is native code; nothing else needs building.
  const folder = await installPeer({ name: 'directus', version, scripts: ['isolated-vm'], node })
  // Past the command itself, which asks the registry for updates.
  const cli = join(folder, 'node_modules/@directus/api/dist/cli/run.js')
  const run = join(folder, 'run')
  const environment = {
    ...settingsOf(databaseUrl),
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
  }
  const remove = () => dropTables(databaseUrl)
  try {
    await mkdir(run, { recursive: true })
    await runToEnd(node, [cli, 'bootstrap'], { cwd: run, env: environment })
    await withClient(databaseUrl, (client) =>
      client.query(
        `insert into directus_permissions (role, collection, action, permissions, validation, fields)
         values (null, 'deals', 'read', '{}', '{}', '*')`,
      ),
    )
  } catch (error) {
    await remove()
    throw error
  }
  return {
    remove,
    start: (cache) => startDirectus(node, cli, run, { ...environment, CACHE_ENABLED: String(cache) }),
  }
}

/** Everything that costs time and answers nothing is off. */
function settingsOf(url: string): Record<string, string> {
  return {
    ...{ DB_CLIENT: 'pg', DB_CONNECTION_STRING: url, DB_POOL__MIN: '0', DB_POOL__MAX: '16' },
    ...{ KEY: 'bench', SECRET: randomBytes(16).toString('hex') },
    ...{ ADMIN_EMAIL: 'bench@example.com', ADMIN_PASSWORD: randomBytes(12).toString('hex') },
    ...{ NODE_ENV: 'production', LOG_LEVEL: 'error', TZ: 'UTC', TELEMETRY: 'false' },
    ...{ RATE_LIMITER_ENABLED: 'false', PRESSURE_LIMITER_ENABLED: 'false', WEBSOCKETS_ENABLED: 'false' },
    ...{ CACHE_STORE: 'memory', CACHE_TTL: '1h', CACHE_SCHEMA: 'true', COMPRESSION_LEVEL: '1' },
  }
}

/** It prints no port it chose itself, so it gets one. */
async function startDirectus(
  node: string,
  cli: string,
  cwd: string,
  environment: Record<string, string>,
): Promise<Program> {
  const [port] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const child = endWithUs(
    spawn(node, [cli, 'start'], {
      ...{ cwd, stdio: ['ignore', 'pipe', 'pipe'] },
      env: { ...environment, HOST: '127.0.0.1', PORT: String(port) },
    }),
  )
  const said = lastWordsOf(child)
  const isRunning = () => child.exitCode === null && child.signalCode === null
  while (
    !(await fetch(`${url}/server/ping`).then(
      (response) => response.ok,
      () => false,
    ))
  ) {
    if (!isRunning()) throw new Error(`Directus ended early: ${said()}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const stop = async () => {
    if (!isRunning()) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // It waits for connections that nobody closes.
    child.kill('SIGKILL')
    await ended
  }
  return { process: child, url, stop }
}

/** Directus 10 runs on Node 18 and 20 only, so that of the machine or the one NODE_20 names is taken. */
function findNode(): string {
  const inPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const found = [process.env.NODE_20 ?? '', ...inPath].find(
    (path) =>
      existsSync(path) && /^v(18|20)\./.test(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout),
  )
  if (found === undefined)
    throw new Error('Directus 10 needs Node.js 20: put one into PATH or its path into NODE_20')
  return found
}

async function dropTables(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      String.raw`select tablename as name from pg_tables where tablename like 'directus\_%'`,
    )
    for (const { name } of rows) await client.query(`drop table "${name}" cascade`)
  })
}
